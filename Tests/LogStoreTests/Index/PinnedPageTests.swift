import Testing

@testable import LogStore

@Suite struct PinnedPageTests {
  private static func insert(_ number: Int, into table: MemoryTable) {
    TestLog.key(number).withUnsafeBytes {
      table.insert(IndexKey(TestLog.people, $0), MemoryTableTests.value(UInt64(number + 1)))
    }
  }

  @Test("P13: a snapshot that is held pins the pages it can reach, not those of later commits")
  func aHeldSnapshotPinsItsOwnPagesOnly() {
    let table = MemoryTable()
    for number in 0..<1000 { Self.insert(number, into: table) }
    let held = table.publish()
    let expected = MemoryTableTests.contents(held)
    let before = table.allocatedPageCount
    var current = table.publish()
    for round in 0..<5000 {
      Self.insert(round % 1000, into: table)
      current = table.publish()
    }
    #expect(table.allocatedPageCount <= 2 * before + 300)
    #expect(MemoryTableTests.contents(held) == expected)
    #expect(MemoryTableTests.contents(current).count == 1000)
  }

  @Test("P5: snapshots released in any order keep what the others read", arguments: 1...6)
  func anyOrderOfReleaseKeepsTheOthers(seed: Int) {
    var generator = SplitMix(state: UInt64(seed))
    let table = MemoryTable()
    var model: [[UInt8]: IndexValue] = [:]
    var held: [(table: PublishedTable, contents: [[UInt8]: IndexValue])] = []
    for step in 1...1500 {
      let key = MemoryTableTests.randomKey(&generator)
      let value = MemoryTableTests.value(UInt64(step))
      key.withUnsafeBytes { table.insert(IndexKey(TestLog.people, $0), value) }
      model[key] = value
      if step % 3 == 0 { held.append((table.publish(), model)) }
      if held.count > 12 {
        held.remove(at: Int.random(in: 0..<held.count, using: &generator))
        let checked = held[Int.random(in: 0..<held.count, using: &generator)]
        #expect(MemoryTableTests.contents(checked.table) == checked.contents, "seed \(seed)")
      }
    }
    for snapshot in held {
      #expect(MemoryTableTests.contents(snapshot.table) == snapshot.contents, "seed \(seed)")
    }
    held = []
    _ = table.publish()
    #expect(table.allocatedPageCount < 900, "seed \(seed)")
  }
}
