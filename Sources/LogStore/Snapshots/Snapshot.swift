internal import BinaryCoding
internal import FileIO

/// A state of the log that does not change, as of one commit; any number, on any thread.
///
/// Taking one costs constant time. While it lives, segments it can read stay on disk, also when
/// compaction has replaced them; ``LogConfiguration/snapshotMaximumAge`` can limit that. After its
/// log was closed it stays readable as long as nobody else compacts the store.
public final class Snapshot: Sendable {
  /// The view, if it is never taken away.
  private let lasting: View?
  /// The same for look-ups, which must not count references: threads would fight for the count.
  private let lent: Unmanaged<View>?
  private let hold: SnapshotRegister.Hold
  private let place: Int
  private let register: SnapshotRegister
  private let ownership: StoreOwnership

  /// A snapshot of `view`, without a limit of its age where it is `lasting`.
  init(
    _ view: View, _ register: SnapshotRegister, _ ownership: StoreOwnership, lasting isLasting: Bool
  ) {
    (place, hold) = register.enter(view, isLasting: isLasting)
    lasting = hold.expiring == nil ? view : nil
    lent = hold.expiring == nil ? .passUnretained(view) : nil
    self.register = register
    self.ownership = ownership
  }

  deinit { register.leave(place) }

  /// The sequence of the newest record it sees.
  public var lastSequence: CommitSequence { hold.lastSequence }

  /// What it reads.
  ///
  /// - Throws: ``LogError/snapshotExpired(age:maximum:)``.
  func view() throws(LogError) -> View {
    if let lasting { return lasting }
    let age = register.age(since: hold.takenAt)
    guard let maximum = register.maximumAge, age > maximum else {
      if let view = hold.expiring?.view { return view }
      throw .snapshotExpired(age: age, maximum: register.maximumAge ?? 0)
    }
    hold.expiring?.release()
    throw .snapshotExpired(age: age, maximum: maximum)
  }

  /// One of the same state that does not expire: for a look-up that was begun, which keeps what it
  /// reads as a cursor does. Itself, where it does not expire either.
  ///
  /// - Throws: ``LogError/snapshotExpired(age:maximum:)``.
  package func withoutAgeLimit() throws(LogError) -> Snapshot {
    lasting == nil ? Snapshot(try view(), register, ownership, lasting: true) : self
  }

  /// Whether it shows the newest state there, and never expires.
  func isCurrent(in pipeline: CommitPipeline) -> Bool {
    guard let lasting else { return false }
    return pipeline.isNewest(lasting)
  }

  private func explained(_ error: LogError) -> LogError { error.explained(ownership) }

  /// The newest record of `key`, or nothing when it is absent or deleted.
  ///
  /// Costs a look-up in memory, then at most a few page reads, and one record, which is verified.
  public func record(
    for key: UnsafeRawBufferPointer, in collection: CollectionIdentifier
  ) throws(LogError) -> StoredRecord? {
    switch try lookUp(key, in: collection) {
    case .absent: return nil
    case .found(let found): if let record = found.copied() { return record }
    case .unknown: break
    }
    return try recordWithErrors(for: key, in: collection)
  }

  /// The newest record of `key`, where it can be had without counting references.
  @usableFromInline
  func lookUp(
    _ key: UnsafeRawBufferPointer, in collection: CollectionIdentifier
  ) throws(LogError) -> FastRecord {
    guard key.count > 0 else { throw .emptyKey }
    let key = IndexKey(collection, key)
    return lent?._withUnsafeGuaranteedRef { $0.fastRecord(key) } ?? .unknown
  }

  /// The same in all cases: opens files, and tells what is damaged. The simple way, which tests
  /// compare with.
  @usableFromInline
  func recordWithErrors(
    for key: UnsafeRawBufferPointer, in collection: CollectionIdentifier
  ) throws(LogError) -> StoredRecord? {
    let view = try view()
    do throws(LogError) {
      return try view.record(IndexKey(collection, key))
    } catch { throw explained(error) }
  }

  /// The newest record of `key`, or nothing when it is absent or deleted.
  public func record(
    for key: [UInt8], in collection: CollectionIdentifier
  ) throws(LogError) -> StoredRecord? {
    try key.withBytes { (key: UnsafeRawBufferPointer) throws(LogError) in
      try record(for: key, in: collection)
    }
  }

  /// The newest records of `keys`, in their order; nothing for a key that is absent or deleted.
  ///
  /// The same as asking for one after another, and faster for keys that are far from each other:
  /// the processor waits for the memory of sixteen of them together. A key may be there more than
  /// once. Memory is that of all records. Keys are checked first; an error of reading is that of
  /// the first key that has one.
  ///
  /// - Throws: ``LogError/emptyKey``, and what ``record(for:in:)`` throws.
  public func records(
    for keys: [[UInt8]], in collection: CollectionIdentifier
  ) throws(LogError) -> [StoredRecord?] {
    let view = try view()
    let bytes = UnsafeMutableRawBufferPointer.allocate(
      byteCount: keys.reduce(0) { $0 + $1.count }, alignment: 8)
    defer { bytes.deallocate() }
    var indexKeys: [IndexKey] = []
    indexKeys.reserveCapacity(keys.count)
    var end = 0
    for key in keys {
      if key.isEmpty { throw .emptyKey }
      let copy = UnsafeMutableRawBufferPointer(rebasing: bytes[end..<(end + key.count)])
      copy.copyBytes(from: key)
      indexKeys.append(IndexKey(collection, UnsafeRawBufferPointer(copy)))
      end += key.count
    }
    var records: [StoredRecord?] = []
    records.reserveCapacity(keys.count)
    var lookup = GroupedLookup(view)
    do throws(LogError) {
      for start in stride(from: 0, to: keys.count, by: GroupedLookup.keyCountMaximum) {
        let end = min(start + GroupedLookup.keyCountMaximum, keys.count)
        try lookup.append(indexKeys[start..<end], to: &records)
      }
    } catch { throw explained(error) }
    return withExtendedLifetime(view) { records }
  }

  /// Walks the keys of `collection` that are in `keys`, in either order.
  ///
  /// The cursor keeps what it walks by itself: it does not expire with the snapshot.
  public func records(
    in collection: CollectionIdentifier, keys: KeyRange = .all, order: KeyOrder = .ascending
  ) throws(LogError) -> RecordCursor {
    let view = try view()
    do throws(LogError) {
      return RecordCursor(
        try RecordWalk(view: view, collection: collection, keys: keys, order: order),
        readingAheadFrom: register.readAheadPool, ownership)
    } catch { throw explained(error) }
  }
}
