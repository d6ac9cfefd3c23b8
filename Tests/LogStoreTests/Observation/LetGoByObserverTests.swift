import FileIO
import Foundation
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("An observer that is told of a merge may be the last to have the log")
struct LetGoByObserverTests {
  /// Keeps the log while it is told of a merge by the thread that merges, once, and does something
  /// with it.
  final class Observer: StoreObserver {
    private struct State {
      weak var log: Log?
      /// Whether it keeps the log the next time.
      var isReady = false
      var hasRun = false
    }

    private let state = Lock(State())
    private let body: @Sendable (Log) -> Void

    init(_ body: @escaping @Sendable (Log) -> Void) { self.body = body }

    func set(_ log: Log) { state.withLock { $0.log = log } }

    /// Has it keep the log the next time, or not; whether it has.
    func prepare(_ isReady: Bool) -> Bool {
      state.withLock { state in
        state.isReady = isReady
        return state.hasRun
      }
    }

    func observe(_ event: StoreEvent) {
      guard case .synchronized = event, let log = state.withLock({ $0.log }),
        log.pipeline.maintenance.isOwnThread
      else { return }
      let isFirst = state.withLock { state in
        defer { if state.isReady { state.hasRun = true } }
        return state.isReady && !state.hasRun
      }
      if isFirst { body(log) }
    }
  }

  static func open(
    _ fileSystem: any FileSystem, _ observer: Observer? = nil
  ) throws(LogError) -> Log {
    var configuration = TestLog.configuration
    configuration.segmentByteCountMinimum = 1 << 10
    configuration.segmentByteCountMaximum = 1 << 10
    configuration.durability = .process
    configuration.maintenance = .background
    configuration.observer = observer
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    observer?.set(log)
    return log
  }

  /// Commits until a thread of the log's own merges, and the observer was told of that.
  static func fill(_ log: Log, _ observer: Observer, _ isInside: DispatchSemaphore) throws {
    for round in 0..<50 {
      for start in stride(from: 0, to: 300, by: 10) {
        try TestLog.put((1000 * round + start)..<(1000 * round + start + 10), log)
      }
      try log.sealActiveSegment()
      // From now on nobody else needs the writer's lock, which who merges may have.
      _ = observer.prepare(true)
      if isInside.wait(timeout: .now() + 2) == .success { return }
      if observer.prepare(false) { return isInside.wait() }
    }
    throw CaseFailure("nothing was merged")
  }

  @Test("The thread that merges does not wait for itself when it is the one that lets the log go")
  func lettingGo() throws {
    let fileSystem = InMemoryFileSystem()
    let isInside = DispatchSemaphore(value: 0)
    let isLetGo = DispatchSemaphore(value: 0)
    let observer = Observer { log in
      isInside.signal()
      isLetGo.wait()
      withExtendedLifetime(log) {}
    }
    var log: Log? = try Self.open(fileSystem, observer)
    if let log { try Self.fill(log, observer, isInside) }
    log = nil
    isLetGo.signal()
    var isFree = false
    for _ in 0..<4000 where !isFree {
      do throws(LogError) {
        try Self.open(fileSystem).close()
        isFree = true
      } catch {
        guard case .storeIsInUse = error else { throw error }
        usleep(5000)
      }
    }
    #expect(isFree, "it waits for itself")
  }

  @Test("Closing the log where it tells of a merge is a programmer error")
  func closingTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let isInside = DispatchSemaphore(value: 0)
      let observer = LetGoByObserverTests.Observer { log in try? log.close() }
      let log = try LetGoByObserverTests.open(InMemoryFileSystem(), observer)
      try LetGoByObserverTests.fill(log, observer, isInside)
      isInside.wait()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("closing the log must not begin"), "\(text)")
  }
}
