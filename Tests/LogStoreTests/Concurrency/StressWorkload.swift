import FileIO
import StorageTestSupport
import Synchronization

@testable import LogStore

/// What the threads of a stress test share, and what each of them does.
///
/// Each writer counts its own commits in keys that only it writes, all of them in each commit. All
/// writers append their name to one list by transactions. So in every view a writer's keys are
/// equal, and of two views the later one has numbers as high and a list that begins as the other's.
final class StressWorkload: Sendable {
  static let writerCount = 4
  static let ownKeyCount = 6
  private static let listKey: [UInt8] = [UInt8]("list".utf8)
  /// The list grows no further, because the whole of it is written each time.
  private static let listCountMaximum = 2000

  private let log: Log
  private let end: ContinuousClock.Instant
  private let runningWriters = Atomic(writerCount)
  /// The commits of each writer that have returned.
  private let committed: Lock<[Int]> = Lock([Int](repeating: 0, count: writerCount))
  private let appended = Atomic(0)

  init(_ log: Log, end: ContinuousClock.Instant) {
    self.log = log
    self.end = end
  }

  var committedCounts: [Int] { committed.withLock { counts in counts } }
  var appendedCount: Int { appended.load(ordering: .relaxed) }

  private static func ownKey(_ writer: Int, _ position: Int) -> [UInt8] {
    [UInt8]("\(position) of \(writer)".utf8)
  }

  /// Commits by batches and by transactions, with either durability, until time is up.
  func write(_ writer: Int, seed: UInt64) throws {
    defer { runningWriters.subtract(1, ordering: .acquiringAndReleasing) }
    var generator = SeededGenerator(seed: seed)
    var number = 0
    while ContinuousClock.now < end {
      number += 1
      let durability: Durability =
        Int.random(in: 0..<4, using: &generator) == 0 ? .full : .process
      let padding = [UInt8](repeating: 5, count: Int.random(in: 0..<200, using: &generator))
      let payload = TestLog.key(number) + padding
      if Int.random(in: 0..<3, using: &generator) == 0, appendedCount < Self.listCountMaximum {
        try append(writer, payload, durability)
      } else {
        let batch = log.makeBatch()
        for position in 0..<Self.ownKeyCount {
          try batch.put(
            Self.ownKey(writer, position), in: TestLog.people, schemaVersion: 0, payload: payload)
        }
        // Deleted and never there: tombstones for compaction to drop.
        try batch.delete(
          TestLog.key(Int.random(in: 0..<500, using: &generator)), in: TestLog.people)
        try log.commit(batch, durability: durability)
      }
      committed.withLock { counts in counts[writer] = number }
    }
  }

  private func append(_ writer: Int, _ payload: [UInt8], _ durability: Durability) throws {
    try log.transact(durability: durability) { transaction in
      let list = try transaction.record(for: Self.listKey, in: TestLog.people)?.payload ?? []
      try transaction.put(
        Self.listKey, in: TestLog.people, schemaVersion: 0, payload: list + [UInt8(writer)])
      for position in 0..<Self.ownKeyCount {
        try transaction.put(
          Self.ownKey(writer, position), in: TestLog.people, schemaVersion: 0, payload: payload)
      }
    }
    appended.add(1, ordering: .relaxed)
  }

  /// Rewrites random sealed segments, when the other compaction does not.
  func compact(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    while runningWriters.load(ordering: .acquiring) > 0 {
      let sealed = try log.statistics().segments.filter { !$0.isActive }
      let chosen = sealed.filter { _ in Int.random(in: 0..<3, using: &generator) > 0 }
      guard let rewrite = try beginRewrite(of: Set(chosen.map(\.identifier))) else { continue }
      while let record = try rewrite.next() { try rewrite.keep(record) }
      if Int.random(in: 0..<5, using: &generator) == 0 {
        rewrite.cancel()
      } else {
        try rewrite.publish()
      }
    }
  }

  /// Nothing while the other compaction has not ended.
  private func beginRewrite(
    of identifiers: Set<SegmentIdentifier>
  ) throws(LogError) -> SegmentRewrite? {
    do throws(LogError) {
      return try log.beginRewrite(of: identifiers)
    } catch {
      if error == .rewriteIsRunning { return nil }
      throw error
    }
  }

  /// Takes views until the writers have ended, and compares each with those before it.
  func read(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var held = log.snapshot()
    var heldObservation = try Observation(held)
    var last = heldObservation
    while runningWriters.load(ordering: .acquiring) > 0 {
      let returned = committedCounts
      let snapshot = log.snapshot()
      let seen = try Observation(snapshot)
      guard seen.sequence >= last.sequence else { throw CaseFailure("a later view is older") }
      for writer in 0..<Self.writerCount {
        guard seen.ownNumbers[writer] >= max(last.ownNumbers[writer], returned[writer]) else {
          throw CaseFailure("writer \(writer) stands at \(seen.ownNumbers), returned \(returned)")
        }
      }
      guard seen.list.starts(with: last.list) else { throw CaseFailure("the list changed") }
      last = seen
      guard try Observation(held) == heldObservation else {
        throw CaseFailure("a view that is held changed")
      }
      if Int.random(in: 0..<5, using: &generator) == 0 {
        held = snapshot
        heldObservation = seen
      }
    }
  }

  /// What a view shows; throws when that is part of a commit.
  struct Observation: Equatable {
    let sequence: CommitSequence
    private(set) var ownNumbers = [Int](repeating: 0, count: writerCount)
    private(set) var list: [UInt8] = []

    init(_ snapshot: Snapshot) throws {
      sequence = snapshot.lastSequence
      var walked: [[UInt8]: [UInt8]] = [:]
      let cursor = try snapshot.records(in: TestLog.people)
      while let (key, record) = try cursor.next() { walked[key] = record.payload }
      list = walked[listKey] ?? []
      for writer in 0..<writerCount {
        let numbers = (0..<ownKeyCount).map { StressWorkload.number(walked[ownKey(writer, $0)]) }
        guard numbers.allSatisfy({ $0 == numbers[0] }) else {
          throw CaseFailure("the keys of writer \(writer) show \(numbers)")
        }
        ownNumbers[writer] = numbers[0]
        let found = try snapshot.record(for: ownKey(writer, 0), in: TestLog.people)
        guard StressWorkload.number(found?.payload) == numbers[0] else {
          throw CaseFailure("a look-up and a walk differ")
        }
      }
      let beginners = ownNumbers.filter { $0 > 0 }.count
      guard walked.count == beginners * ownKeyCount + (list.isEmpty ? 0 : 1) else {
        throw CaseFailure("there are \(walked.count) keys")
      }
    }
  }

  private static func number(_ payload: [UInt8]?) -> Int {
    payload?.prefix(8).reduce(0) { $0 << 8 | Int($1) } ?? 0
  }
}
