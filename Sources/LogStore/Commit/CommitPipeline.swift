internal import BinaryCoding
internal import FileIO

/// The single writer: the only code that appends, seals, and publishes.
///
/// Everything here runs under `lock`, except synchronizing what was appended, and what readers
/// share: the published view, and publishing what lags behind (`catchUp()`). Threads of its own
/// merge indexes, work beside commits, and encode a part of many records. A commit is:
/// 1. make room (repair after a crash, rotate a full segment, begin the first);
/// 2. number the records and finish their checksums;
/// 3. append one frame in one write; 4. apply the records to the memory table, and from time to
/// time find what they replace;
/// 5. synchronize it when asked to, outside the lock; 6. publish the new view, which small commits
/// leave to who looks at it.
/// What fails in 1–3 leaves everything as it was; what fails in 5 poisons the log.
final class CommitPipeline: @unchecked Sendable {
  // Sendable: all stored state is used under `lock`; `published`, `lag` and `gate` have their own.
  // What a view is made of is also read under the lock of `lag` while the view lags, and changes
  // then in there only.
  let directory: any Directory
  let ownership: StoreOwnership
  let snapshots: SnapshotRegister
  let configuration: LogConfiguration
  let store: StoreIdentifier
  let trace = LogTrace()
  private let lock = ExclusiveLock()
  private let lag = PublicationLag()
  let gate: DurabilityGate
  let activity: ActivityCounters
  /// As the log was opened: where it is written, what batches are encoded against.
  let dictionaries: DictionaryShelf
  /// Those of the segments as they are; others than ``dictionaries`` only beside a writer,
  /// when the store was set back.
  @exclusivity(unchecked) var shownDictionaries: DictionaryShelf
  private let published: Lock<View>

  @exclusivity(unchecked) var accounts = SegmentTable<SegmentAccount>() {
    didSet { keptWriter = nil }
  }
  var sealed: [Segment] = [] {
    didSet {
      expectNoLag()
      sealedByteCount = sealed.reduce(0) { $0 + ($1.dataEnd ?? 0) }
      sealedIndex = nil
    }
  }
  /// The merged runs that the manifest lists, or the next one will.
  var runs: [MergedRun] = [] {
    didSet {
      expectNoLag()
      sealedIndex = nil
    }
  }
  /// Runs that others replaced, and that the manifest on disk may still list.
  var replacedRuns: [MergedRun] = []
  /// Whether a merge is listed in `manifest` and not on disk.
  var isManifestBehind = false
  /// Whether the names of runs may not be durable that the next manifest lists.
  var hasNewRunNames = false
  /// Of `sealed` and `runs`, once a view needed it.
  @exclusivity(unchecked) var sealedIndex: SealedIndex? {
    didSet { keptWriter = nil }
  }
  /// Kept, because each commit asks for it.
  private(set) var sealedByteCount: UInt64 = 0
  /// What large commits want the active segment to have room for.
  @exclusivity(unchecked) var seriesByteCount: UInt64 = 0
  /// Bytes of the largest commit in the active segment.
  @exclusivity(unchecked) var largestCommitByteCount = 0
  @exclusivity(unchecked) var table = MemoryTable() {
    didSet {
      expectNoLag()
      keptWriter = nil
    }
  }
  @exclusivity(unchecked) var active: ActiveSegment? {
    didSet {
      expectNoLag()
      keptWriter = nil
    }
  }
  /// Of the state as it is, once a commit needed it.
  @exclusivity(unchecked) private var keptWriter: GroupWriter?
  /// Of the table's keys; settled before anybody asks the accounts what is live.
  var replacements: PendingReplacements {
    didSet { keptWriter = nil }
  }
  var manifest: Manifest
  /// As manifests list it, from the first one on that this log writes.
  private(set) lazy var session = WriterSession(
    identifier: configuration.randomSource.next(), start: openedSequence)
  private let openedSequence: CommitSequence
  @exclusivity(unchecked) var lastSequence: CommitSequence
  @exclusivity(unchecked) var durableSequence: CommitSequence
  /// The newest record that was promised to be durable before it is seen.
  @exclusivity(unchecked) var promisedSequence = CommitSequence.zero
  /// The table as of the last commit, once somebody asked for it.
  @exclusivity(unchecked) var publishableTable: PublishedTable?
  /// The first write must bring the directory in order: see `repair()`.
  @exclusivity(unchecked) var needsRepair: RecoveredTail?
  @exclusivity(unchecked) var needsSweep = true
  /// Numbers of files that lie out of reach of the manifest's mark: not given to others.
  @exclusivity(unchecked) var foreignNumbers: [UInt32] = []
  /// Whether the name of the manifest that was read is durable, before anything is written.
  @exclusivity(unchecked) var isDirectoryDurable = false
  /// The manifest on disk was damaged or missing: the first write replaces it before all else.
  @exclusivity(unchecked) var isManifestRebuilt: Bool
  /// Of the manifest that was written last, if this process wrote one.
  @exclusivity(unchecked) var manifestByteCount: UInt64 = 0
  /// Of files that were only read; the directory and files that are written remember their own.
  let readSynchronizations: ReadSynchronizations
  /// The active segment's tail is not trusted any more: the next write begins a new segment.
  @exclusivity(unchecked) var mustRotate = false
  /// What only deletions, compaction, repair and closing may use of the disk.
  @exclusivity(unchecked) var reserve: DiskReserve
  var poison: FileIOError? {
    didSet {
      isPoisoned = poison != nil
      if let poison, oldValue == nil { configuration.observer?.observe(.poisoned(poison)) }
    }
  }
  /// Asked before ``poison``, which costs more to look at.
  @exclusivity(unchecked) private var isPoisoned = false
  @exclusivity(unchecked) var isClosed = false
  /// What is read beside a writer in another process or handle.
  @exclusivity(unchecked) var follower: StoreFollower?
  @exclusivity(unchecked) var watch: RewriteWatch? {
    didSet { keptWriter = nil }
  }
  let maintenance = IndexMaintenance()
  let unmapping = Unmapping()
  /// Looks up what commits replace, and makes ready what appends will need, where the log may have
  /// threads.
  let commitWorker: SerialWorker?
  /// Encodes records beside who puts many, where the log may have threads and there are processors.
  let encodingWorker: SerialWorker?
  let pageCache: RunPageCache
  /// Nothing where others write, of whose commits nobody tells.
  let deadRanges: DeadRanges?

  init(
    directory: any Directory, configuration: LogConfiguration, recovered: RecoveredState,
    activity: ActivityCounters = ActivityCounters(), follower: StoreFollower? = nil
  ) {
    self.directory = directory
    self.activity = activity
    ownership = StoreOwnership(directory)
    snapshots = SnapshotRegister(configuration)
    self.configuration = configuration
    gate = DurabilityGate(configuration.timeSource)
    reserve = DiskReserve(directory, ownership, configuration)
    store = recovered.manifest.store
    manifest = recovered.manifest
    dictionaries = recovered.dictionaries
    shownDictionaries = recovered.dictionaries
    pageCache = recovered.pageCache
    commitWorker =
      configuration.maintenance == .background ? SerialWorker(isBackground: true) : nil
    encodingWorker = commitWorker != nil && Processors.count > 1 ? SerialWorker() : nil
    replacements = recovered.replacements
    lastSequence = recovered.view.lastSequence
    openedSequence = recovered.view.lastSequence
    durableSequence = recovered.durableSequence
    isManifestRebuilt = recovered.isManifestRebuilt
    self.follower = follower
    readSynchronizations = follower?.synchronizations ?? ReadSynchronizations()
    deadRanges =
      configuration.access == .readWrite ? DeadRanges(appliedUpTo: lastSequence) : nil
    published = Lock(recovered.view.telling(deadRanges))
    take(recovered)
    watchReplacements()
  }

  /// A log let go without closing gives its lock back too, though snapshots may still read.
  deinit {
    ownership.end()
    trace.end()
  }

  /// Returns when no thread of the log's own reads its files, but for those that read ahead of
  /// cursors, and what was mapped of removed ones is gone; not under the lock.
  func stopThreads() {
    maintenance.stop()
    commitWorker?.waitUntilIdle()
    encodingWorker?.waitUntilIdle()
    unmapping.waitUntilDone()
  }

  /// Whether the caller is called by what ``stopThreads()`` waits for.
  var isOwnThread: Bool {
    maintenance.isOwnThread || commitWorker?.isCurrentThread == true
      || encodingWorker?.isCurrentThread == true
  }

  /// Traps with a sentence on such a thread; `purpose` begins it.
  func expectNotOwnThread(_ purpose: String) {
    guard !isOwnThread else {
      fatalError("\(purpose) must not begin in what the log calls while it merges indexes")
    }
  }

  /// Takes the lock, and publishes what lags, so that what it stems from may be changed; `purpose`
  /// completes the sentence of the trap on a thread that has the lock.
  func enter(_ purpose: String) {
    lock.lock(purpose)
    catchUp()
  }

  /// Takes the lock for ``append(_:)``, and for what publishes what lags when it needs that.
  func enterForCommit(_ purpose: String = "a commit") { lock.lock(purpose) }

  /// Gives the lock back.
  func leave() { lock.unlock() }

  /// Traps with a sentence on a thread that has the lock.
  func expectNotEntered(_ purpose: String) { lock.expectNotHeld(purpose) }

  /// Whether this thread has the lock.
  var isEnteredHere: Bool { lock.isHeldHere }

  /// The newest state that may be seen; from any thread.
  var view: View {
    if lag.isLagging { catchUp() }
    return publishedView
  }

  /// Whether ``view`` would give this very view; from any thread.
  func isNewest(_ view: View) -> Bool {
    !lag.isLagging && published.withLock { published in published === view }
  }

  /// The state that was published last; from any thread. It may lag behind small commits, and has
  /// all sealed segments and runs.
  var publishedView: View { published.withLock { view in view } }

  /// Publishes the small commits that nobody has seen yet; from any thread.
  ///
  /// What a view is made of changes under the lock, after this, and in the application of small
  /// commits. Costs a bounded number of pages that the old view kept.
  func catchUp() {
    guard lag.isLagging else { return }
    // The old view goes after the lock.
    _ = lag.end { exchangePublished(for: makeView(headTable(), lastSequence)) }
  }

  /// What a view is made of must not change while readers may be making one.
  private func expectNoLag() {
    assert(!lag.isLagging, "what lags must be published before what it stems from changes")
  }

  /// Appends the batches of a group in their order; under the lock. Those that are visible already
  /// get their result; for the others the caller waits until they are durable.
  ///
  /// Each is a frame of its own, so each is atomic by itself; they share one write, so they fail
  /// together, but for what fails before it. `committed` is called when that write is done, and
  /// before anybody sees what it wrote.
  func append(_ group: [CommitRequest], _ committed: () -> Void = {}) {
    do throws(LogError) {
      try checkWritable()
      let filled = try requestsToWrite(of: group)
      if !filled.isEmpty { try writeWithinReserve(filled, committed) }
      let isVisible = !awaitsSynchronization
      for request in group where !request.isDecided {
        if request.batch.count == 0 { request.sequence = lastSequence }
        if isVisible { request.succeed() }
      }
    } catch {
      for request in group where !request.isDecided { request.fail(error) }
    }
  }

  /// Those of a group that have something to write, and the dictionaries that they need.
  private func requestsToWrite(of group: [CommitRequest]) throws(LogError) -> [CommitRequest] {
    var isWhole = true
    for request in group {
      let batch = request.batch
      if batch.count > 0, batch.dictionaryUses.isEmpty || reviveDictionaries(of: request) {
        continue
      }
      isWhole = false
      // When a synchronization failed with it, nothing is written any more.
      try checkWritable()
    }
    return isWhole ? group : group.filter { $0.batch.count > 0 && !$0.isDecided }
  }

  /// Waits for the batches of a group that was appended, which so many callers wait for that append
  /// their next ones by themselves; not under the lock.
  func finish(_ group: [CommitRequest], callerCount: Int) {
    guard let last = group.last(where: { !$0.isDecided }) else { return }
    let outcome: LogError?
    do throws(LogError) {
      try waitUntilDurable(last.sequence, callerCount: callerCount)
      outcome = nil
    } catch { outcome = error }
    guard let outcome else {
      for request in group where !request.isDecided { request.succeed() }
      return
    }
    let visible = view.lastSequence
    for request in group where !request.isDecided {
      // What must be durable is seen once it is; others may have built on the rest.
      if request.sequence <= visible { request.succeed() } else { request.fail(outcome) }
    }
  }

  /// Writes the frames of those requests of a group that are not decided; see ``append(_:_:)``.
  /// Nothing fails once `committed` was called.
  func write(_ group: [CommitRequest], _ committed: () -> Void) throws(LogError) {
    let size = GroupSize(group)
    try LogLimits.checkSequence(after: lastSequence, recordCount: size.recordCount)
    let active = try activeSegment(for: size)
    let writer = groupWriter(for: active)
    let offset: UInt64
    do throws(FileIOError) {
      offset = try writer.append(group, size, after: lastSequence, claimed: claimedSequence)
    } catch {
      // Otherwise nothing was written, and room that is reserved ahead is for smaller commits.
      if !active.writer.isTailTrusted {
        mustRotate = true
        cutBack(active.writer)
      }
      throw .fileIO(error)
    }
    committed()
    if size.mayLag, !awaitsSynchronization {
      let hasMuchRetired = lag.apply {
        apply(group, from: offset, writer)
        return table.retiredPageCount >= PublicationLag.retiredPageCountMaximum
      }
      if hasMuchRetired { catchUp() }
      snapshots.expire()
    } else {
      catchUp()
      apply(group, from: offset, writer)
      if !awaitsSynchronization { publish() }
    }
    largestCommitByteCount = max(largestCommitByteCount, size.largestByteCount)
    noteCommitted(size)
    writer.finish(size)
  }

  private func apply(_ group: [CommitRequest], from offset: UInt64, _ writer: GroupWriter) {
    let (last, promised) = writer.apply(group, from: offset, after: lastSequence)
    lastSequence = last
    if let promised { promisedSequence = promised }
    publishableTable = nil
  }

  /// What writes into the active segment, kept from group to group.
  private func groupWriter(for active: ActiveSegment) -> GroupWriter {
    if let keptWriter { return keptWriter }
    let applier = ChangeApplier(
      table: table, active: active.account, beneath: currentIndex(), accounts: accounts,
      watch: watch, replacements: replacements, deadRanges: deadRanges)
    let made = GroupWriter(
      active.writer, applier, store: store, hasShortFrames: configuration.hasShortFrames)
    keptWriter = made
    return made
  }

  /// What a frame says of the records before it: how far they are durable.
  private var claimedSequence: CommitSequence {
    PlantedBug.durableMarkClaimedEarly.isPlanted ? lastSequence : durableSequence
  }

  /// Cuts off what a failed append left: the first frames of the group may be whole, and nobody who
  /// reads beside us shall take them for commits. When this fails too, the footer overwrites them.
  private func cutBack(_ writer: SegmentWriter) {
    do throws(FileIOError) { try writer.file.truncate(to: writer.end) } catch {}
  }

  func checkWritable() throws(LogError) {
    if isClosed { throw .closed }
    if configuration.access == .readOnly { throw .readOnly }
    if isPoisoned, let poison { throw .poisoned(cause: poison) }
  }

  /// Shows `view` to readers.
  func replacePublished(with view: View) {
    _ = exchangePublished(for: view)
    snapshots.expire()
  }

  /// Returns the old view, which goes after the lock: it may take a whole table, or files, with it.
  private func exchangePublished(for view: View) -> View {
    published.withLock { current in
      let old = current
      current = view
      return old
    }
  }
}
