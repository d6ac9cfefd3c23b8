import FileIO
import ObjectStore
import StorageTestSupport
import Testing

@Suite("What a compaction does not finish leaves nothing")
struct CancelledCompactionTests {
  @Test("A step that is cancelled after some of its writes leaves the store as it was")
  func cancelling() throws {
    let tests = AutomaticCompactionTests()
    let interruption = Lock<(@Sendable () -> Void)?>(nil)
    let writeCount = Lock(0)
    let observed = ObservedFileSystem(tests.fileSystem) { call throws(FileIOError) in
      guard call == .write, let interrupt = interruption.withLock({ $0 }) else { return }
      writeCount.withLock { $0 += 1 }
      interrupt()
    }
    let store = try tests.open(on: observed) {
      $0.log.segmentByteCountMinimum = 1 << 20
      $0.log.segmentByteCountMaximum = 1 << 20
    }
    for _ in 0..<2 { try tests.put(0..<8000, in: store) }
    let before = try tests.fileSystem.filesByName(in: "/store")
    let compaction = store.compaction
    interruption.withLock { $0 = { compaction.cancel() } }
    #expect(!compaction.step())
    interruption.withLock { $0 = nil }
    #expect(writeCount.withLock { $0 } > 0)
    #expect(compaction.statistics.cancelledCount == 1 && compaction.statistics.stepCount == 0)
    #expect(try tests.fileSystem.filesByName(in: "/store") == before)
    #expect(compaction.step())
    try store.close()
  }
}
