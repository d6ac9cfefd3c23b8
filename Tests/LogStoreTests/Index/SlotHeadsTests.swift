import BinaryCoding
import StorageTestSupport
import Testing

@testable import LogStore

/// What is remembered of the bounds of indexes rules out only keys that are in none of them.
@Suite struct SlotHeadsTests {
  private static func heads(_ first: [UInt8], _ last: [UInt8]) -> KeyHeads {
    first.withUnsafeBytes { first in
      last.withUnsafeBytes { last in
        KeyHeads((IndexKey(TestLog.people, first), IndexKey(TestLog.people, last)))
      }
    }
  }

  private static func head(
    _ key: [UInt8], _ collection: CollectionIdentifier = TestLog.people
  ) -> KeyHeads.Head {
    key.withUnsafeBytes { bytes in
      let key = IndexKey(collection, bytes)
      return (key.collection, key.head)
    }
  }

  @Test("Nothing is ruled out of a slot of which nothing is known")
  func unknownRulesNothingOut() {
    let heads = SharedHeads(count: 3)
    heads.enter(Self.heads([5], [7]), for: 1)
    for slot in [0, 2] {
      #expect(heads.isUnknown(slot))
      for byte in UInt8(0)...20 { #expect(!heads.rulesOut(Self.head([byte]), in: slot)) }
    }
    #expect(!heads.isUnknown(1))
  }

  @Test("Keys before the first and behind the last are ruled out, and what was entered first stays")
  func boundsRuleOut() {
    let heads = SharedHeads(count: 1)
    heads.enter(Self.heads([5], [7, 7]), for: 0)
    heads.enter(Self.heads([100], [101]), for: 0)
    for byte in UInt8(1)...20 {
      #expect(heads.rulesOut(Self.head([byte]), in: 0) == !(5...7).contains(byte), "\(byte)")
    }
    // A longer key that begins as the last does may be it.
    let last: [UInt8] = [7, 7, 0, 0, 0, 0, 0, 0, 1]
    #expect(!heads.rulesOut(Self.head(last), in: 0))
    #expect(heads.rulesOut(Self.head([7, 8]), in: 0))
    #expect(heads.rulesOut(Self.head([6], CollectionIdentifier(9)), in: 0))
  }

  @Test("A range of keys is ruled out only where none of it can be there")
  func rangesAreRuledOut() {
    let heads = SharedHeads(count: 2)
    heads.enter(Self.heads([5], [7]), for: 0)
    for first in UInt8(1)...12 {
      for last in first...12 {
        let isRuledOut = heads.rulesOut(from: Self.head([first]), to: Self.head([last]), in: 0)
        #expect(isRuledOut == (last < 5 || first > 7), "\(first) to \(last)")
        #expect(!heads.rulesOut(from: Self.head([first]), to: Self.head([last]), in: 1))
      }
    }
  }

  @Test("Threads that enter and ask at once see all of what is known, or nothing")
  func threadsSeeAllOrNothing() async {
    for round in 0..<200 {
      let known = Self.heads([10], [20])
      let shared = SharedHeads(count: 1)
      let isWrong = await withTaskGroup(of: Bool.self) { group in
        for task in 0..<4 {
          group.addTask {
            if task == round % 4 { shared.enter(known, for: 0) }
            return (0..<100).contains { _ in shared.rulesOut(Self.head([15]), in: 0) }
          }
        }
        return await group.contains { $0 }
      }
      #expect(!isWrong)
      #expect(shared.rulesOut(Self.head([30]), in: 0))
    }
  }

  /// What threads and expectations can hold.
  private final class SharedHeads: Sendable {
    private let heads: SlotHeads

    init(count: Int) { heads = SlotHeads(count: count) }

    func isUnknown(_ slot: Int) -> Bool { heads.isUnknown(slot) }

    func enter(_ known: KeyHeads, for slot: Int) { heads.enter(known, for: slot) }

    func rulesOut(_ head: KeyHeads.Head, in slot: Int) -> Bool { heads.rulesOut(head, in: slot) }

    func rulesOut(from first: KeyHeads.Head, to last: KeyHeads.Head, in slot: Int) -> Bool {
      heads.rulesOut(from: first, to: last, in: slot)
    }
  }

  @Test(
    "Look-ups find what they found before indexes were known, in any order of keys",
    arguments: 1...6)
  func lookupsStayRight(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    var expected: [[UInt8]: [UInt8]] = [:]
    for _ in 0..<12 {
      let start = Int.random(in: 0..<400, using: &generator)
      try TestLog.put(start..<(start + 30), log)
      for number in start..<(start + 30) {
        expected[TestLog.key(number)] = TestLog.payload(number)
      }
      if Bool.random(using: &generator) { try log.sealActiveSegment() }
    }
    try log.close()
    let snapshot = try TestLog.open(fileSystem).snapshot()
    for _ in 0..<3 {
      for number in (0..<460).shuffled(using: &generator) {
        let key = TestLog.key(number)
        let found = try snapshot.record(for: key, in: TestLog.people)?.payload
        #expect(found == expected[key], "seed \(seed), key \(number)")
      }
    }
  }
}
