internal import BinaryCoding
internal import FileIO

/// Brings a store's state back from its files, reading only; nothing on disk changes.
///
/// 1. Read the manifest; when it is damaged or missing, see ``ManifestRebuilding``. Sealed segments
///    are taken as it describes them: none is opened.
/// 2. If it names an active segment, the store was not closed. Scan that segment's frames, each of
///    which must verify and follow the one before, and apply their records.
/// 3. Where the scan ends in bytes that do not verify, decide whether they are torn (the log ends
///    there) or rotten (refuse): see ``TailVerdict``.
/// 4. What was read may be in the operating system's cache only: the first write copies it to a new
///    segment and synchronizes that.
enum Recovery {
  /// The state of the store in `directory`, whose manifest is `manifest`.
  static func recover(
    _ manifest: Manifest, in directory: any Directory, configuration: LogConfiguration,
    reusing known: RecoveredState? = nil
  ) throws(LogError) -> RecoveredState {
    var state = sealedState(
      of: manifest, in: directory, configuration: configuration, reusing: known)
    if let active = manifest.segments.first(where: { !$0.isSealed }) {
      try replay(active, in: directory, configuration: configuration, into: &state)
    }
    return state
  }

  /// The state without the active segment; reads nothing. Segments that are `known` and open, and
  /// dictionaries, are kept with what is open of them.
  static func sealedState(
    of manifest: Manifest, in directory: any Directory, configuration: LogConfiguration,
    reusing before: RecoveredState? = nil
  ) -> RecoveredState {
    let before = before.flatMap { $0.mayBecome(manifest) ? $0 : nil }
    let known = SegmentTable(before?.view.sealed ?? [], by: \.identifier)
    let dictionaries =
      before?.dictionaries
      ?? DictionaryShelf(manifest.store, in: directory, observer: configuration.observer)
    dictionaries.replaceUnread(manifest.segments.filter(manifest.holdsDictionaries)) {
      known[$0] != nil
    }
    var sealed: [Segment] = []
    var accounts: [SegmentAccount] = []
    sealed.reserveCapacity(manifest.segments.count)
    accounts.reserveCapacity(manifest.segments.count)
    for descriptor in manifest.segments where descriptor.isSealed {
      accounts.append(SegmentAccount(descriptor))
      if let segment = known[descriptor.identifier], segment.salt == descriptor.salt,
        segment.isOpen
      {
        sealed.append(segment)
        continue
      }
      sealed.append(
        Segment(
          descriptor, store: manifest.store, directory: directory,
          readMode: configuration.readMode, dictionaries: dictionaries,
          observer: configuration.observer))
    }
    let pageCache =
      before?.pageCache ?? RunPageCache(byteCountMaximum: configuration.indexCacheByteCount)
    let runs = manifest.runs.map {
      MergedRun($0, in: directory, readMode: configuration.readMode, cache: pageCache)
    }
    let table = MemoryTable()
    let view = View(
      table: table.publish(), active: nil,
      beneath: SealedIndex(View.ordered(sealed), runs: runs),
      lastSequence: manifest.lastSequence)
    return RecoveredState(
      manifest: manifest, accounts: SegmentTable(accounts, by: \.descriptor.identifier),
      dictionaries: dictionaries, table: table, view: view,
      durableSequence: manifest.durableSequence, tail: nil, report: RecoveryReport(),
      pageCache: pageCache)
  }

  /// Makes the tail a sealed segment, which it is because another one follows it.
  static func seal(
    _ closingHash: UInt64, in directory: any Directory, configuration: LogConfiguration,
    into state: inout RecoveredState
  ) throws(LogError) {
    guard let tail = state.tail else { return }
    tail.account.descriptor.dataEnd = tail.end
    tail.account.descriptor.closingHash = closingHash
    tail.account.descriptor.heads = state.view.table.heads
    let descriptor = tail.account.descriptor
    state.manifest.segments.append(descriptor)
    state.manifest.lastUserSegment = descriptor.identifier.rawValue
    state.manifest.lastUserHash = closingHash
    state.manifest.lastSequence = state.view.lastSequence
    state.manifest.durableSequence = state.view.lastSequence
    let segment = Segment(
      descriptor, store: state.manifest.store, directory: directory,
      readMode: configuration.readMode, dictionaries: state.dictionaries,
      observer: configuration.observer)
    state.durableSequence = state.view.lastSequence
    try state.settleReplacements()
    state.table = MemoryTable()
    state.replacements = PendingReplacements()
    state.view = View(
      table: state.table.publish(), active: nil,
      beneath: SealedIndex(View.ordered(state.view.sealed + [segment]), runs: []),
      lastSequence: state.view.lastSequence)
    state.tail = nil
  }

  /// Reads the frames of a segment that was not sealed and makes it the tail.
  static func replay(
    _ descriptor: SegmentDescriptor, in directory: any Directory,
    configuration: LogConfiguration, takesParts: Bool = false,
    into state: inout RecoveredState
  ) throws(LogError) {
    let name = StoreDirectory.segment(descriptor.identifier)
    let file: any File
    do throws(FileIOError) {
      file = try directory.open(name, .read)
    } catch {
      guard error.reason == .notFound else { throw .fileIO(error) }
      throw .corruption(
        CorruptionReport(
          file: name.description, offset: 0, reason: Segment.missing))
    }
    let segment = Segment(
      descriptor, store: state.manifest.store, directory: directory,
      readMode: configuration.readMode, dictionaries: state.dictionaries, file: file,
      observer: configuration.observer)
    let account = SegmentAccount(descriptor)
    account.descriptor.recordCount = 0
    account.descriptor.tombstoneCount = 0
    account.descriptor.dictionaryUses = DictionaryUses()
    let (header, headerBytes) = try segment.checkedHeader(of: file)
    if header.mayNeedDictionaries { state.manifest.usesDictionaries = true }
    if header.mayHaveShortFrames { state.manifest.usesShortFrames = true }
    let tail = RecoveredTail(
      segment: segment, header: header, account: account, end: 0, hash: 0,
      last: nil)
    var scanner: FrameScanner
    do throws(FileIOError) {
      scanner = try headerBytes.withBytes { (bytes: UnsafeRawBufferPointer) throws(FileIOError) in
        try FrameScanner(file, of: header, bytes, limit: nil)
      }
    } catch { throw .fileIO(error) }
    state.accounts[descriptor.identifier] = account
    try replay(
      &scanner, of: tail, after: CommitSequence(header.firstSequence.rawValue - 1),
      telling: configuration.observer, takesParts: takesParts, into: &state)
  }

  /// Reads on where the tail ended before: another process appends to it. `observer` is told of
  /// damage in what is read now.
  ///
  /// False where what was read is not there any more, as the append failed that wrote it: then the
  /// segment must be read from its beginning.
  static func continueReplay(
    telling observer: (any StoreObserver)?, into state: inout RecoveredState
  ) throws(LogError) -> Bool {
    guard let tail = state.tail else { return false }
    let file = try tail.segment.openFile()
    var scanner: FrameScanner
    do throws(FileIOError) {
      scanner = try FrameScanner(file, after: tail)
      if try !scanner.hasLast() { return false }
    } catch { throw .fileIO(error) }
    let last = max(
      state.view.lastSequence, CommitSequence(tail.header.firstSequence.rawValue - 1))
    try replay(&scanner, of: tail, after: last, telling: observer, into: &state)
    return true
  }

  private static func replay(
    _ scanner: inout FrameScanner, of tail: RecoveredTail, after last: CommitSequence,
    telling observer: (any StoreObserver)?, takesParts: Bool = false,
    into state: inout RecoveredState
  ) throws(LogError) {
    let applier = ChangeApplier(
      table: state.table, active: tail.account, beneath: state.view.beneath,
      accounts: state.accounts, watch: nil, replacements: state.replacements)
    var replay = TailReplay(
      segment: tail.segment, observer: observer, applier: applier,
      countedFrom: state.manifest.lastSequence,
      lastSequence: last, durableSequence: state.durableSequence, report: state.report,
      takesParts: takesParts)
    try replay.run(&scanner, seed: state.manifest.store.checksumSeed)
    state.durableSequence = replay.durableSequence
    state.report = replay.report
    state.report.tailByteCount = scanner.offset
    state.view = View(
      table: state.table.publish(), active: tail.segment, beneath: state.view.beneath,
      lastSequence: max(replay.lastSequence, state.manifest.lastSequence))
    state.tail = RecoveredTail(
      segment: tail.segment, header: tail.header, account: tail.account, end: scanner.offset,
      hash: scanner.hash, last: scanner.last)
  }
}
