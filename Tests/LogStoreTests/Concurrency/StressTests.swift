import FileIO
import Foundation
import StorageTestSupport
import Testing

@testable import LogStore

/// Eight readers, four writers and two compactions in turn, for some seconds.
///
/// `LOGSTORE_STRESS_SECONDS=60 swift test --filter StressTests` goes on for longer.
@Suite(.serialized) struct StressTests {
  static let seconds =
    ProcessInfo.processInfo.environment["LOGSTORE_STRESS_SECONDS"].flatMap(Double.init) ?? 1.5

  @Test("P5: no reader sees a commit in part, out of order or late, in memory")
  func inMemory() throws { try Self.run(on: InMemoryFileSystem(), at: "/store") }

  @Test("P5: no reader sees a commit in part, out of order or late, on disk")
  func onDisk() throws {
    let directory = try TemporaryDirectory()
    try Self.run(on: POSIXFileSystem(), at: directory.path + "/store")
  }

  private static func run(on fileSystem: any FileSystem, at path: String) throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    var configuration = LogConfiguration()
    configuration.segmentByteCountMinimum = 32 << 10
    configuration.segmentByteCountMaximum = 32 << 10
    configuration.readMode = seed % 2 == 0 ? .mapped : .buffered
    let log = try Log.open(at: path, configuration: configuration, fileSystem: fileSystem)
    let workload = StressWorkload(log, end: .now + .seconds(seconds))
    let writers = StressWorkload.writerCount
    let failures = Threads.run(writers + 2 + 8) { number in
      let seed = seed &* 100 &+ UInt64(number)
      switch number {
      case 0..<writers: try workload.write(number, seed: seed)
      case writers..<(writers + 2): try workload.compact(seed: seed)
      default: try workload.read(seed: seed)
      }
    }
    #expect(failures == [], "seed \(seed)")
    let last = try StressWorkload.Observation(log.snapshot())
    #expect(last.ownNumbers == workload.committedCounts, "seed \(seed)")
    #expect(last.list.count == workload.appendedCount, "seed \(seed)")
    try log.close()
    let again = try Log.open(at: path, configuration: configuration, fileSystem: fileSystem)
    #expect(try StressWorkload.Observation(again.snapshot()) == last, "seed \(seed)")
    try again.close()
    let report = try LogVerifier.verify(path, fileSystem: fileSystem)
    #expect(report.isIntact && report.notes.isEmpty, "seed \(seed): \(report)")
  }
}
