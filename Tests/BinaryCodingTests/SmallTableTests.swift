import Testing

@testable import BinaryCoding

@Suite struct SmallTableTests {
  @Test("does what a dictionary does, with few keys and with many", arguments: [5, 33, 100])
  func followsDictionary(keyCount: Int) {
    for seed in UInt64(0)..<20 {
      let (table, model) = SmallTable<Int, Int>.changed(keyCount: keyCount, seed: seed)
      let entries = Dictionary(uniqueKeysWithValues: table.entries.map { ($0.key, $0.value) })
      #expect(entries == model, "seed \(seed)")
      for key in 0..<keyCount {
        #expect(table.contains { $0 == key } == (model[key] != nil), "seed \(seed), key \(key)")
      }
    }
  }

  @Test("equality does not depend on the order in which keys came, nor on where they lie")
  func equalityIgnoresPlaces() {
    var ascending = SmallTable<Int, Int>()
    var descending = SmallTable<Int, Int>()
    for key in 0..<50 {
      ascending[key] = key
      descending[49 - key] = 49 - key
    }
    #expect(ascending == descending)
    descending[3] = 4
    #expect(ascending != descending)
    descending[3] = nil
    #expect(ascending != descending)
    descending[50] = 3
    #expect(ascending != descending)
    descending[50] = nil
    descending[3] = 3
    #expect(ascending == descending)
  }
}
