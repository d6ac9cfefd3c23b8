import FileIO
import Foundation
import LogStore
import Testing

@testable import ObjectStore

@Suite("Opening a store that is being opened, closed or let go")
struct WaitingOpeningTests {
  private static let location = Store.Configuration.Location.memory("a")

  private static func openNew(_ stores: OpenStores) throws(StoreError) -> Store {
    let configuration = Store.Configuration(
      inMemoryIdentifier: "a", models: [SeedModels.Names.self])
    return try Store.open(
      configuration, path: "/store", fileSystem: stores.fileSystem("a"))
  }

  /// Returns when somebody waits for a store to be opened or closed.
  private static func waitUntilAwaited(
    _ stores: OpenStores, _ location: Store.Configuration.Location = location
  ) {
    while stores.waitingCount(at: location) == 0 { usleep(1000) }
  }

  @Test("R11: what an opening waits for is refused, also when it waits for the opening already")
  func beforeItIsKnown() throws {
    let stores = OpenStores()
    let refusal = Lock<StoreError?>(nil)
    let store = try stores.store(at: Self.location, .any) { () throws(StoreError) in
      // Nobody is told of what is opened so.
      let store = try Store.open(at: "/store", fileSystem: stores.fileSystem("a"))
      let done = DispatchSemaphore(value: 0)
      let isHandedOver = store.compaction.worker.submit {
        do throws(StoreError) {
          _ = try stores.store(at: Self.location, .any) { () throws(StoreError) in
            throw .log(.closed)
          }
        } catch {
          refusal.withLock { $0 = error }
        }
        done.signal()
      }
      #expect(isHandedOver)
      Self.waitUntilAwaited(stores)
      OpenStores.noteOpened(store)
      #expect(done.wait(timeout: .now() + 120) == .success, "they wait for each other")
      return store
    }
    #expect(refusal.withLock { $0 } == .openedByItsOwnMigration(path: "a, in memory"))
    try store.close()
  }

  /// A clock that stands still, and counts how often it is asked.
  private final class Clock: Sendable {
    private let state = Lock((now: ContinuousClock.now, count: 0))
    var count: Int { state.withLock { $0.count } }

    func advance(_ duration: Duration) { state.withLock { $0.now += duration } }
    func now() -> ContinuousClock.Instant {
      state.withLock { state in
        state.count += 1
        return state.now
      }
    }
  }

  /// Lets a store go that cannot end before `mayEnd`; returns what can be known of it.
  private static func letGo(
    _ stores: OpenStores, _ mayEnd: DispatchSemaphore, _ done: DispatchGroup
  ) throws -> StoreTrace {
    let held = Lock<Store?>(nil)
    let trace: StoreTrace
    weak var compaction: AutomaticCompaction?
    do {
      let store = try stores.store(at: location, .any) { () throws(StoreError) in
        try openNew(stores)
      }
      let isHeldUp = store.compaction.worker.submit { mayEnd.wait() }
      #expect(isHeldUp)
      (trace, compaction) = (StoreTrace(store), store.compaction)
      held.withLock { $0 = store }
    }
    run(done) { _ = held.withLock { $0.take() } }
    while let compaction, compaction.statistics.activity != .stopped { usleep(1000) }
    return trace
  }

  private static func run(_ done: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
    done.enter()
    Thread {
      body()
      done.leave()
    }.start()
  }

  @Test("R11: how long a store that is let go is waited for counts from when it is found so")
  func patience() throws {
    let clock = Clock()
    let stores = OpenStores { clock.now() }
    let (mayEnd, mayFail) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isOpening = DispatchSemaphore(value: 0)
    let done = DispatchGroup()
    let trace = try Self.letGo(stores, mayEnd, done)
    // Once it is found so, that is a minute too long for the first one.
    Self.run(done) {
      _ = try? stores.store(at: Self.location, .any) { () throws(StoreError) in
        isOpening.signal()
        mayFail.wait()
        throw .log(.closed)
      }
    }
    while clock.count < 2 { usleep(1000) }
    clock.advance(.seconds(61))
    isOpening.wait()
    let hadEnded = Lock<Bool?>(nil)
    Self.run(done) {
      _ = try? stores.store(at: Self.location, .any) { () throws(StoreError) in
        hadEnded.withLock { $0 = trace.hasEnded }
        throw .log(.closed)
      }
    }
    Self.waitUntilAwaited(stores)
    clock.advance(.seconds(61))
    let count = clock.count
    mayFail.signal()
    while clock.count < count + 4, hadEnded.withLock({ $0 }) == nil { usleep(1000) }
    mayEnd.signal()
    #expect(done.wait(timeout: .now() + 120) == .success)
    #expect(hadEnded.withLock { $0 } == true)
  }

  /// Does something once when a store is closed.
  private final class Observer: StoreObserver {
    private let body = Lock<(@Sendable () -> Void)?>(nil)

    func set(_ body: @escaping @Sendable () -> Void) { self.body.withLock { $0 = body } }

    func observe(_ event: StoreEvent) {
      guard case .closed = event else { return }
      body.withLock { $0.take() }?()
    }
  }

  @Test("R11: what lived in memory is gone for who waits until it is closed")
  func memoryOfClosed() throws {
    let identifier = "waiting-\(UUID())"
    let observer = Observer()
    var observed = Store.Configuration(
      inMemoryIdentifier: identifier, models: [SeedModels.Names.self])
    observed.settings.log.observer = observer
    let configuration = observed
    let store = try Store(configuration: configuration)
    try store.write { try $0.put(SeedModels.Names(id: 1)) }
    let isClosing = DispatchSemaphore(value: 0)
    observer.set {
      isClosing.signal()
      Self.waitUntilAwaited(.shared, .memory(identifier))
    }
    let (done, found) = (DispatchGroup(), Lock<Bool?>(nil))
    Self.run(done) {
      isClosing.wait()
      guard let next = try? Store(configuration: configuration) else { return }
      let object = try? next.snapshot().get(SeedModels.Names.self, 1)
      found.withLock { $0 = object != nil }
      try? next.close()
    }
    try store.close()
    #expect(done.wait(timeout: .now() + 120) == .success)
    #expect(found.withLock { $0 } == false)
  }
}
