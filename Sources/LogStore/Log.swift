internal import BinaryCoding
public import FileIO

/// Keys and bytes, durable and atomic: the log of one store.
///
/// One process has a log open for writing; in it any number of threads read and write. Readers take
/// snapshots, and wait for no writer but one that is applying a small commit in memory; writers are
/// serial. Opening costs time in proportion to what was written since the last segment was sealed,
/// not to the data; beside a writer, and where others may write, it opens every segment.
public final class Log: Sendable {
  let pipeline: CommitPipeline
  private let queue = CommitQueue()
  private let singles = SingleCommitPool()
  private let outlook = CompressionOutlook()
  let asyncCommitter: AsyncCommitter
  private let configuration: LogConfiguration
  /// What was found when the log was opened.
  public let recoveryReport: RecoveryReport
  /// The store's identifier.
  public var storeIdentifier: StoreIdentifier { pipeline.store }

  private init(
    pipeline: CommitPipeline, configuration: LogConfiguration, report: RecoveryReport
  ) {
    self.pipeline = pipeline
    asyncCommitter = AsyncCommitter(pipeline)
    self.configuration = configuration
    recoveryReport = report
    pipeline.trace.set(pipeline)
  }

  /// Opens the log in the directory at `path`, creating it where the configuration allows that.
  ///
  /// Opening an existing store changes no byte of any file; what a crash left is put in order by
  /// the first write. Reads the manifest, and the segment that was not sealed if there is one. A
  /// manifest that is damaged or missing is made anew from the segments, which may read all that
  /// was committed since the last compaction; ``recoveryReport`` says so.
  ///
  /// With read-only access it can be opened while another process or handle writes. It then shows
  /// the commits that are whole at that moment, a prefix of all. With ``Durability/full`` in the
  /// configuration it synchronizes what it shows, so that no loss of power takes it back; with
  /// ``Durability/process`` it does not.
  /// - Throws: ``LogError/storeNotFound(path:)``, ``LogError/missingParent(path:directory:)``,
  ///   ``LogError/notAStore(path:)``,
  ///   ``LogError/storeIsInUse(path:holder:)``, ``LogError/storeIsBusy(path:)``,
  ///   ``LogError/unfinishedCopy(path:)``, ``LogError/newerFormat(file:found:supported:)``,
  ///   ``LogError/newerWriter(file:)``, ``LogError/corruption(_:)``, ``LogError/fileIO(_:)``.
  public static func open(
    at path: String, configuration: LogConfiguration = LogConfiguration(),
    fileSystem: any FileSystem = POSIXFileSystem()
  ) throws(LogError) -> Log {
    let activity = ActivityCounters()
    let (directory, error) = try lockDirectory(at: path, configuration, fileSystem, activity)
    if let error {
      guard case .locked(let holder) = error.reason else { throw .fileIO(error) }
      guard configuration.access == .readOnly else {
        throw .storeIsInUse(path: path, holder: holder)
      }
      // The writer may remove what is open: a mapping stays, a descriptor must.
      let keeping = MeteredDirectory(
        try openDirectory(at: path, configuration, fileSystem, keepsFilesOpen: true),
        WriteMeter(activity, configuration))
      return try follow(keeping, configuration, activity)
    }
    if configuration.access == .readOnly, configuration.admitsWriters {
      // Nobody writes until everything is open.
      defer { directory.unlock() }
      return try follow(directory, configuration, activity, isAlone: true)
    }
    do throws(LogError) {
      let state = try StoreOpening(directory, configuration).open()
      let pipeline = CommitPipeline(
        directory: directory, configuration: configuration, recovered: state, activity: activity)
      configuration.observer?.observe(.opened(path: path, state.report))
      return Log(pipeline: pipeline, configuration: configuration, report: state.report)
    } catch {
      directory.unlock()
      throw error
    }
  }

  /// Whether this is a thread of the log's own, which cannot wait for the log.
  package var isOwnThread: Bool { pipeline.isOwnThread }

  /// For who must not keep the log.
  package var trace: LogTrace { pipeline.trace }

  /// What maintains the indexes ends first: it must not touch the directory without the lock.
  ///
  /// An observer that is told of something on a thread of the log's own may be the last to have it:
  /// that thread cannot wait for itself, so another one does.
  deinit {
    let pipeline = pipeline
    guard isOwnThread else { return pipeline.stopThreads() }
    pipeline.maintenance.end()
    // Without one the store stays locked: what merges would write without the lock else.
    if SerialWorker().submit({ pipeline.stopThreads() }) { return }
    _ = Unmanaged.passRetained(pipeline)
    // Nobody is to wait for that.
    pipeline.trace.end()
  }

  /// Opens the log beside its writer, who has the lock, or where `isAlone` before there is one.
  private static func follow(
    _ directory: any Directory, _ configuration: LogConfiguration, _ activity: ActivityCounters,
    isAlone: Bool = false
  ) throws(LogError) -> Log {
    var follower = StoreFollower(directory, configuration)
    let state = isAlone ? try follower.undisturbed() : try follower.newest()
    let pipeline = CommitPipeline(
      directory: directory, configuration: configuration, recovered: state, activity: activity,
      follower: follower)
    configuration.observer?.observe(.opened(path: directory.path, state.report))
    return Log(pipeline: pipeline, configuration: configuration, report: state.report)
  }

  /// Whether another process or handle was writing when the log was opened for reading only, or may
  /// have begun to since.
  ///
  /// Such a log has no lock and hinders nobody. It shows the state in which it was opened until
  /// ``refresh()``. See ``LogConfiguration/admitsWriters``.
  public var isBesideWriter: Bool {
    pipeline.enter("a question")
    defer { pipeline.leave() }
    return pipeline.follower != nil
  }

  /// Whether the store was moved or removed since it was opened for reading only, so that another
  /// one may be at its path now; from any thread.
  package var isMoved: Bool {
    configuration.access == .readOnly && !pipeline.directory.isAtItsPath()
  }

  /// Goes to the newest state when another process or handle writes the store; returns the sequence
  /// of the newest record it shows.
  ///
  /// Costs reading what was appended since, and opening the segments that are new. Older snapshots
  /// stay as they are, and readable, also when the writer compacts. Does nothing for a log that has
  /// the store's lock: nobody else can change that.
  /// - Throws: ``LogError/storeIsBusy(path:)``, ``LogError/corruption(_:)``,
  ///   ``LogError/fileIO(_:)``, ``LogError/closed``; the log stays in the state it was in. Where
  ///   the directory was moved or removed, as when another process archives the store, the reason
  ///   is `.moved`: open the log again for what is at the path now. So it is for a process that
  ///   does not see the path any more, as after `chroot`.
  @discardableResult
  public func refresh() throws(LogError) -> CommitSequence {
    pipeline.enter("a refresh")
    defer { pipeline.leave() }
    try pipeline.refresh()
    return pipeline.view.lastSequence
  }

  /// The current state; constant time, from any thread.
  public func snapshot() -> Snapshot {
    snapshot(of: state)
  }

  /// The current state: `known`, where that still is it, else a new snapshot; from any thread.
  ///
  /// For who reads what is newest again and again: while nothing is committed it costs a tenth of
  /// a new snapshot. `known` may be of another log, which gives a new snapshot. It is as old as
  /// `known` then for ``LogStatistics``; where a limit of age is set a new one is given each time.
  public func snapshot(renewing known: Snapshot) -> Snapshot {
    known.isCurrent(in: pipeline) ? known : snapshot()
  }

  /// An empty batch for ``commit(_:durability:)``.
  public func makeBatch() -> WriteBatch {
    WriteBatch(
      compression: configuration.compression, commitTime: commitTime,
      dictionaries: pipeline.dictionaries, outlook: outlook, worker: pipeline.encodingWorker)
  }

  private var commitTime: CommitTime {
    CommitTime(secondsSince1970: configuration.timeSource.secondsSince1970())
  }

  /// Commits all changes of `batch`, or none; returns the sequence of its last record.
  ///
  /// On return the changes are visible to new snapshots and survive what `durability` says (the
  /// configuration's when not given). After an error nothing of it is visible in this process; when
  /// the process ends before the next write, the next opening may find the commit whole. After an
  /// error of synchronization the log accepts no more writes. Threads that commit at the same time
  /// share one write and one synchronization.
  /// - Precondition: ``makeBatch()`` of this very log made the batch, where it needs dictionaries.
  @discardableResult
  public func commit(
    _ batch: WriteBatch, durability: Durability? = nil
  ) throws(LogError) -> CommitSequence {
    pipeline.expectNotEntered("a commit")
    pipeline.checkDictionaries(of: batch)
    let request = CommitRequest(batch, durability: durability ?? configuration.durability)
    perform([request])
    return try request.outcome()
  }

  /// The same for callers that must not block: the work is done on a thread of the log's own, and
  /// commits that wait at the same time share one write and one synchronization.
  ///
  /// The batch is handed over and must not be used again. Cancelling the task does not take the
  /// commit back, also before it has begun: it is made, unlike a transaction.
  @discardableResult
  public func commit(
    _ batch: sending WriteBatch, durability: Durability? = nil
  ) async throws(LogError) -> CommitSequence {
    pipeline.checkDictionaries(of: batch)
    return try await asyncCommitter.commit(
      batch, durability: durability ?? configuration.durability)
  }

  /// Runs `body` with a transaction and commits its changes when it returns.
  ///
  /// When `body` throws, nothing was changed. Other writers wait while `body` runs, and not for its
  /// synchronization; a commit or transaction that begins inside `body` is a programmer error and
  /// traps. `body` sees what earlier transactions changed, though readers may not see it yet.
  public func transact<Result>(
    durability: Durability? = nil, _ body: (Transaction) throws -> Result
  ) throws -> Result {
    try transact(durability: durability, committed: {}, body)
  }

  /// The same for callers that must not block: `body` runs on a thread of the log's own, and
  /// transactions that wait at the same time share one synchronization, unless their bodies take
  /// long. `body` must not wait for another commit or transaction.
  ///
  /// When the task is cancelled before `body` has begun, nothing is changed and
  /// `CancellationError` is thrown; later nothing comes of it.
  public func transact<Result: Sendable>(
    durability: Durability? = nil, _ body: @escaping @Sendable (Transaction) throws -> Result
  ) async throws -> Result {
    try await transact(durability: durability, committed: {}, body)
  }

  /// The same, and calls `committed` like the blocking one.
  package func transact<Result: Sendable>(
    durability: Durability?, committed: @escaping @Sendable () -> Void,
    _ body: @escaping @Sendable (Transaction) throws -> Result
  ) async throws -> Result {
    let durability = durability ?? configuration.durability
    return try await asyncCommitter.transact { checkCancellation in
      let single = SingleCommit(self.makeBatch())
      let (result, _) = try self.append(single, durability, committed) { transaction in
        try checkCancellation()
        return try body(transaction)
      }
      return (result, single.request)
    }
  }

  /// The same, and calls `committed` when the changes are appended, before anybody sees them and
  /// any other writer can begin. When they cannot be made durable after that, the log takes no more
  /// writes.
  package func transact<Result>(
    durability: Durability?, committed: () -> Void, _ body: (Transaction) throws -> Result
  ) throws -> Result {
    let single = singles.take() ?? SingleCommit(makeBatch())
    let (result, isReusable) = try append(
      single, durability ?? configuration.durability, committed, body)
    pipeline.finish(single.group, callerCount: 1)
    _ = try single.request.outcome()
    if isReusable { endSingle(single) }
    return result
  }

  /// Appends what `body` changes as the batch of `single`; says whether that may be used again when
  /// its request is through.
  private func append<Result>(
    _ single: SingleCommit, _ durability: Durability, _ committed: () -> Void,
    _ body: (Transaction) throws -> Result
  ) throws -> (result: Result, isReusable: Bool) {
    pipeline.enterForCommit("a transaction")
    defer { pipeline.leave() }
    try pipeline.checkWritable()
    single.begin(at: commitTime, durability)
    let transaction = Transaction(pipeline, single.batch) { self.makeBatch() }
    let result: Result
    do {
      result = try body(transaction)
    } catch {
      _ = transaction.end()
      transaction.spill?.cancel()
      throw error
    }
    let isReusable = transaction.end()
    if let failure = transaction.failure {
      transaction.spill?.cancel()
      throw failure
    }
    let request = single.request
    if let spill = transaction.spill {
      try transaction.commitSpilled(spill, committed)
      request.sequence = pipeline.lastSequence
      request.succeed()
    } else {
      pipeline.append(single.group, committed)
      if let error = request.failure { throw error }
      // Nothing was appended, and nothing is seen.
      if request.batch.count == 0 { committed() }
    }
    return (result, isReusable)
  }

  /// Makes every acknowledged commit survive the loss of power.
  public func synchronize() throws(LogError) {
    try waitUntilDurable(pipeline.appendedSequence())
  }

  /// Returns when the commit that ended with `sequence`, and all before it, survive the loss of
  /// power: synchronizes, together with others that wait, unless that has happened already.
  ///
  /// - Throws: ``LogError/fileIO(_:)``, ``LogError/poisoned(cause:)``, ``LogError/readOnly``.
  public func waitUntilDurable(_ sequence: CommitSequence) throws(LogError) {
    pipeline.expectNotEntered("waiting for a synchronization")
    try pipeline.waitUntilDurable(min(sequence, pipeline.appendedSequence()))
  }

  /// The same for callers that must not block.
  public func waitUntilDurable(_ sequence: CommitSequence) async throws(LogError) {
    try await asyncCommitter.waitUntilDurable(sequence)
  }

  /// Traps on a thread that is inside a transaction of this log, where `purpose` would wait for
  /// itself.
  package func expectOutsideTransaction(_ purpose: String) { pipeline.expectNotEntered(purpose) }

  /// Traps on a thread of the log's own, for which `purpose` would wait.
  package func expectNotOwnThread(_ purpose: String) { pipeline.expectNotOwnThread(purpose) }

  /// Closes the log: seals what was written, so that the next opening reads no record.
  ///
  /// Snapshots stay readable. Work in the background is given up. A log let go without closing is
  /// recovered at the next opening.
  /// - Throws: what sealing throws, and ``LogError/poisoned(cause:)`` when commits with the
  ///   durability ``Durability/process`` may not survive the loss of power; it is closed even so.
  public func close() throws(LogError) {
    pipeline.expectNotEntered("closing the log")
    pipeline.expectNotOwnThread("closing the log")
    pipeline.stopThreads()
    pipeline.enter("closing the log")
    defer { pipeline.leave() }
    let wasOpen = !pipeline.isClosed
    // It is closed, also when something of it fails.
    defer { if wasOpen { configuration.observer?.observe(.closed) } }
    try pipeline.close()
  }

  /// Merges the indexes of all sealed segments into one, which makes look-ups fastest; into some
  /// eight that lie side by side where they have 65,536 keys or more, a range of keys at a time.
  ///
  /// The log does that by itself when nothing is written for a while; this is for those who cannot
  /// wait, after a compaction or an import. Costs reading and writing all indexes, a tenth of the
  /// data or less; with `sparingLargest` the largest is left alone while the others together have
  /// less than an eighth of its keys, and they become one beside it. Others read and commit
  /// meanwhile. Durable on return; after an error, and when the log is closed meanwhile, the ranges
  /// that were done stay, and everything else is as it was.
  ///
  /// A merged index takes a page of 4096 bytes for each collection. Indexes of so many collections
  /// that this would take more than their keys, 64 bytes for each and 4 MiB, stay as they are
  /// until there are more keys, for which all are tried with each call without `sparingLargest`;
  /// and so do those with hundreds of keys whose hashes were made to be the same, until the log is
  /// opened again. Look-ups ask them by themselves, and the others are merged without them. That
  /// is no error.
  public func mergeIndexes(sparingLargest: Bool = false) throws(LogError) {
    pipeline.expectNotEntered("merging indexes")
    pipeline.expectNotOwnThread("merging indexes")
    try pipeline.maintenance.mergeAll(pipeline, sparingLargest ? .idle : .single)
  }

  private func perform(_ alone: [CommitRequest]) {
    queue.perform(alone) { group in
      pipeline.enterForCommit()
      defer { pipeline.leave() }
      pipeline.append(group)
    } finish: { group in
      pipeline.finish(group, callerCount: group.count)
    }
  }

  /// An empty commit for one change; ``endSingle(_:)`` takes it back.
  func beginSingle(_ durability: Durability?) -> SingleCommit {
    let single = singles.take() ?? SingleCommit(makeBatch())
    single.begin(at: commitTime, durability ?? configuration.durability)
    return single
  }

  /// Commits what is in its batch, like ``commit(_:durability:)``.
  func commit(_ single: SingleCommit) throws(LogError) -> CommitSequence {
    pipeline.expectNotEntered("a commit")
    perform(single.group)
    return try single.request.outcome()
  }

  /// Keeps the commit for the next change.
  func endSingle(_ single: SingleCommit) { singles.giveBack(single) }
}
