import FileIO
import Foundation
import LogStore
import StorageTestSupport
import Testing

@testable import ObjectStore

@Suite("What tells a compaction that there may be work")
struct CompactionSignalTests {
  /// Holds up who lets it go, as the last that its log has.
  private final class Lingering: StoreObserver {
    let isGoing: DispatchSemaphore
    let mayGo: DispatchSemaphore

    init(_ isGoing: DispatchSemaphore, _ mayGo: DispatchSemaphore) {
      self.isGoing = isGoing
      self.mayGo = mayGo
    }

    func observe(_ event: StoreEvent) {}

    deinit {
      isGoing.signal()
      _ = mayGo.wait(timeout: .now() + 120)
    }
  }

  /// The observer that is made is the store's alone.
  private static func open(
    _ fileSystem: any FileSystem, _ makeObserver: () -> (any StoreObserver)? = { nil }
  ) throws -> (store: Store?, signal: CompactionSignal) {
    var configuration = StoreConfiguration.quiet
    configuration.compaction.mode = .automatic
    configuration.log.observer = makeObserver()
    let store = try Store.open(
      at: "/store", history: AutomaticCompactionTests.first, configuration: configuration,
      fileSystem: fileSystem)
    let signal = CompactionSignal()
    signal.connect(store.compaction)
    return (store, signal)
  }

  /// Lets a store go while its log tells of work.
  private static func letGoInSend(
    _ opened: inout (store: Store?, signal: CompactionSignal)
  ) throws -> StoreTrace {
    let made = opened.store.map { StoreTrace($0) }
    let trace = try #require(made)
    var isHeld = false
    let signal = opened.signal
    signal.send {
      opened.store = nil
      isHeld = !trace.hasEnded
    }
    #expect(isHeld)
    return trace
  }

  /// Whether the store gives its lock back before long.
  private static func ends(_ trace: StoreTrace) -> Bool {
    for _ in 0..<2000 where !trace.hasEnded { usleep(5000) }
    return trace.hasEnded
  }

  @Test("A store that is let go while its log tells of work is not ended by who works for the log")
  func letGo() throws {
    let fileSystem = InMemoryFileSystem()
    var opened = try Self.open(fileSystem)
    let trace = try Self.letGoInSend(&opened)
    // Another thread lets it go, and with it the lock.
    #expect(Self.ends(trace))
    try Self.open(fileSystem).store?.close()
  }

  @Test("A store that takes long to go holds up no other")
  func slowEnd() throws {
    let (isGoing, mayGo) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    defer { mayGo.signal() }
    var slow = try Self.open(InMemoryFileSystem()) { Lingering(isGoing, mayGo) }
    _ = try Self.letGoInSend(&slow)
    #expect(isGoing.wait(timeout: .now() + 120) == .success)
    var other = try Self.open(InMemoryFileSystem())
    let trace = try Self.letGoInSend(&other)
    #expect(Self.ends(trace))
  }
}
