import FileIO
import ObjectStore
import StorageTestSupport
import Synchronization
import Testing

@testable import LogStoreCommands

@Suite("What a command shows is not synchronized for it")
struct InspectionTests {
  private final class Counter: Sendable {
    let count = Mutex(0)
  }

  private func synchronizations(
    _ body: (any FileSystem) throws -> StoreSummary
  ) throws -> (count: Int, objectCount: UInt64) {
    let counter = Counter()
    let observed = ObservedFileSystem(POSIXFileSystem()) { call in
      if call == .synchronize { counter.count.withLock { $0 += 1 } }
    }
    let summary = try body(observed)
    return (counter.count.withLock { $0 }, summary.statistics.objectCount)
  }

  @Test("Beside a writer, only who decides by a summary synchronizes what it shows")
  func summaries() throws {
    let bench = try CommandBench()
    bench.makeReadings(count: 1)
    var configuration = StoreConfiguration()
    configuration.log.durability = .process
    configuration.compaction = .off
    let writer = try Store.open(at: bench.store, configuration: configuration)
    defer { try? writer.close() }
    try writer.write { try $0.put([100, "new"], ofType: "Reading") }
    let shown = try synchronizations { files in
      try Store.info(at: bench.store, configuration: .inspection, fileSystem: files)
    }
    #expect(shown == (0, 2))
    let decided = try synchronizations { try Store.info(at: bench.store, fileSystem: $0) }
    #expect(decided.count > 0)
    #expect(decided.objectCount == 2)
    for line in ["stats STORE", "schema explain STORE"] {
      #expect(bench.run(line).status == 0, "\(line)")
    }
  }
}
