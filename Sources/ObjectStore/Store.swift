public import Compaction
internal import FileIO
internal import LogStore
public import SchemaRegistry

/// Objects on disk, versioned: the entry to everything an application does.
///
/// One process has a store open for writing; in it any number of threads read and write. Opening
/// does not migrate, but for barriers of the history and what a configuration asks for: an object
/// of an older schema version is upgraded when it is read, and for good when it is put again or
/// moved by compaction.
public final class Store: Sendable {
  let log: Log
  let reading: StoreReading
  let lease: CompactionLease
  var reader: UpgradingReader { reading.reader }
  var bindings: ModelBindings { reading.bindings }
  var engine: StoreCompaction { lease.engine }

  convenience init(log: Log, reading: StoreReading, configuration: StoreConfiguration) {
    let engine = StoreCompaction(
      log: log, reading: reading, configuration: configuration.compaction,
      timeSource: configuration.log.timeSource)
    self.init(
      log: log, reading: reading,
      lease: CompactionLease(engine, isAutomatic: configuration.compactsAutomatically))
  }

  /// One more object for a store that is open.
  init(log: Log, reading: StoreReading, lease: CompactionLease) {
    self.log = log
    self.reading = reading
    self.lease = lease
  }

  /// Keeps the store in shape while the application works; see ``CompactionConfiguration``.
  ///
  /// It ends when the store is closed, or let go.
  public var compaction: AutomaticCompaction { lease.compaction }

  /// What was found when the store was opened.
  public var recoveryReport: RecoveryReport { log.recoveryReport }
  /// The schema version that is written.
  public var schemaVersion: SchemaVersion { reader.schema.version }
  /// The shape of that version.
  public var schema: SchemaShape { reader.schema.shape }
  /// The shapes that versions which wrote to the store had.
  public var storedSchemas: [SchemaVersion: SchemaShape] { reader.catalog.shapes.dictionary }
  /// What the store recorded of the history's versions when it first met them.
  public var ledger: [SchemaVersion: RecordedVersion] { reader.catalog.ledger.dictionary }

  /// The current state; constant time, from any thread.
  ///
  /// Beside a writer in another process it is that of the last ``refresh()``, or of opening.
  public func snapshot() -> StoreSnapshot { reading.snapshot(of: log) }

  /// Runs `body` with a snapshot.
  public func read<Result>(_ body: (StoreSnapshot) throws -> Result) rethrows -> Result {
    try body(snapshot())
  }

  /// Runs `body` with a transaction and commits its changes when it returns.
  ///
  /// On return they are visible and survive what `durability` says (the configuration's when not
  /// given). When `body` throws, nothing was changed, and the error is thrown as it is. Writers are
  /// serial; readers do not wait for `body`.
  ///
  /// In `body` use the transaction alone. ``read(_:)`` and ``snapshot()`` work there and show the
  /// store without the changes of this transaction. What asks the store or changes it is a
  /// programmer error there and ends the process, as it would wait for itself: another write,
  /// ``synchronize()``, ``close()``, ``refresh()``, ``compact(_:pace:progress:)``,
  /// ``compactionPlan(_:)``, ``migrate(_:progress:)``, ``buildIndexes(progress:)``,
  /// ``validate(sample:)``, ``statistics()``, ``typesNeedingCode()``,
  /// ``backup(to:fileSystem:progress:)`` and ``AutomaticCompaction/step()``.
  @discardableResult
  public func write<Result>(
    durability: Durability? = nil, _ body: (StoreTransaction) throws -> Result
  ) throws -> Result {
    // What the transaction adds to the catalog holds for others when it is committed, not before:
    // they would write objects whose description never comes, if this one failed.
    var outcome = WriteOutcome()
    let (reader, bindings, watches) = (reader, bindings, reading.watches)
    do {
      // Both are written here: a name for one of them would put the outcome into memory of its own.
      let result = try log.transact(
        durability: durability, committed: { outcome.install(in: reader) },
        { transaction in
          let transaction = StoreTransaction(
            transaction, reader: reader, bindings: bindings, changes: watches.begin())
          let result: Result
          do { result = try body(transaction) } catch let error as LogError {
            throw BodyError(cause: error)
          }
          outcome = WriteOutcome(transaction)
          return result
        })
      outcome.show(in: reader)
      outcome.tell(watches)
      return result
    } catch {
      throw BodyError.passedOn(error)
    }
  }

  /// The same for callers that must not block: `body` runs on a thread of the store's own, and
  /// transactions that wait at the same time share one synchronization, unless their bodies take
  /// long.
  ///
  /// Bodies run one after another, and a write is durable after the body that is running: `body`
  /// must not wait for another write. When the task is cancelled before `body` has begun, nothing
  /// is changed and `CancellationError` is thrown; when it is cancelled later, the write is made.
  @discardableResult
  public func write<Result: Sendable>(
    durability: Durability? = nil,
    _ body: @escaping @Sendable (StoreTransaction) throws -> Result
  ) async throws -> Result {
    let (reader, bindings, watches) = (reader, bindings, reading.watches)
    let outcome = Lock(WriteOutcome())
    let committed = { @Sendable in
      var made = outcome.withLock { outcome in outcome }
      made.install(in: reader)
      let installed = made
      outcome.withLock { outcome in outcome = installed }
    }
    do {
      let result = try await log.transact(durability: durability, committed: committed) {
        transaction in
        let transaction = StoreTransaction(
          transaction, reader: reader, bindings: bindings, changes: watches.begin())
        let result: Result
        do { result = try body(transaction) } catch let error as LogError {
          throw BodyError(cause: error)
        }
        let made = WriteOutcome(transaction)
        outcome.withLock { outcome in outcome = made }
        return result
      }
      let made = outcome.withLock { outcome in outcome }
      made.show(in: reader)
      made.tell(watches)
      return result
    } catch {
      throw BodyError.passedOn(error)
    }
  }

  /// Makes every acknowledged commit survive the loss of power; not in the body of a write.
  public func synchronize() throws(StoreError) {
    try StoreError.log { () throws(LogError) in try log.synchronize() }
  }

  /// Closes the store, so that the next opening reads no record; snapshots stay readable.
  ///
  /// A compaction that runs by itself gives its step up first, which takes a slice, or the
  /// making of a dictionary, at most. Not in the body of a write, nor in code that such a step
  /// runs: that ends the process with a sentence, as it would wait for itself.
  ///
  /// Stores that were opened with one configuration are one store: closing one closes all, and what
  /// lived in memory is gone. Letting go of one closes nothing as long as others are held. Who
  /// opens the store meanwhile waits; in the body of a write, and in code that such a step runs,
  /// that is the error ``LogError/closed``.
  public func close() throws(StoreError) {
    log.expectOutsideTransaction("closing the store")
    compaction.expectOutsideStep("closing the store")
    log.expectNotOwnThread("closing the store")
    try OpenStores.shared.closing(log) { () throws(StoreError) in
      // Until the log has ended others may still write.
      defer { reading.watches.finish() }
      compaction.stop()
      putLastCopies()
      try StoreError.log { () throws(LogError) in try log.close() }
    }
  }

  /// Makes upgrades permanent and gives space back; readers and writers go on meanwhile.
  ///
  /// Extra disk is about one segment, extra memory a constant. Returns when everything that
  /// `policy` finds worth it is done and durable; `progress` is told of each slice of at most
  /// 256 KiB, but for the last record, and may end it earlier by returning false. It works as fast
  /// as `pace` allows. Records whose upgrade fails keep their bytes and are listed in the report. A
  /// step that the store was taking by itself is given up for it. Not in the body of a write, nor
  /// in code that such a step runs.
  @discardableResult
  public func compact(
    _ policy: CompactionPolicy = .everything, pace: CompactionPace = .unlimited,
    progress: (CompactionProgress) -> Bool = { _ in true }
  ) throws(StoreError) -> CompactionReport {
    try compaction.exclusively { () throws(StoreError) in
      try engine.run(policy, pace: pace, effort: .thorough, progress: progress)
    }
  }

  /// The types with live objects that cannot be upgraded without the application's code, sorted.
  ///
  /// They are known when the history was read from a file; ``compact(_:pace:progress:)`` keeps
  /// their objects at the version they were written under. Not in the body of a write.
  public func typesNeedingCode() throws(StoreError) -> [String] {
    var names: Set<String> = []
    for key in log.liveByVersion.keys where !key.collection.isReserved {
      do throws(StoreError) {
        _ = try reader.plan(for: key.collection, SchemaVersion(rawValue: key.schemaVersion))
      } catch .schema(.needsApplicationCode(let type, _)) {
        names.insert(type)
      } catch {
        continue  // Told when the object is read.
      }
    }
    return names.sorted()
  }

  /// What ``compact(_:pace:progress:)`` would do now, which seals the active segment first.
  ///
  /// Not in the body of a write.
  public func compactionPlan(
    _ policy: CompactionPolicy = .everything
  ) throws(StoreError) -> CompactionPlan {
    let upgrader = try engine.upgrader()
    return try StoreError.log { () throws(LogError) in
      try Compactor(log, upgrader: upgrader).plan(policy, includesActive: true)
    }
  }

  /// What the store holds, by type and schema version; costs no reading of records.
  ///
  /// Not in the body of a write.
  public func statistics() throws(StoreError) -> StoreStatistics {
    let statistics = try StoreError.log { () throws(LogError) in try log.statistics() }
    return StoreStatistics(statistics, catalog: reader.catalog)
  }

  /// What ``statistics()`` tells of types; asks no file, and so is told where these cannot be read.
  ///
  /// Not in the body of a write.
  package var liveTypes: [StoreStatistics.TypeTotals] {
    StoreStatistics.types(log.liveByVersion, reader.catalog)
  }
}
