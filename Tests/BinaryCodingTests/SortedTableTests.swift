import Testing

@testable import BinaryCoding

@Suite struct SortedTableTests {
  @Test("does what a dictionary does, with its keys in order", arguments: [1, 5, 100])
  func followsDictionary(keyCount: Int) {
    for seed in UInt64(0)..<20 {
      let (table, model) = SortedTable<Int, Int>.changed(keyCount: keyCount, seed: seed)
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
