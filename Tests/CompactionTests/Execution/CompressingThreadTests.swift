import FileIO
import LogStore
import StorageTestSupport
import Synchronization
import Testing

@testable import Compaction

/// A rewrite without threads compresses each record at once: it is the simple version, with which
/// those with threads are compared.
@Suite("Threads that compress change nothing of what a compaction writes")
struct CompressingThreadTests {
  typealias Base = DictionaryCompactionTests

  /// Records that compress and some that do not, some of several portions' size, in segments that
  /// hold dead ones and tombstones too.
  static func fill(_ log: Log, seed: UInt64) throws {
    let random = SeededRandomSource(seed: seed)
    for round in 0..<3 {
      for start in stride(from: 0, to: 6000, by: 300) {
        let batch = log.makeBatch()
        for number in start..<(start + 300) where round == 0 || random.next() % 3 == 0 {
          let key = Base.key(number)
          switch random.next() % 40 {
          case 0: try batch.delete(key, in: Base.people)
          case 1:
            let noise = (0..<200).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            try batch.put(key, in: Base.people, schemaVersion: 0, payload: noise)
          case 2 where number % 1000 < 30:
            let large = [[UInt8]](repeating: Base.payload(number), count: 8000)
            try batch.put(key, in: Base.people, schemaVersion: 0, payload: large.flatMap { $0 })
          default:
            try batch.put(
              key, in: Base.people, schemaVersion: UInt64(round > 0 ? 1 : 0),
              payload: Base.payload(number) + [UInt8]("round \(round)".utf8))
          }
        }
        try log.commit(batch, durability: .process)
      }
    }
  }

  static func compacted(
    threadCount: Int, seed: UInt64, _ compression: LogConfiguration.Compression,
    _ effort: CompressionEffort
  ) throws -> [String: [UInt8]] {
    let fileSystem = SimulatedFileSystem()
    let log = try Base.open(fileSystem, segmentByteCount: 512 << 10, compression: compression)
    try fill(log, seed: seed)
    let upgrader = Base.AddingUpgrader(failsFor: { $0 % 50 == 7 }, drops: { $0 % 90 == 5 })
    let compactor = Compactor(
      log, upgrader: upgrader, effort: effort, threadCount: threadCount)
    let report = try compactor.run()
    #expect(report.upgradedCount > 1000 && report.droppedCount > 10 && report.failedCount > 10)
    let failed = report.failures.map { "\($0.error)" }
    #expect(UInt64(failed.count) == report.failedCount && failed.first != failed.last)
    // What rewrites compressed is carried over as it is, beside fresh records.
    try fill(log, seed: seed + 1)
    try compactor.run()
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
    return fileSystem.snapshotOfFiles(in: "/store")
  }

  @Test(
    "With any number of threads the files are the same, to the bit",
    arguments: [LogConfiguration.Compression.automatic, .always, .none],
    [CompressionEffort.quick, .thorough])
  func sameBytes(
    compression: LogConfiguration.Compression, effort: CompressionEffort
  ) throws {
    let seed: UInt64 = 20_261_121
    let expected = try Self.compacted(threadCount: 0, seed: seed, compression, effort)
    #expect(expected.values.reduce(0) { $0 + $1.count } > 256 << 10)
    for threadCount in [1, 3] {
      let found = try Self.compacted(
        threadCount: threadCount, seed: seed, compression, effort)
      let differing = Set(expected.keys).union(found.keys).filter { expected[$0] != found[$0] }
      #expect(differing.sorted() == [], "\(threadCount) threads, seed \(seed)")
    }
  }

  @Test("What stays as it is gets to the outputs by itself as it does in portions")
  func keptDirectly() throws {
    func files(_ carry: (SegmentRewrite) throws -> Void) throws -> [String: [UInt8]] {
      let fileSystem = SimulatedFileSystem()
      let log = try Base.open(fileSystem, segmentByteCount: 64 << 10, compression: .none)
      try Self.fill(log, seed: 3)
      try log.sealActiveSegment()
      let inputs = Set(try log.statistics().segments.map(\.identifier))
      let rewrite = try log.beginRewrite(of: inputs, effort: .quick)
      try carry(rewrite)
      try rewrite.publish()
      try log.close()
      return fileSystem.snapshotOfFiles(in: "/store")
    }
    let expected = try files { rewrite in
      while let record = try rewrite.next() { try rewrite.keep(record) }
    }
    #expect(expected.count > 4)
    #expect(try files { rewrite in while try rewrite.carryOver(atMost: 1000) {} } == expected)
  }

  /// One for each thread that asks, which counts how many were made and notices two threads in one.
  final class CountedUpgrader: RecordUpgrader, @unchecked Sendable {
    // Sendable: that one thread at a time uses it is what is tested; the rest is atomic.
    final class Counts: Sendable {
      let made = Atomic(0)
      let upgradedByOriginal = Atomic(0)
      let upgradedByOthers = Atomic(0)
      let meetings = Atomic(0)
    }

    let counts: Counts
    let isOriginal: Bool
    let users = Atomic(0)

    init(_ counts: Counts, isOriginal: Bool = true) {
      self.counts = counts
      self.isOriginal = isOriginal
    }

    func forAnotherThread() -> any RecordUpgrader {
      counts.made.add(1, ordering: .relaxed)
      return CountedUpgrader(counts, isOriginal: false)
    }

    func isStale(_ version: CollectionVersion) -> Bool { version.schemaVersion == 0 }

    func upgrade(_ record: StaleRecord, to payload: inout ByteWriter) -> UpgradeOutcome {
      if users.add(1, ordering: .relaxed).newValue > 1 {
        counts.meetings.add(1, ordering: .relaxed)
      }
      if isOriginal {
        counts.upgradedByOriginal.add(1, ordering: .relaxed)
      } else {
        counts.upgradedByOthers.add(1, ordering: .relaxed)
      }
      payload.writeBytes(record.payload)
      payload.writeBytes([UInt8]("; upgraded".utf8))
      users.subtract(1, ordering: .relaxed)
      return .upgraded(schemaVersion: 1)
    }
  }

  @Test("Each thread upgrades with an upgrader of its own, the caller with the one it was given")
  func upgraderOfItsOwn() throws {
    for threadCount in [0, 3] {
      let log = try Base.open(SimulatedFileSystem(), segmentByteCount: 512 << 10)
      try Self.fill(log, seed: 11)
      let counts = CountedUpgrader.Counts()
      var stepCount = 0
      let report = try Compactor(
        log, upgrader: CountedUpgrader(counts), threadCount: threadCount
      ).run { progress in
        stepCount = progress.stepCountTotal
        return true
      }
      let original = counts.upgradedByOriginal.load(ordering: .relaxed)
      let others = counts.upgradedByOthers.load(ordering: .relaxed)
      #expect(UInt64(original + others) >= report.upgradedCount && report.upgradedCount > 1000)
      #expect(counts.meetings.load(ordering: .relaxed) == 0)
      if threadCount == 0 {
        #expect(others == 0 && counts.made.load(ordering: .relaxed) == 0)
      } else {
        // One for each thread that had something to do, and step; some steps are done in parts.
        let made = counts.made.load(ordering: .relaxed)
        #expect(others > 0 && (1...(2 * threadCount * stepCount)).contains(made))
      }
      try log.close()
    }
  }

  @Test("P1: a disk that fails while records are with other threads costs none of them")
  func failingWrites() throws {
    let files = SimulatedFileSystem()
    let log = try Base.open(files, segmentByteCount: 512 << 10)
    try Self.fill(log, seed: 7)
    let expected = try Base.contents(log)
    try log.close()
    let start = files.snapshotOfFiles(in: "/store")
    var failures: [String] = []
    var failedCount = 0
    for operation in stride(from: 1, through: 60, by: 3) {
      let fileSystem = SimulatedFileSystem(files: start, in: "/store")
      do {
        let log = try Base.open(fileSystem, segmentByteCount: 512 << 10)
        fileSystem.setFaults([
          FaultPlan(
            operation: fileSystem.operationCount + operation, .fail(.noSpace), isPermanent: true)
        ])
        do { try Compactor(log, threadCount: 2).run() } catch { failedCount += 1 }
        try? log.close()
        let after = fileSystem.pristineCopy()
        let found = try Base.contents(try Base.open(after, segmentByteCount: 512 << 10))
        if found.count != expected.count || expected.contains(where: { found[$0]?.1 != $1.1 }) {
          failures.append("\(operation): \(found.count) records of \(expected.count)")
        }
      } catch { failures.append("\(operation): \(error)") }
    }
    #expect(failures == [])
    #expect(failedCount > 10)
  }
}
