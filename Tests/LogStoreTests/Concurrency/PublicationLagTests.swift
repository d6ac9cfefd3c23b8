import FileIO
import Foundation
import StorageTestSupport
import Synchronization
import Testing

@testable import LogStore

/// Small commits are published by who looks: whoever looks sees all that was acknowledged, and
/// never anything that must be durable first.
@Suite struct PublicationLagTests {
  @Test("P5: every snapshot shows every commit that returned before, of whatever kinds")
  func snapshotsSeeAll() throws {
    for seed in UInt64(1)...30 {
      var generator = SeededGenerator(seed: seed)
      let log = try TestLog.open(SimulatedFileSystem(), durability: .process)
      var expected: [[UInt8]: [UInt8]] = [:]
      var older: [(Snapshot, [[UInt8]: [UInt8]])] = []
      for step in 0..<200 {
        let number = Int.random(in: 0..<60, using: &generator)
        let key = TestLog.key(number)
        let payload = TestLog.payload(step)
        switch Int.random(in: 0..<12, using: &generator) {
        case 0...4:
          try log.put(key, in: TestLog.people, schemaVersion: 0, payload: payload)
          expected[key] = payload
        case 5:
          try log.delete(key, in: TestLog.people)
          expected[key] = nil
        case 6:
          try log.put(
            key, in: TestLog.people, schemaVersion: 0, payload: payload, durability: .full)
          expected[key] = payload
        case 7:
          // Both sides of what may lag.
          let count = Int.random(in: 14...18, using: &generator)
          let batch = log.makeBatch()
          for number in number..<(number + count) {
            try batch.put(
              TestLog.key(number), in: TestLog.people, schemaVersion: 0, payload: payload)
            expected[TestLog.key(number)] = payload
          }
          try log.commit(batch)
        case 8:
          try log.transact { transaction in
            try transaction.put(key, in: TestLog.people, schemaVersion: 0, payload: payload)
          }
          expected[key] = payload
        case 9: try log.sealActiveSegment()
        case 10: try log.mergeIndexes()
        default: older.append((log.snapshot(), expected))
        }
        guard Bool.random(using: &generator) else { continue }
        #expect(try TestLog.contents(log) == expected, "seed \(seed), step \(step)")
      }
      for (snapshot, contents) in older {
        #expect(
          try TestLog.contents(snapshot.records(in: TestLog.people)) == contents, "seed \(seed)")
      }
      try TestLog.compare(log, expected)
    }
  }

  @Test("nothing is published, and no page copied twice, until somebody looks")
  func nobodyLooksNothingIsCopied() throws {
    let log = try TestLog.openWithLargeSegments()
    try TestLog.put([0], log)
    for number in 1..<20 { try Self.put(number, log) }
    func state() -> [Int] {
      let table = log.pipeline.table
      return [Int(table.version), table.retiredPageCount]
    }
    let before = state()
    for number in 0..<20 { try Self.put(number, log) }
    #expect(state() == before)
    _ = log.snapshot()
    #expect(state() == [before[0] + 1, 0])
    _ = log.snapshot()
    #expect(state() == [before[0] + 1, 0])
    for number in 0..<20 { try Self.put(number, log) }
    #expect(state() == [before[0] + 1, 1])
  }

  @Test("a view that nobody lets go keeps a bounded number of pages")
  func copiedPagesAreBounded() throws {
    let log = try TestLog.openWithLargeSegments()
    let keyCount = 60_000
    for start in stride(from: 0, to: keyCount, by: 1000) {
      try TestLog.put(start..<(start + 1000), log)
    }
    let pageCount = log.pipeline.table.allocatedPageCount
    #expect(pageCount > PublicationLag.retiredPageCountMaximum * 3 / 2)
    _ = log.snapshot()
    // One key of every page.
    for number in stride(from: 0, to: keyCount, by: 16) { try Self.put(number, log) }
    let sealedCount = log.pipeline.sealed.count
    #expect(sealedCount == 0)
    let deepest = 8 * PublicationLag.recordCountMaximum
    let bound = PublicationLag.retiredPageCountMaximum + deepest
    let retiredCount = log.pipeline.table.retiredPageCount
    #expect(retiredCount < bound)
    // 256 free pages are kept for use.
    let allocatedCount = log.pipeline.table.allocatedPageCount
    #expect(allocatedCount < pageCount + bound + 512)
  }

  private static func put(_ number: Int, _ log: Log) throws {
    try log.put(
      TestLog.key(number), in: TestLog.people, schemaVersion: 0, payload: TestLog.payload(number))
  }

  /// More than a page of the memory table holds.
  private static let keyCount = 200

  /// What a writer tells its readers.
  private final class Progress: Sendable {
    let acknowledged = Atomic<UInt64>(0)
    let isOver = Atomic(false)
  }

  @Test("P5: threads that look see what others acknowledged before, in order", arguments: 1...4)
  func threadsSeeWhatWasAcknowledged(readerCount: Int) throws {
    let log = try TestLog.open(InMemoryFileSystem(), durability: .process)
    try TestLog.put(0..<Self.keyCount, log)
    let progress = Progress()
    let failures = Threads.run(readerCount + 1) { number in
      if number > 0 { return try Self.look(at: log, until: progress) }
      defer { progress.isOver.store(true, ordering: .relaxed) }
      for step in 0..<4000 {
        let sequence = try log.put(
          TestLog.key(step % Self.keyCount), in: TestLog.people, schemaVersion: 0,
          payload: TestLog.payload(step), durability: step % 500 == 0 ? .full : .process)
        progress.acknowledged.store(sequence.rawValue, ordering: .releasing)
      }
    }
    #expect(failures == [])
  }

  private static func look(at log: Log, until progress: Progress) throws {
    var last: UInt64 = 0
    // At least once, however late the thread begins.
    repeat {
      let before = progress.acknowledged.load(ordering: .acquiring)
      let snapshot = log.snapshot()
      let seen = snapshot.lastSequence.rawValue
      guard seen >= max(before, last) else {
        throw CaseFailure("\(seen) is seen after \(before) was acknowledged and \(last) seen")
      }
      last = seen
      // The first records are the batch's; those of the steps follow.
      let step = Int(seen) - keyCount - 1
      guard step >= 0 else { continue }
      let record = try snapshot.record(for: TestLog.key(step % keyCount), in: TestLog.people)
      guard record?.payload == TestLog.payload(step) else {
        throw CaseFailure("the record \(seen) is not in the snapshot that ends with it")
      }
    } while !progress.isOver.load(ordering: .relaxed)
  }
}
