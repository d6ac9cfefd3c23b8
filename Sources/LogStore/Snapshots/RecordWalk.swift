internal import BinaryCoding
internal import FileIO

/// Walks the live records of one collection in the order of their keys, one after the other; used
/// by one thread at a time.
///
/// It keeps the state it walks, with what that pins on disk, until it goes away.
final class RecordWalk {
  private let view: View
  /// The changes of a transaction up to some moment, kept for the cursor.
  private let changes: Changes?
  private let collection: CollectionIdentifier
  private let order: KeyOrder
  private let cursor: MergingCursor
  /// Nothing where deleted keys are passed over one by one.
  private let deadRanges: DeadRanges?
  private let seed: UInt64
  /// Nothing while the store has no segments.
  private let dictionaries: DictionaryShelf?
  /// The one that the last record named; next to all records name the same.
  @exclusivity(unchecked) private var lastDictionary: (identifier: UInt32, lent: LentDictionary) =
    (0, .empty)
  /// How far ahead a source's records are asked for: eight records are on their way together, but
  /// not so many that the first have left the cache again when they are needed.
  private let prefetchDistance: Int
  /// The record that is lent: who uses it needs no copy.
  private let lent = UnsafeMutablePointer<BorrowedRecord>.allocate(capacity: 1)
  // No code of others runs while one of the next three is changed. Asking the runtime whether it
  // does took a tenth of a long walk.
  /// Whether the record the cursor stands on was handed out.
  @exclusivity(unchecked) private var isHandedOut = false
  /// Deleted keys that it passes over; made for the first, so that short walks pay nothing.
  @exclusivity(unchecked) private var deadRun: DeadRun?
  /// A payload that was compressed.
  @exclusivity(unchecked) private var payloadBytes = ByteWriter()
  /// A record that is not in memory.
  private var recordBytes = ByteWriter()

  typealias Changes = (overlay: TransactionOverlay, table: PublishedTable)

  init(
    view: View, changes: Changes? = nil, collection: CollectionIdentifier,
    keys: KeyRange = .all, order: KeyOrder = .ascending
  ) throws(LogError) {
    self.view = view
    self.changes = changes
    self.collection = collection
    self.order = order
    let sealed: [SealedIndex.Source] =
      collection.isReserved
      ? view.sealed.filter { $0.reservedCollections.contains(collection) }.map { .footer($0) }
      : view.beneath.sources
    let cursor = try keys.withBounds(in: collection, order) { (bounds) throws(LogError) in
      try MergingCursor(view: view, overlay: changes?.table, sealed: sealed, bounds: bounds)
    }
    self.cursor = cursor
    // What a transaction changes is alive or dead for itself alone.
    let isCommitted = changes?.overlay.batch.changes.isEmpty ?? true
    deadRanges = collection.isReserved || !isCommitted ? nil : view.deadRanges
    let anySegment = view.active ?? view.sealed.first
    seed = anySegment?.checksumSeed ?? 0
    dictionaries = changes?.overlay.batch.dictionaries ?? anySegment?.dictionaries
    prefetchDistance = max(2, 8 / max(1, cursor.sourceCount))
  }

  deinit { lent.deallocate() }

  /// A copy of the next record with its key, or nothing after the last; errors are those of
  /// ``lendNext()``.
  func next() throws(LogError) -> (key: [UInt8], record: StoredRecord)? {
    guard let found = try step() else { return nil }
    let record = try decoded(found)
    let dictionary = try dictionary(found, record)
    let payload: [UInt8]
    do throws(BinaryDecodingError) {
      payload = try RecordDecoder.payload(of: record, against: dictionary)
    } catch { throw damage(found, "\(error)") }
    return (
      [UInt8](found.pointee.window.key.pointee.buffer),
      StoredRecord(
        schemaVersion: record.header.schemaVersion,
        sequence: found.pointee.window.value.pointee.sequence, commitTime: record.header.commitTime,
        payload: payload)
    )
  }

  /// The key of the next record, which is not read; nothing after the last.
  func nextKey() throws(LogError) -> [UInt8]? {
    try step().map { [UInt8]($0.pointee.window.key.pointee.buffer) }
  }

  /// Moves so that the next record is that of `key`, or the first behind it in the walk's order;
  /// forwards or backwards, but never out of the walk's range. Costs as much as a new walk.
  func seek(to key: [UInt8]) throws(LogError) {
    isHandedOut = false
    deadRun?.abandon()
    // Behind a key, walking down, is what lies below the cut that follows it.
    let bound: KeyRange.Bound = key.isEmpty ? .unbounded : .including(key)
    let keys = order == .ascending ? KeyRange(from: bound) : KeyRange(to: .including(key))
    try keys.withBounds(in: collection, order) { (bounds) throws(LogError) in
      if let start = bounds.start { try cursor.seek(to: start) }
    }
  }

  /// The next record, in memory that stays until the walk moves; nothing after the last.
  ///
  /// A record that does not verify throws; the walk stands behind it then and may go on. When the
  /// index itself cannot be read the walk is over.
  func lendNext() throws(LogError) -> UnsafePointer<BorrowedRecord>? {
    guard let found = try step() else { return nil }
    let record = try decoded(found)
    var payload = record.storedPayload
    if record.header.compression != .none {
      let dictionary = try dictionary(found, record)
      do throws(BinaryDecodingError) {
        payload = try RecordDecoder.payload(
          of: record, against: dictionary, decompressedInto: &payloadBytes)
      } catch { throw damage(found, "\(error)") }
    }
    lent.initialize(
      to: BorrowedRecord(
        key: found.pointee.window.key.pointee.buffer, payload: payload,
        schemaVersion: record.header.schemaVersion,
        sequence: found.pointee.window.value.pointee.sequence,
        commitTime: record.header.commitTime))
    return UnsafePointer(lent)
  }

  /// Valid until the cursor moves.
  private typealias Found = UnsafePointer<MergingCursor.Stream>

  /// Moves to the next record that is not deleted.
  private func step() throws(LogError) -> Found? {
    try leaveRecord()
    while let current = cursor.top {
      if current.pointee.window.value.pointee.isTombstone {
        try passDeleted(current)
        continue
      }
      deadRun?.end(before: current.pointee.window.key.pointee, bound: nil)
      isHandedOut = true
      prefetch(current)
      return current
    }
    deadRun?.end(before: nil, bound: cursor.end)
    return nil
  }

  /// Passes over a deleted key, and over those behind it of which it is known.
  private func passDeleted(_ found: Found) throws(LogError) {
    if deadRun == nil, let deadRanges {
      deadRun = DeadRun(deadRanges, order, at: view.lastSequence)
    }
    do throws(LogError) {
      if let cut = deadRun?.take(found.pointee.window.key.pointee) {
        try cursor.seek(to: cut)
      } else {
        try cursor.advance()
      }
    } catch {
      deadRun?.abandon()
      throw error
    }
  }

  /// Whether nothing is left: after an error, as what comes next is not known.
  var isOver: Bool { cursor.top == nil }

  /// Passes over deleted keys, and returns how many: fewer than `count` when the walk stands before
  /// a record then, or is over.
  func passDeleted(atMost count: Int) throws(LogError) -> Int {
    try leaveRecord()
    var passedCount = 0
    while passedCount < count, let current = cursor.top,
      current.pointee.window.value.pointee.isTombstone
    {
      try passDeleted(current)
      passedCount += 1
    }
    return passedCount
  }

  /// Moves behind the record that was handed out.
  @inline(__always)
  private func leaveRecord() throws(LogError) {
    guard isHandedOut else { return }
    isHandedOut = false
    try cursor.advance()
  }

  /// Asks for a record some keys ahead, unless it lies so near that the processor sees by itself
  /// where the walk goes.
  private func prefetch(_ found: Found) {
    let current = found.pointee.window.value.pointee
    guard let value = found.pointee.window.value(ahead: prefetchDistance),
      value.pointee.ordinal != current.ordinal
        || value.pointee.offset &- current.offset >= Self.nearByteCount,
      let segment = found.pointee.segment(of: value),
      let bytes = segment._withUnsafeGuaranteedRef({ $0.mappedBytes(at: value.pointee) }),
      let start = bytes.baseAddress
    else { return }
    Prefetch.read(start, count: bytes.count)
  }

  private static let nearByteCount: UInt32 = 4096

  /// The record the cursor stands on, verified, in memory that stays until it moves.
  private func decoded(_ found: Found) throws(LogError) -> RecordDecoder.Decoded {
    let value = found.pointee.window.value.pointee
    guard let segment = found.pointee.segment(of: found.pointee.window.value) else {
      return overlayRecord(value)
    }
    let bytes: UnsafeRawBufferPointer
    if let mapped = segment._withUnsafeGuaranteedRef({ $0.mappedBytes(at: value) }) {
      bytes = mapped
    } else if let opened = try segment.takeUnretainedValue().openedBytes(at: value) {
      bytes = opened
    } else {
      try segment.takeUnretainedValue().read(value, into: &recordBytes)
      bytes = recordBytes.bytes
    }
    do throws(BinaryDecodingError) {
      return try RecordDecoder.decode(bytes, value, found.pointee.window.key.pointee, seed: seed)
    } catch {
      // What is being written may be mapped, and a file system need not show it there.
      guard segment.takeUnretainedValue().dataEnd == nil else {
        throw damage(found, "record: \(error)")
      }
    }
    return try readAgain(found, from: segment.takeUnretainedValue())
  }

  private func readAgain(
    _ found: Found, from segment: Segment
  ) throws(LogError) -> RecordDecoder.Decoded {
    let value = found.pointee.window.value.pointee
    try segment.read(value, into: &recordBytes)
    do throws(BinaryDecodingError) {
      return try RecordDecoder.decode(
        recordBytes.bytes, value, found.pointee.window.key.pointee, seed: seed)
    } catch { throw damage(found, "record: \(error)") }
  }

  /// A change of the transaction; copied, because the next change may move it.
  private func overlayRecord(_ value: IndexValue) -> RecordDecoder.Decoded {
    guard let changes else { preconditionFailure("a change must come from a transaction") }
    recordBytes.removeAll()
    recordBytes.writeBytes(changes.overlay.encodedRecord(at: value))
    do throws(BinaryDecodingError) {
      return RecordDecoder.Decoded(
        header: try RecordHeader(decoding: recordBytes.bytes), bytes: recordBytes.bytes)
    } catch { preconditionFailure("a record of the same transaction must be readable: \(error)") }
  }

  /// What the payload of a record was compressed against.
  private func dictionary(
    _ found: Found, _ record: RecordDecoder.Decoded
  ) throws(LogError) -> LentDictionary {
    guard record.header.compression == .lz4WithDictionary else { return .empty }
    let identifier = record.header.dictionary
    // No dictionary has the identifier 0.
    if identifier == lastDictionary.identifier, identifier > 0 { return lastDictionary.lent }
    guard let dictionaries else { return .empty }
    let value = found.pointee.window.value
    let lent = try dictionaries.lent(
      for: record.header,
      in: found.pointee.segment(of: value)?.takeUnretainedValue().name ?? StoreDirectory.manifest,
      at: value.pointee.offset)
    lastDictionary = (identifier, lent)
    return lent
  }

  private func damage(_ found: Found, _ reason: String) -> LogError {
    let value = found.pointee.window.value
    guard let segment = found.pointee.segment(of: value)?.takeUnretainedValue() else {
      preconditionFailure("a change of a transaction cannot be damaged: \(reason)")
    }
    return segment.damage(at: UInt64(value.pointee.offset), reason)
  }
}

extension KeyRange {
  /// Calls `body` with the range as cuts in `collection`, borrowed.
  fileprivate func withBounds<Result>(
    in collection: CollectionIdentifier, _ order: KeyOrder,
    _ body: (WalkBounds) throws(LogError) -> Result
  ) throws(LogError) -> Result {
    // The smallest key is one zero byte; keys are never empty.
    let lower = lower.isEmpty ? [0] : lower
    let upper = upper.map { $0.isEmpty ? [0] : $0 }
    return try lower.withBytes { (lower: UnsafeRawBufferPointer) throws(LogError) in
      try (upper ?? [0]).withBytes { (bytes: UnsafeRawBufferPointer) throws(LogError) in
        var end = IndexKey(collection, bytes)
        if upper == nil { end.collection += 1 }
        return try body(
          WalkBounds(lower: IndexKey(collection, lower), upper: end, order: order))
      }
    }
  }
}
