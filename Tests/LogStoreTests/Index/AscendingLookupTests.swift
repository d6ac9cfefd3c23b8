import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Keys that are asked for in ascending order get the answers that each gets by itself.
@Suite struct AscendingLookupTests {
  /// What keys of a store look like.
  enum Keys: CaseIterable {
    case numbers, identifiers, names, alike, mixed

    /// There are more of them than a store of these tests has.
    func key(_ number: Int) -> [UInt8] {
      switch self {
      case .numbers: TestLog.key(number)
      case .identifiers: TestLog.key(number * 7919 % 3001 << 40) + TestLog.key(number * 3)
      case .names: [UInt8]("name \(number * 7 % 9973)".utf8)
      case .alike: [UInt8](repeating: 9, count: 11) + TestLog.key(number).suffix(3)
      case .mixed: [Keys.numbers, .identifiers, .names, .alike][number % 4].key(number)
      }
    }
  }

  /// Many indexes that overlap, of segments and merged, with dead records, tombstones, and outputs
  /// of rewrites.
  static func fill(_ keys: Keys, seed: UInt64, rangeKeyCount: UInt64 = 200) throws -> Log {
    var generator = SeededGenerator(seed: seed)
    var configuration = TestLog.configuration
    configuration.durability = .process
    configuration.segmentByteCountMinimum = 16 << 10
    configuration.segmentByteCountMaximum = 16 << 10
    configuration.rangeKeyCountMinimum = rangeKeyCount
    let log = try Log.open(
      at: "/store", configuration: configuration, fileSystem: InMemoryFileSystem())
    for round in 0..<40 {
      let batch = log.makeBatch()
      for _ in 0..<100 {
        let key = keys.key(.random(in: 0..<1500, using: &generator))
        let collection = CollectionIdentifier(.random(in: 1...2, using: &generator))
        if Int.random(in: 0..<9, using: &generator) == 0 {
          try batch.delete(key, in: collection)
        } else {
          try batch.put(
            key, in: collection, schemaVersion: 0, payload: [UInt8](repeating: 1, count: 30))
        }
      }
      try log.commit(batch)
      if round == 20 { try log.mergeIndexes() }
      if round % 8 == 7 { try rewrite(log, &generator) }
    }
    return log
  }

  private static func rewrite(_ log: Log, _ generator: inout SeededGenerator) throws {
    let sealed = try log.snapshot().view().sealed.map(\.identifier)
    let rewrite = try log.beginRewrite(of: Set(sealed.shuffled(using: &generator).prefix(2)))
    while let record = try rewrite.next() { try rewrite.keep(record) }
    try rewrite.publish()
  }

  private static func isSame(_ answer: SealedIndex.Answer, _ other: SealedIndex.Answer) -> Bool {
    switch (answer, other) {
    case (.absent, .absent): true
    case (.found(let value, let slot), .found(let otherValue, let otherSlot)):
      value == otherValue && slot == otherSlot
    default: false
    }
  }

  @Test("They get the same answers, whether they are there or not", arguments: Keys.allCases)
  func sameAnswers(keys: Keys) throws {
    let seed: UInt64 = 20_261_125
    let log = try Self.fill(keys, seed: seed)
    let view = try log.snapshot().view()
    for source in view.beneath.sources { _ = try source.keySpan() }
    #expect(view.beneath.sources.count > 3)
    let all = Set((0..<3000).map(keys.key)).sorted { $0.lexicographicallyPrecedes($1) }
    for step in [1, 3, 40, 700] {
      let lookup = AscendingLookup(view.beneath)
      var foundCount = 0
      for collection in 1...3 {
        for key in stride(from: 0, to: all.count, by: step).lazy.map({ all[$0] }) {
          key.withUnsafeBytes { bytes in
            let collection = CollectionIdentifier(UInt32(collection))
            let key = IndexKey(collection, bytes)
            let found = lookup.answer(key)
            let expected = view.beneath.answer(key, hash: RunFilter.hash(collection, bytes))
            if case .found = expected { foundCount += 1 }
            if !Self.isSame(found, expected) {
              Issue.record("\(found), not \(expected), step \(step)")
            }
          }
        }
      }
      #expect(foundCount > 500 / step)
    }
  }

  @Test(
    "Keys out of order get the same answers, as an index that is wrong may give them",
    arguments: [Keys.numbers, .identifiers])
  func outOfOrder(keys: Keys) throws {
    var generator = SeededGenerator(seed: 5)
    let view = try Self.fill(keys, seed: 5).snapshot().view()
    for source in view.beneath.sources { _ = try source.keySpan() }
    let lookup = AscendingLookup(view.beneath)
    var foundCount = 0
    for number in (0..<1500).shuffled(using: &generator) {
      keys.key(number).withUnsafeBytes { bytes in
        let key = IndexKey(TestLog.people, bytes)
        let expected = view.beneath.answer(key, hash: RunFilter.hash(TestLog.people, bytes))
        if case .found = expected { foundCount += 1 }
        if !Self.isSame(lookup.answer(key), expected) { Issue.record("key \(number)") }
      }
    }
    #expect(foundCount > 500)
  }

  @Test("A rewrite finds the same live records either way", arguments: Keys.allCases)
  func sameLiveRecords(keys: Keys) throws {
    let seed: UInt64 = 7
    let log = try Self.fill(keys, seed: seed)
    let view = try log.snapshot().view()
    var generator = SeededGenerator(seed: seed)
    for count in [1, 2, 5, view.sealed.count] {
      let inputs = Array(view.sealed.shuffled(using: &generator).prefix(count))
      let found = try Self.walk(view, inputs, ascending: true)
      let expected = try Self.walk(view, inputs, ascending: false)
      #expect(found == expected && !found.isEmpty)
    }
  }

  private struct Found: Equatable {
    let key: [UInt8]
    let value: IndexValue
    let segment: SegmentIdentifier
    let isLive: Bool
  }

  /// Each record of the inputs, and whether it is live, which ``View/find(_:)`` says too.
  private static func walk(
    _ view: View, _ inputs: [Segment], ascending: Bool
  ) throws -> [Found] {
    let walk = try RewriteWalk(view, inputs: inputs, ascending: ascending)
    var found: [Found] = []
    while let record = try walk.next() {
      let segment = record.segment.takeUnretainedValue().identifier
      #expect(try view.finds(record.key, record.value, in: segment) == record.isLive)
      found.append(
        Found(
          key: [UInt8](record.key.buffer), value: record.value, segment: segment,
          isLive: record.isLive))
    }
    return found
  }

  @Test("It is for rewrites of many of a store's keys")
  func isForMany() throws {
    let log = try Self.fill(.numbers, seed: 3)
    let beneath = try log.snapshot().view().beneath
    let all = beneath.sources.reduce(0) { $0 + $1.keyCount }
    #expect(AscendingLookup.isWorthwhile(keyCount: all / 10, in: beneath))
    #expect(!AscendingLookup.isWorthwhile(keyCount: all / 100, in: beneath))
  }
}
