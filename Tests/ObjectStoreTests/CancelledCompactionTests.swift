import FileIO
import ObjectStore
import StorageTestSupport
import Testing

@Suite("What a compaction does not finish leaves nothing")
struct CancelledCompactionTests {
  private let tests = AutomaticCompactionTests()

  @Test(
    "A step that is cancelled or paused after some of its writes leaves the store as it was",
    arguments: [true, false])
  func cancelling(isCancelled: Bool) throws {
    let interruption = Lock<(@Sendable () -> Void)?>(nil)
    let observed = ObservedFileSystem(tests.fileSystem) { call throws(FileIOError) in
      if call == .write { interruption.withLock { $0 }?() }
    }
    let store = try tests.open(on: observed)
    for _ in 0..<4 { try tests.put(0..<1000, in: store) }
    let before = try tests.fileSystem.filesByName(in: "/store")
    let compaction = store.compaction
    interruption.withLock { interruption in
      interruption = { if isCancelled { compaction.cancel() } else { compaction.pause() } }
    }
    _ = compaction.step()
    interruption.withLock { $0 = nil }
    #expect(compaction.statistics.cancelledCount == 1 && compaction.statistics.stepCount == 0)
    #expect(try tests.fileSystem.filesByName(in: "/store") == before)
    compaction.resume()
    #expect(compaction.step())
    try store.close()
  }
}
