import FileIO
import Foundation
import LogStore
import StorageTestSupport
import Testing

@testable import ObjectStore

@Suite("Opening a store in code that its opening, or its end, waits for")
struct OpeningInsideTests {
  /// What code of the application does once it runs.
  private final class Hook: Sendable {
    struct State {
      weak var compaction: AutomaticCompaction?
      var configuration: Store.Configuration?
      var error: StoreError?
    }

    let state = Lock(State())
    let isInside = DispatchSemaphore(value: 0)
    let done = DispatchGroup()
    var error: StoreError? { state.withLock { $0.error } }

    func set(_ store: Store, _ configuration: Store.Configuration) {
      done.enter()
      state.withLock { state in
        state.compaction = store.compaction
        state.configuration = configuration
      }
    }

    /// Waits until the store ends, and opens it then; once.
    func run() {
      let (compaction, configuration) = state.withLock { state in
        defer { state.configuration = nil }
        return (state.compaction, state.configuration)
      }
      guard let compaction, let configuration else { return }
      isInside.signal()
      while compaction.statistics.activity != .stopped { usleep(1000) }
      do throws(StoreError) { _ = try Store(configuration: configuration) } catch {
        state.withLock { $0.error = error }
      }
      done.leave()
    }

    /// Calls `end` on a thread of its own when code runs; whether both return.
    func bothReturn(_ end: @escaping @Sendable () -> Void) async -> Bool {
      done.enter()
      let hasBegun = DispatchSemaphore(value: 0)
      Thread { [self] in
        isInside.wait()
        hasBegun.signal()
        end()
        done.leave()
      }.start()
      // No thread of the pool waits: what is waited for may need one.
      return await withCheckedContinuation { continuation in
        Thread { [self] in
          // A task may begin long after it was made.
          hasBegun.wait()
          continuation.resume(returning: done.wait(timeout: .now() + 120) == .success)
        }.start()
      }
    }
  }

  @Test(
    "R11: inside of a write a store that is being closed is refused, not waited for",
    arguments: [false, true])
  func insideWrite(isAsync: Bool) async throws {
    let configuration = Store.Configuration(
      inMemoryIdentifier: "inside-\(UUID())", models: [SeedModels.Names.self])
    let store = try Store(configuration: configuration)
    let hook = Hook()
    hook.set(store, configuration)
    let body = { @Sendable (transaction: StoreTransaction) throws -> Void in
      hook.run()
      try transaction.put(SeedModels.Names(id: 1))
    }
    if isAsync {
      Task { try await store.write(body) }
    } else {
      Thread { try? store.write(body) }.start()
    }
    #expect(await hook.bothReturn { try? store.close() }, "they wait for each other")
    #expect(hook.error == .log(.closed))
    try Store(configuration: configuration).close()
  }

  /// Does something once when it is told of a synchronization, and runs `hook`.
  private final class Observer: StoreObserver {
    private let hook: Hook
    private let body = Lock<(@Sendable () -> Void)?>(nil)

    init(_ hook: Hook) { self.hook = hook }

    func set(_ body: @escaping @Sendable () -> Void) { self.body.withLock { $0 = body } }

    func observe(_ event: StoreEvent) {
      guard case .synchronized = event else { return }
      body.withLock { $0.take() }?()
      hook.run()
    }
  }

  private static func put(_ id: Int, _ store: Store) throws {
    try store.write(durability: .full) { try $0.put(SeedModels.Names(id: id)) }
  }

  @Test("R11: who is told of a synchronization is refused a store that is being closed")
  func insideSynchronization() async throws {
    let hook = Hook()
    var observed = Store.Configuration(
      inMemoryIdentifier: "inside-\(UUID())", models: [SeedModels.Names.self])
    let observer = Observer(hook)
    observed.settings.log.observer = observer
    let configuration = observed
    let store = try Store(configuration: configuration)
    // The first one synchronizes under the writer's lock, as a segment begins.
    try Self.put(1, store)
    hook.set(store, configuration)
    // As a step that waits for the next synchronization, which the end of the store waits for.
    observer.set { _ = store.compaction.worker.submit { try? Self.put(3, store) } }
    Thread { try? Self.put(2, store) }.start()
    #expect(await hook.bothReturn { try? store.close() }, "they wait for each other")
    #expect(hook.error == .log(.closed))
    try Store(configuration: configuration).close()
  }

  /// A store with an older object, which a step of compaction upgrades; that runs `hook`.
  private func prepared(_ directory: TemporaryDirectory, _ hook: Hook) throws -> Store {
    func configuration(_ model: any StorableObject.Type, _ version: UInt64) -> Store.Configuration {
      Store.Configuration(
        path: directory.path + "/s", models: [model], schemaVersion: version,
        migrationBlock: { migration, _ in
          migration.enumerateObjects(ofType: "Person") { _, new in
            hook.run()
            new?["fullName"] = "a b"
          }
        })
    }
    var first = configuration(SeedModels.Names.self, 0)
    first.compaction = .off
    let before = try Store(configuration: first)
    try before.write { try $0.put(SeedModels.Names(id: 1)) }
    try before.close()
    var second = configuration(SeedModels.FullName.self, 1)
    second.compaction.pace = .unlimited
    let store = try Store(configuration: second)
    hook.set(store, second)
    store.compaction.schedule()
    return store
  }

  @Test("P19, R11: code that a step of compaction runs is refused a store that is being closed")
  func insideStepOfClosing() async throws {
    let directory = try TemporaryDirectory()
    let hook = Hook()
    let store = try prepared(directory, hook)
    #expect(await hook.bothReturn { try? store.close() }, "they wait for each other")
    #expect(hook.error == .log(.closed))
  }

  @Test("P19, R11: code that a step of compaction runs is refused a store that is being let go")
  func insideStepOfLettingGo() async throws {
    let directory = try TemporaryDirectory()
    let hook = Hook()
    let held = Lock<Store?>(try prepared(directory, hook))
    #expect(await hook.bothReturn { _ = held.withLock { $0.take() } }, "they wait for each other")
    #expect(hook.error == .log(.closed))
  }

  private static func fill(_ configuration: Store.Configuration) throws {
    let store = try Store(configuration: configuration)
    try store.write { transaction in
      for id in 0..<2000 { try transaction.put(SeedModels.Names(id: id)) }
    }
    try store.close()
  }

  @Test("R11: threads that upgrade for a compaction at launch are refused the store, too")
  func insideLaunch() async throws {
    let directory = try TemporaryDirectory()
    let current = Lock<Store.Configuration?>(nil)
    let refusals = Lock<[StoreError]>([])
    var first = Store.Configuration(
      path: directory.path + "/s", models: [SeedModels.Names.self])
    first.compaction = .off
    try Self.fill(first)
    let second = try Store.Configuration(
      path: directory.path + "/s", models: [SeedModels.FullName.self], schemaVersion: 1,
      migrationBlock: { migration, _ in
        migration.enumerateObjects(ofType: "Person") { _, new in
          if let configuration = current.withLock({ $0 }) {
            do throws(StoreError) { _ = try Store(configuration: configuration) } catch {
              refusals.withLock { $0.append(error) }
            }
          }
          new?["fullName"] = "a b"
        }
      }, shouldCompactOnLaunch: { _, _ in true })
    current.withLock { $0 = second }
    let hook = Hook()
    hook.isInside.signal()
    let opened = Lock<Store?>(nil)
    let returns = await hook.bothReturn {
      let store = try? Store(configuration: second)
      opened.withLock { $0 = store }
    }
    #expect(returns, "they wait for each other")
    let found = refusals.withLock { $0 }
    #expect(found.count >= 2000)
    #expect(found.allSatisfy { $0 == .openedByItsOwnMigration(path: directory.path + "/s") })
    try #require(opened.withLock { $0 }).close()
  }

  @Test("R11: what an opening waits for is refused the store that is being opened")
  func insideOpening() throws {
    let stores = OpenStores()
    let configuration = Store.Configuration(
      inMemoryIdentifier: "a", models: [SeedModels.Names.self])
    let open = { @Sendable (code: (Store) -> Void) throws(StoreError) -> Store in
      try stores.store(at: .memory("a"), .any) { () throws(StoreError) in
        let store = try Store.open(
          configuration, path: "/store", fileSystem: stores.fileSystem("a"))
        code(store)
        return store
      }
    }
    let refusal = Lock<StoreError?>(nil)
    let store = try open { store in
      let done = DispatchSemaphore(value: 0)
      let isHandedOver = store.compaction.worker.submit {
        do throws(StoreError) { _ = try open { _ in } } catch {
          refusal.withLock { $0 = error }
        }
        done.signal()
      }
      #expect(isHandedOver)
      #expect(done.wait(timeout: .now() + 120) == .success, "they wait for each other")
    }
    #expect(refusal.withLock { $0 } == .openedByItsOwnMigration(path: "a, in memory"))
    try store.close()
  }

  @Test("Stores that were let go leave nothing behind in the list of open ones")
  func forgetting() throws {
    let stores = OpenStores()
    var kept: [Store] = []
    for number in 0..<40 {
      let name = "\(number)"
      var configuration = Store.Configuration(
        inMemoryIdentifier: name, models: [SeedModels.Names.self])
      configuration.compaction = .off
      let fixed = configuration
      let store = try stores.store(at: .memory(name), .any) { () throws(StoreError) in
        try Store.open(fixed, path: "/store", fileSystem: stores.fileSystem(name))
      }
      if number < 2 { kept.append(store) }
    }
    // The last one is forgotten when another is opened.
    #expect(stores.knownCount == 3)
    #expect(stores.fileSystemCount <= 3)
    for (number, store) in kept.enumerated() {
      let again = try stores.store(at: .memory("\(number)"), .any) { () throws(StoreError) in
        throw .copyFailed(path: "", reason: "it is open")
      }
      #expect(again.log === store.log)
    }
  }
}

extension OpenStores.Settings {
  static var any: Self {
    Self(
      schemaVersion: 0, evolution: nil, isReadOnly: false, admitsWriters: true, durability: .full,
      compaction: "", migrationTiming: nil, migrationRevision: nil, settings: [:], models: [])
  }
}
