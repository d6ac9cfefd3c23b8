internal import BinaryCoding
internal import FileIO

/// A segment as its readers see it: records by place, and the index of those it holds.
///
/// The file is opened when it is first needed. Mapped, it keeps no descriptor; read into buffers,
/// it shares a budget of descriptors with the others. Either way what was opened is found without
/// a lock. A retired segment's file is removed when the last view that can read it goes away. Safe
/// on any thread.
final class Segment: Sendable {
  private struct State: ~Copyable {
    /// What commits append to, until the segment is sealed.
    var activeFile: (any File)?
    /// Why the index cannot be rebuilt either; not tried again by each look-up.
    var damage: LogError?
    /// Whether that was so, also where it was a bad place of the disk: look-ups try that again.
    var isWithoutIndex = false
  }

  /// Where the bytes come from.
  private final class Source: Sendable {
    let file: any File
    let mapping: MappedBytes?
    /// The part of the mapping that holds records; borrowed from it.
    nonisolated(unsafe) let records: UnsafeRawBufferPointer?
    let isQuick: Bool

    init(file: any File, mapping: MappedBytes?, dataEnd: UInt64?, isQuick: Bool) {
      self.isQuick = isQuick
      self.file = file
      self.mapping = mapping
      records = mapping.flatMap { mapping in
        dataEnd.map { UnsafeRawBufferPointer(rebasing: mapping.bytes.prefix(Int($0))) }
      }
    }
  }

  let identifier: SegmentIdentifier
  let stream: SegmentStream
  let salt: UInt64
  /// The newest record of the segment, where it is sealed.
  let maximumSequence: CommitSequence
  let minimumSequence: CommitSequence
  /// Records of the segment, where it is sealed.
  let recordCount: UInt64
  /// Where the records end; nothing while the segment is active.
  let dataEnd: UInt64?
  /// What the manifest says of where its keys lie, where it is sealed.
  let heads: KeyHeads?
  /// Made when it is asked for: opening a store would spend most of its time on names.
  var name: FileName { StoreDirectory.segment(identifier) }
  /// The reserved collections of which walks must read this segment: it has live records of them,
  /// or may have tombstones, which hide older records. Opening a store relies on passing over the
  /// other segments.
  let reservedCollections: [CollectionIdentifier]
  /// Those of its store; its records may need them.
  let dictionaries: DictionaryShelf
  private let store: StoreIdentifier
  private let directory: any Directory
  private let retirable: RetirableFile
  private let readMode: LogConfiguration.ReadMode
  private let observer: (any StoreObserver)?
  private let state: Lock<State>
  private let source = OnceReference<Source>()
  /// The file that commits append to, mapped further than it reaches; empty where that cannot be.
  private let ahead = OnceReference<MappedBytes>()
  private let aheadByteCount: Int
  private let footer = OnceReference<IndexRun>()
  /// Takes the footer's place when that is damaged.
  private let rebuiltFooter = OnceReference<IndexRun>()

  /// A segment that is sealed, or is read up to what its memory table knows.
  ///
  /// `file` is what commits append to; where only this process writes it, and cuts off nothing that
  /// an index points to, its first `aheadByteCount` bytes may be mapped. `predecessor` is the same
  /// segment before it was sealed: views may still read through it, so the file stays as long as
  /// either of them.
  init(
    _ descriptor: SegmentDescriptor, store: StoreIdentifier, directory: any Directory,
    readMode: LogConfiguration.ReadMode, dictionaries: DictionaryShelf, file: (any File)? = nil,
    aheadByteCount: Int = 0, observer: (any StoreObserver)? = nil, predecessor: Segment? = nil
  ) {
    self.aheadByteCount = readMode == .mapped ? aheadByteCount : 0
    self.observer = observer
    self.dictionaries = dictionaries
    identifier = descriptor.identifier
    stream = descriptor.stream
    salt = descriptor.salt
    minimumSequence = descriptor.minimumSequence
    recordCount = descriptor.recordCount
    maximumSequence = descriptor.maximumSequence
    dataEnd = descriptor.isSealed ? descriptor.dataEnd : nil
    heads = descriptor.heads
    reservedCollections = CollectionIdentifier.reserved.filter { collection in
      descriptor.live.versions.contains { $0.collection == collection }
        || descriptor.mayHaveTombstones(of: collection)
    }
    retirable = predecessor?.retirable ?? RetirableFile(identifier)
    self.store = store
    self.directory = directory
    self.readMode = readMode
    state = Lock(State(activeFile: file))
  }

  /// What is wrong with a segment whose file has gone.
  static let missing = "the manifest lists it, but it is missing"

  /// Lets the file be removed with the last reader, if `ownership` lasts until then; the manifest
  /// must not list it any more.
  func retire(_ ownership: StoreOwnership) { retirable.retire(ownership) }

  /// Lets go of the file that commits appended to; views that still read it open it for themselves.
  func endWriting() {
    _ = state.withLock { state in
      let old = state.activeFile
      state.activeFile = nil
      return old
    }
  }

  /// What its file is mapped to, if it is.
  var mapping: MappedBytes? { source.load()?.mapping }

  /// Whether its file was opened, as a sealed segment's.
  var isOpen: Bool { source.isStored }

  /// Whether the footer was damaged or missing and its index was rebuilt from the records.
  var hasRebuiltFooter: Bool { rebuiltFooter.load() != nil }

  /// The record at the place an index gives, verified and decompressed.
  func record(at value: IndexValue, key: IndexKey) throws(LogError) -> StoredRecord {
    try withRecord(at: value, key: key) { (record) throws(LogError) in
      StoredRecord(
        schemaVersion: record.header.schemaVersion, sequence: value.sequence,
        commitTime: record.header.commitTime, payload: try payload(of: record, at: value.offset))
    }
  }

  /// What ``record(at:key:)`` says, where it can be had without counting references.
  func fastRecord(at value: IndexValue, key: IndexKey) -> FastRecord {
    guard let bytes = mappedBytes(at: value), let start = bytes.baseAddress else { return .unknown }
    // The first lines at once, in place of one after the other as they are read.
    Prefetch.read(start, count: bytes.count)
    do throws(BinaryDecodingError) {
      let record = try RecordDecoder.decode(bytes, value, key, seed: store.checksumSeed)
      guard let dictionary = dictionaries.known(for: record.header),
        let found = VerifiedRecord(record, value.sequence, dictionary)
      else { return .unknown }
      return .found(found)
    } catch { return .unknown }
  }

  /// The bytes at the place an index gives, where they are mapped already; valid as long as the
  /// segment.
  func mappedBytes(at value: IndexValue) -> UnsafeRawBufferPointer? {
    guard let records = source.lend({ $0.records }) ?? ahead.lend({ $0.bytes }) else { return nil }
    let start = Int(value.offset)
    let end = start + Int(value.length)
    guard end <= records.count, value.length <= UInt32(RecordHeader.recordByteCountMaximum) else {
      return nil
    }
    return UnsafeRawBufferPointer(rebasing: records[start..<end])
  }

  /// The same, and maps the segment when it is not mapped yet; nothing when it is read from its
  /// file.
  func openedBytes(at value: IndexValue) throws(LogError) -> UnsafeRawBufferPointer? {
    guard readMode == .mapped else { return nil }
    if dataEnd == nil { mapAhead() } else { _ = try openForReading() }
    return mappedBytes(at: value)
  }

  /// Maps the file that commits append to. Where the system cannot, it is not asked again.
  private func mapAhead() {
    guard aheadByteCount > 0, !ahead.isStored,
      let file = state.withLock({ state in state.activeFile })
    else { return }
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    _ = ahead.storeIfNil(file.mapAhead(count: aheadByteCount) ?? MappedBytes(none) { _ in })
  }

  /// Calls `body` with the verified record at the place an index gives.
  func withRecord<Result>(
    at value: IndexValue, key: IndexKey,
    _ body: (RecordDecoder.Decoded) throws(LogError) -> Result
  ) throws(LogError) -> Result {
    try check(value)
    var mapped = mappedBytes(at: value)
    if mapped == nil { mapped = try openedBytes(at: value) }
    if let mapped, dataEnd != nil { return try body(try decode(mapped, value, key)) }
    if let mapped, let record = verified(mapped, value, key) { return try body(record) }
    let bytes = try FileReading.exactly(
      Int(value.length), of: try openForReading().file, at: UInt64(value.offset), name: name)
    return try bytes.withBytes { (buffer: UnsafeRawBufferPointer) throws(LogError) in
      try body(try decode(buffer, value, key))
    }
  }

  /// The record in bytes that were mapped before they were written; where file systems do not show
  /// in mappings what is written, it must be read from the file.
  private func verified(
    _ bytes: UnsafeRawBufferPointer, _ value: IndexValue, _ key: IndexKey
  ) -> RecordDecoder.Decoded? {
    do throws(BinaryDecodingError) {
      return try RecordDecoder.decode(bytes, value, key, seed: store.checksumSeed)
    } catch { return nil }
  }

  /// Whether a rewrite that takes its time can make the records smaller than they are; known when
  /// one of them was read.
  var isQuick: Bool { stream == .user || source.load()?.isQuick ?? false }

  /// What the checksums of the store's records begin with.
  var checksumSeed: UInt64 { store.checksumSeed }

  /// Reads the bytes of a record from the file into `buffer`, in place of what it holds.
  func read(_ value: IndexValue, into buffer: inout ByteWriter) throws(LogError) {
    let file = try openForReading().file
    try check(value)
    buffer.removeAll()
    do throws(FileIOError) {
      try buffer.append(capacity: Int(value.length)) {
        (target: UnsafeMutableRawBufferPointer) throws(FileIOError) in
        try file.read(into: target, at: UInt64(value.offset))
      }
    } catch { throw .fileIO(error) }
    guard buffer.count == Int(value.length) else {
      throw damage(at: UInt64(value.offset), "the file ends within a record")
    }
  }

  /// The record in `bytes`, which an index says belongs to `key`.
  func decode(
    _ bytes: UnsafeRawBufferPointer, _ value: IndexValue, _ key: IndexKey
  ) throws(LogError) -> RecordDecoder.Decoded {
    do throws(BinaryDecodingError) {
      return try RecordDecoder.decode(bytes, value, key, seed: store.checksumSeed)
    } catch {
      throw damage(at: UInt64(value.offset), "record: \(error)")
    }
  }

  /// The index of a sealed segment: its footer, or rebuilt from its records when that is damaged.
  func run() throws(LogError) -> IndexRun {
    if let run = rebuiltFooter.load() ?? footer.load() { return run }
    guard let dataEnd else { preconditionFailure("an active segment has no footer") }
    if let damage = state.withLock({ state in state.damage }) { throw damage }
    let source: (file: any File, mapping: MappedBytes?)
    do throws(LogError) { source = try openForReading() } catch { throw noting(error) }
    let run: IndexRun
    do throws(RunDamage) {
      run = try SegmentFooter.open(
        file: source.file, mapping: source.mapping, dataEnd: dataEnd, salt: salt)
    } catch {
      if let obstacle = error.obstacle { throw .fileIO(obstacle) }
      return try rebuildRun()
    }
    try check(run)
    return found(run, for: footer)
  }

  /// Throws when the manifest says of its keys what is not so: look-ups would have passed over it.
  private func check(_ run: IndexRun) throws(LogError) {
    guard let heads, heads != run.heads else { return }
    throw noting(damage(at: dataEnd ?? 0, Self.misplacedKeys))
  }

  /// What is wrong with an index, of a segment or merged, whose keys the manifest misplaces.
  static let misplacedKeys = "its keys lie elsewhere than the manifest says"
  /// What is wrong with a segment whose records have sequences outside of those that are listed.
  static let strayRecords = "it has records that are older or newer than the manifest says"

  /// What ``IndexRun/forgetPages()`` does, if the footer is open.
  func forgetFooterPages() { footer.load()?.forgetPages() }

  /// What the footer says of `key`, where that can be had without counting references.
  func fastAnswer(_ key: IndexKey, hash: UInt64) -> FastAnswer {
    lendRun { $0.fastAnswer(key, hash: hash) } ?? .unknown
  }

  /// Lends the footer, when it is open and not damaged.
  @inline(__always)
  func lendRun<Result>(_ body: (IndexRun) -> Result) -> Result? {
    rebuiltFooter.isStored ? nil : footer.lend(body)
  }

  /// Rebuilds the index from the records; for a run that turned out damaged while it was read.
  ///
  /// One at a time, because each takes memory for all keys: threads that find the damage together
  /// wait for the first.
  func rebuildRun() throws(LogError) -> IndexRun {
    Self.rebuilding.enter()
    defer { Self.rebuilding.leave() }
    if let run = rebuiltFooter.load() { return run }
    if let damage = state.withLock({ state in state.damage }) { throw damage }
    let source = try openForReading()
    do throws(LogError) {
      let rebuilt = try SegmentFooter.rebuild(
        self, file: source.file, seed: store.checksumSeed)
      try check(rebuilt)
      let run = found(rebuilt, for: rebuiltFooter)
      observer?.observe(.footerRebuilt(identifier))
      return run
    } catch { throw noting(error) }
  }

  private static let rebuilding = Monitor()

  /// Remembers damage for which there is no index.
  private func noting(_ error: LogError) -> LogError {
    state.withLock { state in
      if error.damage != nil { state.isWithoutIndex = true }
      if case .corruption = error { state.damage = error }
    }
    return error
  }

  /// Keeps an index that was found, also where the disk refused it before.
  private func found(_ run: IndexRun, for place: borrowing OnceReference<IndexRun>) -> IndexRun {
    state.withLock { state in state.isWithoutIndex = state.damage != nil }
    return place.storeIfNil(run)
  }

  /// Whether it was found, when it was last looked for, that its index can neither be read nor
  /// rebuilt.
  var isWithoutIndex: Bool { state.withLock { state in state.isWithoutIndex } }

  /// The file, for scanning.
  func openFile() throws(LogError) -> any File { try openForReading().file }

  private func openForReading() throws(LogError) -> (file: any File, mapping: MappedBytes?) {
    if let source = source.load() { return (source.file, source.mapping) }
    if let file = state.withLock({ state in state.activeFile }) { return (file, nil) }
    let source = source.storeIfNil(try open())
    return (source.file, source.mapping)
  }

  private func open() throws(LogError) -> Source {
    let file = try openUnchecked()
    let isQuick = try checkedHeader(of: file, name: name).header.isQuick
    guard readMode == .mapped, dataEnd != nil else { return source(file, nil, isQuick) }
    do throws(FileIOError) {
      return source(file, try file.mappedIfPossible(), isQuick)
    } catch { throw .fileIO(error) }
  }

  private func source(_ file: any File, _ mapping: MappedBytes?, _ isQuick: Bool) -> Source {
    Source(file: file, mapping: mapping, dataEnd: dataEnd, isQuick: isQuick)
  }

  /// The header and its bytes, after checking that the file is this segment of this store.
  func checkedHeader(
    of file: any File, name known: FileName? = nil
  ) throws(LogError) -> (header: SegmentHeader, bytes: [UInt8]) {
    let name = known ?? name
    let bytes = try FileReading.exactly(SegmentHeader.byteCount, of: file, at: 0, name: name)
    let header = try bytes.withBytes { (buffer: UnsafeRawBufferPointer) throws(LogError) in
      try SegmentHeader.decode(buffer, file: name.description)
    }
    try header.checkVersion(file: name)
    guard header.store == store, header.segment == identifier, header.salt == salt,
      header.stream == stream
    else { throw damage(at: 0, "the file belongs to another place or another store") }
    return (header, bytes)
  }

  /// Refuses a segment that a newer version must write; the file is not kept open.
  func checkWritable() throws(LogError) {
    let file: any File
    do throws(FileIOError) { file = try directory.open(name, .read) } catch {
      // That it is missing, or damaged, is told by whoever reads it.
      if error.reason == .notFound || error.tellsOfDamage { return }
      throw .fileIO(error)
    }
    do throws(LogError) {
      let bytes = try FileReading.exactly(SegmentHeader.byteCount, of: file, at: 0, name: name)
      try bytes.withBytes { (buffer: UnsafeRawBufferPointer) throws(LogError) in
        try SegmentHeader.decode(buffer, file: name.description).checkWritable(file: name)
      }
    } catch {
      guard error.damage != nil else { throw error }
    }
  }

  /// The file as it lies there, whatever its header says.
  func openUnchecked() throws(LogError) -> any File {
    do throws(FileIOError) { return try directory.openSealed(name) } catch {
      guard error.reason == .notFound else { throw .fileIO(error) }
      throw damage(at: 0, Self.missing)
    }
  }

  /// The error for bytes that are not what was written; the observer is told.
  func damage(at offset: UInt64, _ reason: String) -> LogError {
    let report = CorruptionReport(file: name.description, offset: offset, reason: reason)
    observer?.observe(.damaged(report))
    return .corruption(report)
  }
}
