internal import FileIO
internal import LogStore
internal import SchemaRegistry

/// How the objects of an open store are read; what all stand for it share.
///
/// Where this process has the store's lock that is decided once, at opening. Beside a writer it is
/// decided anew by ``Store/refresh()``, as an opening would: what a snapshot reads and how it reads
/// it are exchanged together, so that no snapshot has the one without the other.
final class StoreReading: Sendable {
  /// Decided from the log's state and the catalog in it.
  struct Decided: Sendable {
    let reader: UpgradingReader
    let bindings: ModelBindings
  }

  typealias Deciding = @Sendable (Log, SchemaCatalog) throws(StoreError) -> Decided

  /// What is shown beside a writer.
  private struct Shown: Sendable {
    let state: LogState
    let catalog: SchemaCatalog
    /// Types and versions that had objects.
    let versions: Set<CollectionVersion>
    let decided: Decided
  }

  /// Who is told what is committed, or shown by a refresh.
  let watches = ChangeWatches()
  private let opened: Decided
  /// Nothing where it is not needed: it may keep what the application's code refers to.
  private let decide: Deciding?
  /// Nothing where nobody else can write.
  private let shown: Lock<Shown>?
  /// Whose turn it is to refresh; held while files are read, and over code of the application.
  private let turn = ExclusiveLock()

  /// Decides with `first`, and with `again` after each refresh.
  init(
    _ log: Log, again: @escaping Deciding,
    first: (Log, SchemaCatalog) throws(StoreError) -> Decided
  ) throws(StoreError) {
    let state = log.state
    let catalog = try Self.catalog(of: log, in: state)
    opened = try first(log, catalog)
    decide = log.isBesideWriter ? again : nil
    shown =
      log.isBesideWriter
      ? Lock(
        Shown(state: state, catalog: catalog, versions: Self.versions(in: log), decided: opened))
      : nil
  }

  private static func catalog(
    of log: Log, in state: LogState
  ) throws(StoreError) -> SchemaCatalog {
    var catalog = try SchemaCatalog(log.snapshot(of: state, lasting: true))
    catalog.noteUndescribed(in: log)
    return catalog
  }

  private static func versions(in log: Log) -> Set<CollectionVersion> {
    Set(log.liveByVersion.filter { $0.value.recordCount > 0 }.keys)
  }

  var reader: UpgradingReader {
    guard let shown else { return opened.reader }
    return shown.withLock { shown in shown.decided.reader }
  }

  var bindings: ModelBindings {
    guard let shown else { return opened.bindings }
    return shown.withLock { shown in shown.decided.bindings }
  }

  /// The state that is shown, and how it is read; a `lasting` one has no limit of its age.
  func snapshot(of log: Log, lasting: Bool = false) -> StoreSnapshot {
    guard let shown else {
      let catalog = opened.reader.shownCatalog
      return StoreSnapshot(
        log.snapshot(of: log.state, lasting: lasting), catalog: catalog, reader: opened.reader,
        bindings: opened.bindings)
    }
    let now = shown.withLock { shown in shown }
    return StoreSnapshot(
      log.snapshot(of: now.state, lasting: lasting), catalog: now.catalog,
      reader: now.decided.reader,
      bindings: now.decided.bindings)
  }

  /// Goes to the newest state, if that can be read; else nothing changes that snapshots see.
  func refresh(_ log: Log) throws(StoreError) -> CommitSequence {
    log.expectOutsideTransaction("a refresh")
    guard let shown, let decide else {
      return try StoreError.log { () throws(LogError) in try log.refresh() }
    }
    turn.lock("a refresh")
    defer { turn.unlock() }
    let newest = try StoreError.log { () throws(LogError) in try log.refresh() }
    let state = log.state
    let catalog = try Self.catalog(of: log, in: state)
    let versions = Self.versions(in: log)
    let known = shown.withLock { shown in shown }
    // Plans that were made are kept where nothing came that they do not know.
    let isSame = catalog == known.catalog && versions.isSubset(of: known.versions)
    let next = Shown(
      state: state, catalog: catalog, versions: versions.union(isSame ? known.versions : []),
      decided: isSame ? known.decided : try decide(log, catalog))
    shown.withLock { shown in shown = next }
    if log.snapshot(of: state).lastSequence != log.snapshot(of: known.state).lastSequence {
      watches.tell(nil)
    }
    return newest
  }
}
