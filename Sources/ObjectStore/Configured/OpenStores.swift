internal import FileIO
internal import LogStore

/// The stores that this process has open by configuration: opening one again gives the same store,
/// and never another one with other settings (R9).
final class OpenStores: Sendable {
  /// What two openings of one store must agree in.
  struct Settings: Equatable {
    let schemaVersion: UInt64
    let evolution: SchemaEvolution?
    let isReadOnly: Bool
    let admitsWriters: Bool
    let durability: Durability
    let compaction: String
    /// When blocks run, and which revision of them; nothing where there is none.
    let migrationTiming: Store.Configuration.MigrationTiming?
    let migrationRevision: UInt32?
    /// The others, as texts by their names.
    let settings: [String: String]
    let models: [String]
  }

  struct Opened {
    weak var log: Log?
    weak var lease: CompactionLease?
    weak var reading: StoreReading?
    /// Of the lease.
    let end: LeaseEnd
    let trace: StoreTrace
    let settings: Settings
  }

  private struct State {
    var opened: [Store.Configuration.Location: Opened] = [:]
    /// Those that are being opened or closed.
    var busy: [Store.Configuration.Location: Turn] = [:]
    var memory: [String: WeakFileSystem] = [:]
  }

  private struct WeakFileSystem { weak var fileSystem: InMemoryFileSystem? }

  /// Of this process: two copies of this list would let one store be opened twice.
  static let shared = OpenStores()

  /// The opening or the closing of a store, as long as it goes on.
  private final class Turn: Sendable {
    private struct State: Sendable {
      var isOver = false
      var store: StoreTrace?
      var noteCount = 0
      var waitingCount = 0
    }

    let location: Store.Configuration.Location
    let isClosing: Bool
    /// Of the list that it is in.
    private let monitor: Monitor
    private let state: Lock<State>
    var isOver: Bool { state.withLock { state in state.isOver } }
    /// What is opened or closed, once there is something; and how often that was told.
    var noted: (store: StoreTrace?, count: Int) {
      state.withLock { state in (state.store, state.noteCount) }
    }
    /// How many wait until it is over.
    var waitingCount: Int { state.withLock { state in state.waitingCount } }

    init(
      _ location: Store.Configuration.Location, _ monitor: Monitor,
      closing store: StoreTrace? = nil
    ) {
      self.location = location
      self.monitor = monitor
      isClosing = store != nil
      state = Lock(State(store: store))
    }

    /// Who waits already asks again: the store may wait for them.
    func note(_ store: StoreTrace) {
      monitor.enter()
      state.withLock { state in
        state.store = store
        state.noteCount += 1
      }
      monitor.wakeAll()
      monitor.leave()
    }

    /// Waits in the monitor until something changes, unless it was told more often than `count`.
    func wait(after count: Int) {
      guard noted.count == count else { return }
      state.withLock { state in state.waitingCount += 1 }
      monitor.wait()
      state.withLock { state in state.waitingCount -= 1 }
    }

    func end() { state.withLock { state in state.isOver = true } }
  }

  /// The openings that the code around the caller is a part of; a task that one of them started has
  /// it still when it is over.
  @TaskLocal private static var openings: [Turn] = []
  private static var openedHere: [Turn] { openings.filter { !$0.isOver } }
  /// What the opening that the caller is a part of has told; for tests.
  static var notedHere: StoreTrace? { openedHere.last?.noted.store }

  /// The openings that a caller is a part of, for threads that run code for it.
  struct Openings: Sendable {
    private let turns = OpenStores.openedHere

    func around<Result>(_ body: () -> Result) -> Result {
      if turns.isEmpty { return body() }
      return OpenStores.$openings.withValue(turns) { body() }
    }
  }

  /// Tells the opening that the caller is a part of which store it will be, before code of the
  /// application runs: what that has threads do may open it, too.
  static func noteOpened(_ store: Store) { openings.last?.note(StoreTrace(store)) }

  private let monitor = Monitor()
  private let state = Lock(State())
  private let now: @Sendable () -> ContinuousClock.Instant

  /// An empty list; it counts its patience by `now`.
  init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

  /// The store at `location` when it is open, else what `open` makes; others wait meanwhile.
  func store(
    at location: Store.Configuration.Location, _ settings: Settings,
    open: () throws(StoreError) -> Store
  ) throws(StoreError) -> Store {
    let around = Self.openedHere
    guard !around.contains(where: { $0.location == location }) else {
      throw .openedByItsOwnMigration(path: location.name)
    }
    let opening = Turn(location, monitor)
    if let open = try openStore(settings, or: opening) { return open }
    defer { leave(location) }
    defer { opening.end() }
    let store = try Self.$openings.withValue(around + [opening]) {
      Result { () throws(StoreError) in try open() }
    }
    .get()
    state.withLock { state in
      // Those that are over tell nobody anything; who closes one forgets it.
      state.opened = state.opened.filter { location, known in
        !known.trace.hasEnded || state.busy[location] != nil
      }
      state.opened[location] = Opened(
        log: store.log, lease: store.lease, reading: store.reading, end: store.lease.end,
        trace: StoreTrace(store), settings: settings)
    }
    return store
  }

  /// The store that `opening` is of when it is open; else nothing, and others wait until
  /// ``leave(_:)``.
  ///
  /// One that is being let go gives its lock back when its compaction, and what maintains its
  /// indexes, has ended: it is waited for. Whoever keeps that compaction afterwards keeps the log,
  /// too, and may do so for ever.
  private func openStore(
    _ settings: Settings, or opening: Turn
  ) throws(StoreError) -> Store? {
    let location = opening.location
    var awaited: LeaseEnd?
    var end: ContinuousClock.Instant?
    var keptEnd: ContinuousClock.Instant?
    while true {
      try enter(location)
      let known = state.withLock { state in state.opened[location] }
      // Each that is being let go is waited for as long.
      if known?.end !== awaited { (awaited, end, keptEnd) = (known?.end, nil, nil) }
      let (log, lease, reading) = (known?.log, known?.lease, known?.reading)
      // What a reader has open of a store that was set aside is not what is at its path now.
      let isMoved = log?.isMoved == true
      let isOpen = log != nil && lease != nil && reading != nil && !isMoved
      let isKept = log != nil && known?.end.isOver == true
      keptEnd = isKept ? keptEnd ?? now() + Self.patienceBehindEnd : nil
      let mayBeGoing = known?.trace.hasEnded == false && !isOpen && !isMoved
      end = mayBeGoing ? end ?? now() + Self.patience : nil
      let isGoing = end.map { now() < min($0, keptEnd ?? $0) } ?? false
      if !isOpen, !isGoing { state.withLock { state in state.busy[location] = opening } }
      // What is let go with these is not let go in the monitor, where others would wait for it.
      withExtendedLifetime((log, lease, reading)) { monitor.leave() }
      if isGoing {
        guard known?.trace.isAwaitedHere != true else { throw .log(.closed) }
        pause()
        continue
      }
      guard isOpen, let known, let log, let lease, let reading else { return nil }
      if let setting = Self.difference(known.settings, settings) {
        throw .openWithOtherSettings(path: location.name, setting: setting)
      }
      return Store(log: log, reading: reading, lease: lease)
    }
  }

  /// How long a store that is being let go is waited for; then its lock tells.
  private static let patience = Duration.seconds(60)
  /// How long what its compaction held is waited for once that has ended: others let it go.
  private static let patienceBehindEnd = Duration.seconds(1)

  /// Enters the monitor when nobody opens or closes the store at `location`.
  private func enter(_ location: Store.Configuration.Location) throws(StoreError) {
    monitor.enter()
    while let turn = state.withLock({ state in state.busy[location] }) {
      let (store, noteCount) = turn.noted
      monitor.leave()
      // Whom it would wait for may wait for what this thread opens, and neither would go on.
      guard Self.openedHere.isEmpty else { throw .openedByAnotherOpening(path: location.name) }
      // Not in the monitor: what is asked may be let go here.
      guard store?.isAwaitedHere != true else {
        throw turn.isClosing ? .log(.closed) : .openedByItsOwnMigration(path: location.name)
      }
      monitor.enter()
      if state.withLock({ state in state.busy[location] === turn }) { turn.wait(after: noteCount) }
    }
  }

  private func pause() {
    monitor.enter()
    monitor.wait(milliseconds: 2)
    monitor.leave()
  }

  /// Closes a store with `close` and forgets it; who opens it meanwhile waits until it is closed.
  ///
  /// It is forgotten when closing fails, too: its log has ended, and the next opening recovers.
  func closing(_ log: Log, _ close: () throws(StoreError) -> Void) throws(StoreError) {
    monitor.enter()
    var found = known(log)
    while let location = found?.location, state.withLock({ $0.busy[location] != nil }) {
      monitor.wait()
      found = known(log)
    }
    if let (location, store) = found {
      state.withLock { state in state.busy[location] = Turn(location, monitor, closing: store) }
    }
    let location = found?.location
    monitor.leave()
    defer {
      if let location {
        state.withLock { state in state.opened[location] = nil }
        leave(location)
      }
    }
    try close()
  }

  private func known(_ log: Log) -> (location: Store.Configuration.Location, store: StoreTrace)? {
    state.withLock { state in
      state.opened.first { _, known in known.trace.isOf(log) }.map { ($0.key, $0.value.trace) }
    }
  }

  /// Lets those go on who wait for a store to be opened or closed.
  private func leave(_ location: Store.Configuration.Location) {
    monitor.enter()
    state.withLock { state in state.busy[location] = nil }
    monitor.wakeAll()
    monitor.leave()
  }

  /// The file system of the stores in memory with that identifier, which lives with them.
  func fileSystem(_ identifier: String) -> InMemoryFileSystem {
    state.withLock { state in
      if let known = state.memory[identifier]?.fileSystem { return known }
      state.memory = state.memory.filter { _, known in known.fileSystem != nil }
      let made = InMemoryFileSystem()
      state.memory[identifier] = WeakFileSystem(fileSystem: made)
      return made
    }
  }

  /// How many stores, and file systems in memory, it knows; for tests.
  var knownCount: Int { state.withLock { state in state.opened.count } }
  var fileSystemCount: Int { state.withLock { state in state.memory.count } }

  /// How many wait for a store to be opened or closed; for tests.
  func waitingCount(at location: Store.Configuration.Location) -> Int {
    state.withLock { state in state.busy[location] }?.waitingCount ?? 0
  }

  private static func difference(_ left: Settings, _ right: Settings) -> String? {
    if left.schemaVersion != right.schemaVersion { return "schemaVersion" }
    if left.evolution != right.evolution { return "evolution" }
    if left.isReadOnly != right.isReadOnly { return "readOnly" }
    if left.admitsWriters != right.admitsWriters { return "admitsWriters" }
    if left.durability != right.durability { return "durability" }
    if left.compaction != right.compaction { return "compaction" }
    if left.migrationTiming != right.migrationTiming { return "migrationTiming" }
    if left.migrationRevision != right.migrationRevision { return "migrationRevision" }
    let other = left.settings.keys.sorted().first { left.settings[$0] != right.settings[$0] }
    if let other { return "settings.\(other)" }
    return left.models == right.models ? nil : "models"
  }
}
