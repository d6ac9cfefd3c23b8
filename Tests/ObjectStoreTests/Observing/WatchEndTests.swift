import FileIO
import Foundation
import StorageTestSupport
import Testing

@testable import ObjectStore

@Suite("Watching ends with its task, its loop or its store, and leaves nothing behind")
struct WatchEndTests {
  typealias Note = ChangeWatchTests.Note

  @Test("When the loop is left, or the sequence let go, nobody is told any more")
  func letGo() async throws {
    let store = try ChangeWatchTests.open()
    var watch: ObjectChangeSequence<Note>? = try store.changes(of: Note.self)
    #expect(watch != nil && store.reading.watches.count == 1)
    watch = nil
    #expect(store.reading.watches.count == 0)
    try store.writeNow { try $0.put(Note(id: 1)) }
    let loop = Task {
      for await _ in try store.changes(of: Note.self) { break }
      for try await _ in try store.values(watching: Note.self, query: { _ in 0 }) { break }
    }
    try await Self.until { store.reading.watches.count == 1 }
    try store.writeNow { try $0.put(Note(id: 2)) }
    try await loop.value
    #expect(store.reading.watches.count == 0 && store.reading.watches.begin() == nil)
    try store.close()
  }

  @Test("A task that is cancelled stops waiting")
  func cancelled() async throws {
    let store = try ChangeWatchTests.open()
    let loop = Task {
      var count = 0
      for await _ in try store.changes(of: Note.self) { count += 1 }
      for try await _ in try store.values(watching: Note.self, query: { _ in 0 }) { count += 1 }
      return count
    }
    try await Self.until { store.reading.watches.count == 1 }
    loop.cancel()
    #expect(try await loop.value == 0)
    #expect(store.reading.watches.count == 0)
    try store.close()
  }

  @Test("When a task is cancelled, the next that loops over the same sequence misses nothing")
  func nextTask() async throws {
    let store = try ChangeWatchTests.open()
    let watch = try store.changes(of: Note.self)
    for key in 1...3 {
      let cancelled = Task { await watch.first { _ in true } }
      cancelled.cancel()
      _ = await cancelled.value
      try store.writeNow { try $0.put(Note(id: key)) }
    }
    let next = Task { await watch.first { _ in true } }
    #expect(await next.value?.links == ChangeWatchTests.notes(1, 2, 3))
    // One that waits already is let go, too.
    let waiting = Task { await watch.first { _ in true } }
    try await Task.sleep(for: .milliseconds(5))
    waiting.cancel()
    #expect(await waiting.value == nil)
    try store.writeNow { try $0.put(Note(id: 4)) }
    #expect(await watch.first { _ in true }?.links == ChangeWatchTests.notes(4))
    try store.close()
  }

  @Test("Closing ends no watch as long as others may write")
  func writtenWhileClosing() throws {
    let looking = Lock<(@Sendable () -> Bool)?>(nil)
    let ended = Lock<[Bool]>([])
    let fileSystem = ObservedFileSystem(InMemoryFileSystem()) { _ in
      guard let look = looking.withLock({ $0 }) else { return }
      ended.withLock { $0.append(look()) }
    }
    let store = try ChangeWatchTests.open(fileSystem)
    let watch = try store.changes(of: Note.self)
    try store.writeNow { try $0.put(Note(id: 1)) }
    looking.withLock { $0 = { store.reading.watches.isFinished } }
    try store.close()
    looking.withLock { $0 = nil }
    #expect(!ended.withLock { $0 }.isEmpty)
    #expect(!ended.withLock { $0 }.contains(true))
    #expect(store.reading.watches.isFinished && store.reading.watches.count == 0)
    withExtendedLifetime(watch) {}
  }

  @Test("Who watches is told of a write that was made before closing, and not told of before it")
  func toldBehindClosing() async throws {
    let store = try ChangeWatchTests.open()
    let watch = try store.changes(of: Note.self)
    var notes = store.reading.watches.begin()
    let type = try #require(notes?.keysByType.keys.first)
    notes?.note([128, 0, 0, 0, 0, 0, 0, 1], of: type)
    try store.close()
    #expect(store.reading.watches.isFinished && store.reading.watches.count == 1)
    store.reading.watches.tell(notes)
    notes = nil
    #expect(store.reading.watches.count == 0)
    var count = 0
    for await _ in watch { count += 1 }
    #expect(count == 1)
  }

  @Test("Closing ends the loops, after what was committed before; then there is nothing to watch")
  func closed() async throws {
    let store = try ChangeWatchTests.open()
    let (watch, values) = (
      try store.changes(of: Note.self), try store.values(watching: Note.self) { _ in 0 }
    )
    try store.writeNow { try $0.put(Note(id: 1)) }
    try store.close()
    var told: [Set<Link<Note>>?] = []
    for await change in watch { told.append(change.links) }
    #expect(told == [ChangeWatchTests.notes(1)])
    for try await _ in values { Issue.record("a store that is closed has no values") }
    for await _ in try store.changes(of: Note.self) { Issue.record("nobody writes any more") }
  }

  @Test(
    "A store that is let go ends the loops, which do not hold it, though its compaction is kept",
    arguments: [false, true])
  func storeLetGo(isCompactionKept: Bool) async throws {
    let fileSystem = InMemoryFileSystem()
    var store: Store? = try ChangeWatchTests.open(fileSystem)
    let kept = isCompactionKept ? store?.compaction : nil
    weak let watches = store?.reading.watches
    let watch = try #require(try store?.changes(of: Note.self))
    let values = try #require(try store?.values(watching: Note.self) { _ in 0 })
    var iterator = values.makeAsyncIterator()
    #expect(try await iterator.next() == 0)
    store = nil
    // Else the loops would go on for ever.
    try #require(watches?.isFinished != false)
    for await _ in watch { Issue.record("nothing was written") }
    #expect(try await iterator.next() == nil)
    for try await _ in values { Issue.record("a store that was let go has no values") }
    // Whoever has the compaction has the log, too.
    if kept == nil { try ChangeWatchTests.open(fileSystem).close() }
    withExtendedLifetime(kept) {}
  }

  /// A clock on which, when that was asked for, the next look waits a while for another thread.
  private final class HeldClock: TimeSource {
    let isInside = DispatchSemaphore(value: 0)
    let isThrough = DispatchSemaphore(value: 0)
    private let waits = Lock(false)

    func holdNext() { waits.withLock { waits in waits = true } }

    func secondsSince1970() -> UInt64 {
      let waitsNow = waits.withLock { waits in
        defer { waits = false }
        return waits
      }
      if waitsNow {
        isInside.signal()
        // Who lets the store go waits for this snapshot, and is not through before it.
        _ = isThrough.wait(timeout: .now() + 0.1)
      }
      return 1_000_000_000
    }
  }

  @Test("A store that is let go while a query begins can be opened again at once")
  func letGoInSnapshot() throws {
    let fileSystem = InMemoryFileSystem()
    let clock = HeldClock()
    var configuration = StoreConfiguration.quiet
    configuration.log.timeSource = clock
    let held = Lock<Store?>(try ChangeWatchTests.open(fileSystem, configuration))
    let known = held.withLock { store in store.map { WeakStore($0) } }
    clock.holdNext()
    let failures = Threads.run(2) { number in
      guard number > 0 else {
        _ = known?.snapshot()
        return
      }
      let isInside = clock.isInside.wait(timeout: .now() + 120) == .success
      try check(isInside, "the query never asked for the time")
      held.withLock { store in store = nil }
      defer { clock.isThrough.signal() }
      try ChangeWatchTests.open(fileSystem).close()
    }
    #expect(failures.isEmpty, "\(failures)")
  }

  @Test("A reader that goes to a newer state is told that anything may have changed")
  func refresh() async throws {
    let fileSystem = InMemoryFileSystem()
    let writer = try ChangeWatchTests.open(fileSystem)
    try writer.writeNow { try $0.put(Note(id: 1)) }
    var configuration = StoreConfiguration.quiet
    configuration.log.access = .readOnly
    let reader = try ChangeWatchTests.open(fileSystem, configuration)
    let watch = try reader.changes(of: Note.self)
    try reader.refresh()
    #expect(!watch.lease.watch.isRung)
    try writer.writeNow { try $0.put(Note(id: 2)) }
    #expect(!watch.lease.watch.isRung)
    try reader.refresh()
    let change = await ChangeWatchTests.waiting(watch)
    #expect(change != nil && change?.links == nil)
    #expect(try reader.snapshot().get(Note.self, 2) != nil)
    try reader.close()
    try writer.close()
  }

  @Test("Stores that stand for one are watched as one")
  func sameStore() async throws {
    let configuration = Store.Configuration(
      inMemoryIdentifier: "watched-\(UUID().uuidString)", models: [Note.self])
    let (one, other) = (
      try Store(configuration: configuration), try Store(configuration: configuration)
    )
    let watch = try one.changes(of: Note.self)
    try other.writeNow { try $0.put(Note(id: 1)) }
    #expect(await ChangeWatchTests.waiting(watch)?.links == ChangeWatchTests.notes(1))
    try one.close()
  }

  static func until(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(1)) }
  }
}
