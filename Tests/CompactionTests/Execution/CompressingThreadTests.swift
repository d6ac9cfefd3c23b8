import FileIO
import LogStore
import StorageTestSupport
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
