import FileIO
import Foundation
import LogStore
import StorageTestSupport
import Testing

@testable import ObjectStore

@Suite("Code of the application that a step of compaction runs may be the last to have the store")
struct LetGoInStepTests {
  /// What code for older objects does with the store, the first time that it runs.
  final class Hook: Sendable {
    private struct State {
      weak var store: Store?
      var hasRun = false
    }

    private let state = Lock(State())
    private let body: @Sendable (Store) -> Void

    init(_ body: @escaping @Sendable (Store) -> Void) { self.body = body }

    func set(_ store: Store) { state.withLock { $0.store = store } }

    func run() {
      let store = state.withLock { state in
        defer { if state.store != nil { state.hasRun = true } }
        return state.hasRun ? nil : state.store
      }
      if let store { body(store) }
    }
  }

  private static func open(
    _ fileSystem: any FileSystem, _ mode: CompactionConfiguration.Mode,
    _ history: SchemaHistory = AutomaticCompactionTests.first
  ) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.log.diskReserveByteCountMaximum = 0
    configuration.compaction.mode = mode
    configuration.compaction.pace = .unlimited
    return try Store.open(
      at: "/store", history: history, configuration: configuration, fileSystem: fileSystem)
  }

  /// A store with an older object, which a step would upgrade.
  static func prepared(
    _ fileSystem: any FileSystem, _ mode: CompactionConfiguration.Mode, _ hook: Hook
  ) throws -> Store {
    var store = try open(fileSystem, .off)
    try store.write { transaction in
      try transaction.put(transaction.makeObject(ofType: "Note", ["id": .int(1), "text": "a"]))
    }
    try store.close()
    store = try open(
      fileSystem, mode,
      SchemaHistory {
        AutomaticCompactionTests.base
        Version(1) {
          On("Note") {
            Convert("text", to: .string) { (text: String) throws(CaseFailure) in
              hook.run()
              return text
            }
          }
        }
      })
    hook.set(store)
    return store
  }

  /// Whether nobody has the store any more, before long.
  private static func isFree(_ fileSystem: any FileSystem) throws -> Bool {
    for _ in 0..<4000 {
      do throws(LogError) {
        try Log.open(at: "/store", fileSystem: fileSystem).close()
        return true
      } catch {
        guard case .storeIsInUse = error else { throw error }
      }
      usleep(5000)
    }
    return false
  }

  @Test("P19: the thread of a compaction that lets the store go last does not wait for itself")
  func ownThread() throws {
    let fileSystem = InMemoryFileSystem()
    let isInside = DispatchSemaphore(value: 0)
    let isLetGo = DispatchSemaphore(value: 0)
    let hook = Hook { store in
      isInside.signal()
      isLetGo.wait()
      withExtendedLifetime(store) {}
    }
    var store: Store? = try Self.prepared(fileSystem, .automatic, hook)
    let progress = store?.compaction.progress
    store?.compaction.schedule()
    #expect(isInside.wait(timeout: .now() + 120) == .success, "it has nothing to do")
    store = nil
    isLetGo.signal()
    #expect(try Self.isFree(fileSystem), "it waits for itself")
    withExtendedLifetime(progress) {}
  }

  @Test("P19: a step that somebody has carried out lets the store go, too")
  func callersThread() throws {
    let fileSystem = InMemoryFileSystem()
    let held = Lock<Store?>(nil)
    let hook = Hook { _ in held.withLock { $0 = nil } }
    var compaction: AutomaticCompaction?
    do {
      let store = try Self.prepared(fileSystem, .manual, hook)
      compaction = store.compaction
      held.withLock { $0 = store }
    }
    compaction?.step()
    #expect(held.withLock { $0 } == nil)
    #expect(compaction?.statistics.activity == .stopped)
    compaction = nil
    #expect(try Self.isFree(fileSystem))
  }

  @Test("What waits for the end of a step is a programmer error in code that the step runs")
  func waitingTraps() async {
    let closing = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let hook = LetGoInStepTests.Hook { store in try? store.close() }
      let store = try LetGoInStepTests.prepared(InMemoryFileSystem(), .manual, hook)
      store.compaction.step()
    }
    Self.check(closing, "closing the store must not begin inside a step")
    let compacting = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let hook = LetGoInStepTests.Hook { store in _ = try? store.compact() }
      let store = try LetGoInStepTests.prepared(InMemoryFileSystem(), .manual, hook)
      store.compaction.step()
    }
    Self.check(compacting, "a compaction must not begin inside a step")
  }

  @Test("A step that somebody asks for in the body of a write is a programmer error, by its name")
  func stepInWriteTraps() async {
    let stepping = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let hook = LetGoInStepTests.Hook { _ in }
      let store = try LetGoInStepTests.prepared(InMemoryFileSystem(), .manual, hook)
      try store.writeNow { _ in store.compaction.step() }
    }
    Self.check(stepping, "a step of compaction must not begin inside a transaction")
  }

  private static func check(_ result: ExitTest.Result?, _ sentence: String) {
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains(sentence), "\(text)")
  }
}
