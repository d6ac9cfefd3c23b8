internal import BinaryCoding
internal import FileIO

/// The single writer: the only code that appends, seals, and publishes.
///
/// Everything here runs under `lock`, except synchronizing what was appended, and what readers
/// share: the published view. A commit is:
/// 1. make room (repair after a crash, rotate a full segment, begin the first);
/// 2. find what the records replace; number them and finish their checksums;
/// 3. append one frame in one write; 4. apply the records to the memory table;
/// 5. synchronize it when asked to, outside the lock; 6. publish the new view.
/// What fails in 1–3 leaves everything as it was; what fails in 5 poisons the log.
final class CommitPipeline: @unchecked Sendable {
  // Sendable: all stored state is used under `lock`; `published` and `gate` have their own.
  let directory: any Directory
  let ownership: StoreOwnership
  let snapshots: SnapshotRegister
  let configuration: LogConfiguration
  let store: StoreIdentifier
  let lock = ExclusiveLock()
  let gate = DurabilityGate()
  let activity: ActivityCounters
  let dictionaries: DictionaryShelf
  private let published: Lock<View>

  @exclusivity(unchecked) var accounts = SegmentTable<SegmentAccount>()
  var sealed: [Segment] = [] {
    didSet {
      sealedByteCount = sealed.reduce(0) { $0 + ($1.dataEnd ?? 0) }
      sealedIndex = nil
    }
  }
  /// The merged runs that the manifest lists, or the next one will.
  var runs: [MergedRun] = [] {
    didSet { sealedIndex = nil }
  }
  /// Runs that others replaced, and that the manifest on disk may still list.
  var replacedRuns: [MergedRun] = []
  /// Whether a merge is listed in `manifest` and not on disk.
  var isManifestBehind = false
  /// Of `sealed` and `runs`, once a view needed it.
  @exclusivity(unchecked) var sealedIndex: SealedIndex?
  /// Kept, because each commit asks for it.
  private(set) var sealedByteCount: UInt64 = 0
  @exclusivity(unchecked) var table = MemoryTable()
  @exclusivity(unchecked) var active: ActiveSegment?
  var manifest: Manifest
  @exclusivity(unchecked) var lastSequence: CommitSequence
  @exclusivity(unchecked) var durableSequence: CommitSequence
  /// The newest record that was promised to be durable before it is seen.
  @exclusivity(unchecked) var promisedSequence = CommitSequence.zero
  /// The table as of the last commit, once somebody asked for it.
  @exclusivity(unchecked) var publishableTable: PublishedTable?
  /// The first write must bring the directory in order: see `repair()`.
  @exclusivity(unchecked) var needsRepair: RecoveredTail?
  @exclusivity(unchecked) var needsSweep = true
  /// The manifest on disk was damaged or missing: the first write replaces it before all else.
  @exclusivity(unchecked) var isManifestRebuilt: Bool
  /// The active segment's tail is not trusted any more: the next write begins a new segment.
  @exclusivity(unchecked) var mustRotate = false
  /// What only deletions, compaction, repair and closing may use of the disk.
  @exclusivity(unchecked) var reserve: DiskReserve
  var poison: FileIOError? {
    didSet {
      if let poison, oldValue == nil { configuration.observer?.observe(.poisoned(poison)) }
    }
  }
  @exclusivity(unchecked) var isClosed = false
  /// What is read beside a writer in another process or handle.
  @exclusivity(unchecked) var follower: StoreFollower?
  @exclusivity(unchecked) var watch: RewriteWatch?
  let maintenance = IndexMaintenance()
  let pageCache: RunPageCache

  /// The segment that is appended to, in its three roles.
  struct ActiveSegment {
    let writer: SegmentWriter
    let segment: Segment
    let account: SegmentAccount
  }

  init(
    directory: any Directory, configuration: LogConfiguration, recovered: RecoveredState,
    activity: ActivityCounters = ActivityCounters()
  ) {
    self.directory = directory
    self.activity = activity
    ownership = StoreOwnership(directory)
    snapshots = SnapshotRegister(configuration)
    self.configuration = configuration
    reserve = DiskReserve(directory, ownership, configuration)
    store = recovered.manifest.store
    manifest = recovered.manifest
    accounts = recovered.accounts
    dictionaries = recovered.dictionaries
    sealed = recovered.view.sealed
    runs = recovered.view.beneath.runs
    pageCache = recovered.pageCache
    sealedIndex = recovered.view.beneath
    sealedByteCount = sealed.reduce(0) { $0 + ($1.dataEnd ?? 0) }
    table = recovered.table
    lastSequence = recovered.view.lastSequence
    durableSequence = recovered.durableSequence
    needsRepair = recovered.tail
    isManifestRebuilt = recovered.isManifestRebuilt
    published = Lock(recovered.view)
  }

  /// A log let go without closing gives its lock back too, though snapshots may still read.
  deinit { ownership.end() }

  /// The newest published state; from any thread.
  var view: View { published.withLock { view in view } }

  /// Appends the batches of a group in their order; under the lock. Those that are visible already
  /// get their result; for the others the caller waits until they are durable.
  ///
  /// Each is a frame of its own, so each is atomic by itself; they share one write, so they fail
  /// together, but for what fails before it.
  func append(_ group: [CommitRequest]) {
    do throws(LogError) {
      try checkWritable()
      var filled =
        group.allSatisfy { $0.batch.count > 0 } ? group : group.filter { $0.batch.count > 0 }
      for request in filled where !reviveDictionaries(of: request) {
        filled.removeAll { $0 === request }
        // When a synchronization failed with it, nothing is written any more.
        try checkWritable()
      }
      if !filled.isEmpty { try writeWithinReserve(filled) }
      for request in group where !request.isDecided {
        if request.batch.count == 0 { request.sequence = lastSequence }
        if !awaitsSynchronization { request.result = .success(request.sequence) }
      }
    } catch {
      for request in group where !request.isDecided { request.result = .failure(error) }
    }
  }

  /// Waits for the batches of a group that was appended; not under the lock.
  func finish(_ group: [CommitRequest]) {
    guard let last = group.last(where: { !$0.isDecided }) else { return }
    let outcome: LogError?
    do throws(LogError) {
      try waitUntilDurable(last.sequence)
      outcome = nil
    } catch { outcome = error }
    for request in group where !request.isDecided {
      request.result = outcome.map { .failure($0) } ?? .success(request.sequence)
    }
  }

  func write(_ group: [CommitRequest]) throws(LogError) {
    // At most: most frames have short headers.
    let byteCount = group.reduce(0) {
      $0 + Int(FrameHeader.padded(UInt64(FrameHeader.longByteCount + $1.batch.byteCount)))
    }
    try LogLimits.checkSequence(
      after: lastSequence, recordCount: group.reduce(0) { $0 + $1.batch.count })
    let active = try activeSegment(forFramesOf: byteCount)
    let applier = ChangeApplier(
      table: table, active: active.account, activeSegment: active.segment, base: view,
      accounts: accounts, watch: watch)
    var frames: [SegmentWriter.Frame] = []
    frames.reserveCapacity(group.count)
    let claimed = claimedSequence
    var sequence = lastSequence
    for request in group where !request.isDecided {
      // An index that cannot be read fails the requests that need it, not the whole group.
      do throws(LogError) {
        request.sealedPrevious = try applier.sealedPrevious(of: request.batch)
      } catch {
        request.result = .failure(error)
        continue
      }
      var frame = request.batch.number(
        after: sequence, seed: store.checksumSeed, flags: [.lastOfCommit])
      if configuration.hasShortFrames {
        frame.form = active.writer.form(of: frame, durableSequence: claimed)
      }
      frames.append(frame)
      sequence = CommitSequence(sequence.rawValue + UInt64(request.batch.count))
    }
    if frames.isEmpty { return }
    var offset: UInt64
    do throws(FileIOError) {
      offset = try active.writer.append(
        frames, durableSequence: claimed,
        extending: isBoundBySynchronizing(group, byteCount) ? .zeroing : .reserving)
    } catch {
      if !active.writer.isTailTrusted { mustRotate = true }
      if !PlantedBug.appendedBehindTornWrite.isPlanted { cutBack(active.writer) }
      throw .fileIO(error)
    }
    var appended = frames.makeIterator()
    for request in group where !request.isDecided {
      guard let frame = appended.next() else { preconditionFailure("a batch has a frame") }
      lastSequence = applier.apply(
        request.batch, sealedPrevious: request.sealedPrevious,
        bodyOffset: offset + UInt64(frame.form.byteCount), after: lastSequence)
      offset += frame.paddedByteCount
      request.sealedPrevious = []
      request.sequence = lastSequence
      if request.durability == .full { promisedSequence = lastSequence }
    }
    noteCommitted(group)
    publishableTable = nil
    if !awaitsSynchronization { publish() }
  }

  /// Whether commits like these spend most of their time on synchronizing.
  private func isBoundBySynchronizing(_ group: [CommitRequest], _ byteCount: Int) -> Bool {
    byteCount <= Self.smallGroupByteCountMaximum
      && group.contains { !$0.isDecided && $0.durability == .full }
  }

  private static let smallGroupByteCountMaximum = 16 << 10

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
    if let poison { throw .poisoned(cause: poison) }
  }

  /// Shows `view` to readers.
  func replacePublished(with view: View) {
    // The old view goes after the lock: it may take a whole table, or files, with it.
    _ = published.withLock { current in
      let old = current
      current = view
      return old
    }
    snapshots.expire()
  }
}
