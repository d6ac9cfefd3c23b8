internal import BinaryCoding
internal import FileIO

/// Brings a store's state back from its files, reading only; nothing on disk changes.
///
/// 1. Read the manifest. Sealed segments are taken as it describes them: none is opened.
/// 2. If it names an active segment, the store was not closed. Scan that segment's frames, each of
///    which must verify and follow the one before, and apply their records.
/// 3. Where the scan ends in bytes that do not verify, decide whether they are torn (the log ends
///    there) or rotten (refuse): see ``TailVerdict``.
/// 4. What was read may be in the operating system's cache only: the first write copies it to a new
///    segment and synchronizes that.
enum Recovery {
  /// The state of the store in `directory`, whose manifest is `manifest`.
  static func recover(
    _ manifest: Manifest, in directory: any Directory, configuration: LogConfiguration
  ) throws(LogError) -> RecoveredState {
    var sealed: [Segment] = []
    var accounts: [SegmentIdentifier: SegmentAccount] = [:]
    for descriptor in manifest.segments where descriptor.isSealed {
      accounts[descriptor.identifier] = SegmentAccount(descriptor)
      sealed.append(
        Segment(
          descriptor, store: manifest.store, directory: directory,
          readMode: configuration.readMode, observer: configuration.observer))
    }
    let runs = manifest.runs.map {
      MergedRun($0, in: directory, readMode: configuration.readMode)
    }
    let table = MemoryTable()
    let view = View(
      table: table.publish(), active: nil,
      beneath: SealedIndex(View.ordered(sealed), runs: runs),
      lastSequence: manifest.lastSequence)
    var state = RecoveredState(
      manifest: manifest, accounts: accounts, table: table, view: view,
      durableSequence: manifest.durableSequence, tail: nil, report: RecoveryReport())
    if let active = manifest.segments.first(where: { !$0.isSealed }) {
      try replay(active, in: directory, configuration: configuration, into: &state)
    }
    return state
  }

  private static func replay(
    _ descriptor: SegmentDescriptor, in directory: any Directory,
    configuration: LogConfiguration, into state: inout RecoveredState
  ) throws(LogError) {
    let segment = Segment(
      descriptor, store: state.manifest.store, directory: directory,
      readMode: configuration.readMode, observer: configuration.observer)
    let account = SegmentAccount(descriptor)
    account.descriptor.recordCount = 0
    account.descriptor.tombstoneCount = 0
    let file = try segment.openFile()
    let headerBytes = try segment.checkedHeader(of: file)
    let header = try headerBytes.withBytes {
      (bytes: UnsafeRawBufferPointer) throws(LogError) in
      try SegmentHeader.decode(bytes, file: segment.name.description)
    }
    let applier = ChangeApplier(
      table: state.table, active: account, activeSegment: segment, base: state.view,
      accounts: state.accounts, watch: nil)
    var replay = TailReplay(
      segment: segment, applier: applier, countedFrom: state.manifest.lastSequence,
      lastSequence: CommitSequence(header.firstSequence.rawValue - 1),
      durableSequence: state.manifest.durableSequence, report: RecoveryReport())
    let end = try replay.run(
      file: file, header: headerBytes, seed: state.manifest.store.checksumSeed)
    state.accounts[descriptor.identifier] = account
    state.durableSequence = replay.durableSequence
    state.report = replay.report
    state.view = View(
      table: state.table.publish(), active: segment, beneath: state.view.beneath,
      lastSequence: max(replay.lastSequence, state.manifest.lastSequence))
    state.tail = RecoveredTail(segment: segment, header: header, account: account, end: end)
  }
}
