import StorageTestSupport
import Testing

@testable import BinaryCoding

@Suite struct SortedTableTests {
  @Test("does what a dictionary does, with its keys in order", arguments: [1, 5, 100])
  func followsDictionary(keyCount: Int) {
    for seed in UInt64(0)..<20 {
      var random = SeededGenerator(seed: seed)
      var table = SortedTable<Int, Int>()
      var model: [Int: Int] = [:]
      for step in 0..<600 {
        let key = Int.random(in: 0..<keyCount, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          table[key] = step
          model[key] = step
        case 1:
          table[key] = nil
          model[key] = nil
        default:
          table.update(key, from: 7) { $0 += step }
          model[key, default: 7] += step
        }
        #expect(table[key] == model[key], "seed \(seed), step \(step)")
        #expect(table.count == model.count, "seed \(seed), step \(step)")
        #expect(table.isEmpty == model.isEmpty)
      }
      #expect(table.dictionary == model, "seed \(seed)")
      #expect(Array(table.keys) == model.keys.sorted(), "seed \(seed)")
      #expect(Array(table.values) == model.keys.sorted().map { model[$0] }, "seed \(seed)")
      #expect(table == SortedTable(model), "seed \(seed)")
    }
  }

  @Test("entries in any order make the same table, unless a key is there twice")
  func takesEntriesInAnyOrder() {
    let entries = [(key: 3, value: "c"), (key: 1, value: "a"), (key: 2, value: "b")]
    #expect(SortedTable(unordered: entries) == SortedTable([1: "a", 2: "b", 3: "c"]))
    #expect(SortedTable(unordered: entries + [(key: 1, value: "d")]) == nil)
    #expect(SortedTable<Int, String>(unordered: [])?.isEmpty == true)
  }

  @Test("a table of keys alone says what it has, and so does an array in order")
  func findsKeys() {
    var keys = SortedTable<Int, Void>()
    let areNew = [4, 2, 8, 6, 2].map { keys.insert($0) }
    #expect(areNew == [true, true, true, true, false])
    for key in 0..<10 {
      #expect(keys.contains(key) == [2, 4, 6, 8].contains(key))
      #expect(Array(keys.keys).hasInOrder(key) == keys.contains(key))
    }
    #expect(![Int]().hasInOrder(0))
  }
}
