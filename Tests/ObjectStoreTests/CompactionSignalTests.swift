import FileIO
import Foundation
import LogStore
import StorageTestSupport
import Testing

@testable import ObjectStore

@Suite("What tells a compaction that there may be work")
struct CompactionSignalTests {
  @Test("A store that is let go while its log tells of work is not ended by who works for the log")
  func letGo() throws {
    let fileSystem = InMemoryFileSystem()
    var configuration = StoreConfiguration.quiet
    configuration.compaction.mode = .automatic
    let signal = CompactionSignal()
    var store: Store? = try Store.open(
      at: "/store", history: AutomaticCompactionTests.first, configuration: configuration,
      fileSystem: fileSystem)
    signal.connect(try #require(store?.compaction))
    weak let log = store?.log
    var isHeld = false
    signal.send {
      store = nil
      isHeld = log != nil
    }
    #expect(isHeld)
    // Another thread lets it go, and with it the lock.
    for _ in 0..<2000 where log != nil { usleep(5000) }
    #expect(log == nil)
    try Store.open(
      at: "/store", history: AutomaticCompactionTests.first, configuration: configuration,
      fileSystem: fileSystem
    ).close()
  }
}
