import Testing

@testable import LogStore

@Suite struct MemoryTableTests {
  /// Keys that often share their first eight bytes, or are prefixes of each other.
  static func randomKey(_ generator: inout SplitMix) -> [UInt8] {
    let length = 1 + Int(generator.next() % 20)
    return (0..<length).map { _ in UInt8(generator.next() % 3) }
  }

  static func value(_ number: UInt64) -> IndexValue {
    IndexValue(
      sequence: CommitSequence(number), schemaVersion: number % 5, offset: UInt32(number & 0xFFFF),
      length: 7, isTombstone: number % 11 == 0)
  }

  static func contents(_ table: PublishedTable) -> [[UInt8]: IndexValue] {
    var cursor = table.cursor(from: nil)
    var found: [[UInt8]: IndexValue] = [:]
    var last: [UInt8]?
    while let current = cursor.current {
      let key = [UInt8](current.key.buffer)
      if let last, !last.lexicographicallyPrecedes(key) { Issue.record("keys must ascend") }
      last = key
      found[key] = current.value
      cursor.advance()
    }
    return found
  }

  @Test(arguments: [UInt64(1), 2, 3, 4])
  func agreesWithADictionaryAndKeepsEverySnapshot(seed: UInt64) {
    var generator = SplitMix(state: seed)
    let table = MemoryTable()
    var model: [[UInt8]: IndexValue] = [:]
    var snapshots: [(PublishedTable, [[UInt8]: IndexValue])] = []
    for step in 1...4000 {
      let key = Self.randomKey(&generator)
      let value = Self.value(UInt64(step))
      key.withUnsafeBytes { table.insert(IndexKey(TestLog.people, $0), value) }
      model[key] = value
      if step % 100 == 0 { snapshots.append((table.publish(), model)) }
      if step % 370 == 0 { snapshots.removeFirst(2) }
    }
    #expect(table.count == model.count, "seed \(seed)")
    for (snapshot, expected) in snapshots {
      #expect(Self.contents(snapshot) == expected, "seed \(seed)")
      let isFound = expected.allSatisfy { key, value in
        key.withUnsafeBytes { snapshot.find(IndexKey(TestLog.people, $0)) } == value
      }
      #expect(isFound, "seed \(seed)")
    }
  }

  /// What was there before a value was put.
  private static func text(_ before: MemoryTable.Before) -> String {
    switch before {
    case .value(let value): "\(value)"
    case .nothing(let key): "new \([UInt8](key.buffer))"
    }
  }

  @Test("Putting where there is room does what the general way does", arguments: [UInt64(1), 2, 3])
  func theQuickWayIsTheGeneralOne(seed: UInt64) {
    var generator = SplitMix(state: seed)
    let quick = MemoryTable()
    let general = MemoryTable()
    var published: [(PublishedTable, PublishedTable)] = []
    for step in 1...4000 {
      // Also in order, and with keys that are there.
      let key = step % 3 == 0 ? TestLog.key(step) : Self.randomKey(&generator)
      let value = Self.value(UInt64(step))
      let (left, right) = key.withUnsafeBytes { bytes in
        let key = IndexKey(TestLog.people, bytes)
        return (
          Self.text(quick.replace(key, value)), Self.text(general.replaceBySplitting(key, value))
        )
      }
      if left != right { Issue.record("seed \(seed), step \(step): \(left), \(right)") }
      if step % 50 == 0 { published.append((quick.publish(), general.publish())) }
      if quick.retiredPageCount != general.retiredPageCount {
        Issue.record("seed \(seed), step \(step): pages were copied that need not be, or were not")
      }
    }
    #expect(quick.count == general.count)
    for (left, right) in published {
      #expect(Self.contents(left) == Self.contents(right), "seed \(seed)")
    }
  }

  @Test(
    "Keys put in order, with others between and tables that come and go, are in their places",
    arguments: [UInt64(1), 2, 3, 4])
  func keysInOrder(seed: UInt64) {
    var generator = SplitMix(state: seed)
    let table = MemoryTable()
    var expected: [[UInt8]: IndexValue] = [:]
    // Two that are read, so that pages of older ones are used again.
    var read: [(table: PublishedTable, count: Int)] = []
    var next = 0
    for step in 1...6000 {
      let isLast = Int.random(in: 0..<20, using: &generator) > 0
      if isLast { next += Int.random(in: 1...3, using: &generator) }
      let key = TestLog.key(isLast ? next : Int.random(in: 0...next, using: &generator))
      key.withUnsafeBytes {
        table.insert(IndexKey(TestLog.people, $0), Self.value(UInt64(step)))
      }
      expected[key] = Self.value(UInt64(step))
      guard Int.random(in: 0..<30, using: &generator) == 0 else { continue }
      read.append((table.publish(), expected.count))
      if read.count > 2 { read.removeFirst() }
      let counts = read.map { Self.contents($0.table).count }
      if counts != read.map(\.count) { Issue.record("seed \(seed), step \(step): \(counts)") }
    }
    #expect(Self.contents(table.publish()) == expected, "seed \(seed)")
    #expect(table.count == expected.count)
  }

  @Test func aWalkStartsAtTheFirstKeyNotBelowTheStart() {
    let table = MemoryTable()
    for number in stride(from: 0, to: 2000, by: 2) {
      TestLog.key(number).withUnsafeBytes {
        table.insert(IndexKey(TestLog.people, $0), Self.value(UInt64(number)))
      }
    }
    let published = table.publish()
    let wrong = (0..<2000).filter { start in
      let found = TestLog.key(start).withUnsafeBytes {
        published.cursor(from: IndexKey(TestLog.people, $0)).current.map {
          [UInt8]($0.key.buffer)
        }
      }
      let expected = start + start % 2
      return found != (expected < 2000 ? TestLog.key(expected) : nil)
    }
    #expect(wrong.isEmpty)
  }

  @Test func pagesAreUsedAgainWhenNoSnapshotHoldsThem() {
    let reclaimer = PageReclaimer()
    var held = UInt64(0)
    var retired = PageList()
    var spare = PageList()
    for version in UInt64(1)...10_000 {
      let page = spare.pop() ?? reclaimer.makePage()
      page.isLeaf = true
      page.count = 0
      page.version = version
      reclaimer.hold(version, retiring: &retired, spare: &spare)
      if held > 0 { reclaimer.release(held) }
      held = version
      retired.push(page)
    }
    reclaimer.take(&retired)
    reclaimer.take(&spare)
    #expect(reclaimer.allocatedPageCount < 600)
  }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): small, seeded, good enough for tests.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
