/// Walks the live records of one collection in the order of their keys; used by one thread.
///
/// It keeps the state it walks, with what that pins on disk, until it goes away.
///
/// From the 4096th record on another thread reads some hundred ahead, where there are processors
/// for both and that is faster, but not in a transaction; see
/// ``LogConfiguration/Maintenance/background``. What is made of records always runs on the thread
/// that uses the cursor, and each error comes with the record that it is about. Few walks of a log
/// are read ahead at the same time; the memory for that, 400 KiB for each, is the log's. A cursor
/// that pauses stays one of them until it is moved by ``seek(to:)``, is over, or goes away: so let
/// go those that are not used any more.
public final class RecordCursor {
  private let walk: RecordWalk
  /// Who may read ahead; nothing where nobody may.
  private let pool: ReadAheadPool?
  /// Whether the log was closed; nothing in a transaction, which ends before.
  private let ownership: StoreOwnership?
  /// Who reads ahead; uses the walk meanwhile.
  private var ahead: ReadAhead?
  // No code of others runs while one of these is changed. Asking the runtime whether it does took
  // a tenth of a long walk.
  /// The next of the records that were read ahead, and what lies behind the last.
  @exclusivity(unchecked) private var nextReady: UnsafePointer<BorrowedRecord>?
  @exclusivity(unchecked) private var readyEnd: UnsafePointer<BorrowedRecord>?
  /// How many records are walked alone before others are read ahead.
  @exclusivity(unchecked) private var recordsBefore: Int
  /// Whether a closure holds bytes of the record that was read last.
  @exclusivity(unchecked) private var isLent = false
  /// What `recordsBefore` begins with the next time.
  private var patience: Int
  /// The same at first, where the cursor was moved, and where the pool has nobody left.
  private let aloneCount: Int

  /// Where reading ahead was no gain, it is tried again after so many times as many records.
  static let patienceFactor = 16

  init(
    _ walk: RecordWalk, readingAheadFrom pool: ReadAheadPool? = nil,
    _ ownership: StoreOwnership? = nil
  ) {
    self.walk = walk
    self.pool = pool
    self.ownership = ownership
    aloneCount = pool?.aloneCount ?? .max
    (patience, recordsBefore) = (aloneCount, aloneCount)
  }

  deinit { ahead?.stop() }

  /// Whether another thread reads ahead now; for tests.
  package var isReadAhead: Bool { ahead != nil }

  /// After an error, whether the walk is over: an index could not be read, and hides what comes
  /// behind. Otherwise the error is about one record.
  package var isOver: Bool { walk.isOver }

  /// The next record with its key, or nothing after the last.
  ///
  /// A record that does not verify throws; the cursor stands behind it then and may go on. When the
  /// index itself cannot be read the walk is over.
  public func next() throws(LogError) -> (key: [UInt8], record: StoredRecord)? {
    guard !isLent else { fatalError("a cursor must not be moved while it lends a record") }
    let taken: UnsafePointer<BorrowedRecord>?
    do throws(LogError) {
      taken = try takeReady()
      if taken == nil { return try walk.next() }
    } catch { throw explained(error) }
    guard let record = taken else { return nil }
    return ([UInt8](record.pointee.key), StoredRecord(copying: record.pointee))
  }

  /// The key of the next record, which is not read: it may be damaged. Nothing after the last.
  ///
  /// - Precondition: nobody reads ahead, as in transactions.
  package func nextKey() throws(LogError) -> [UInt8]? {
    guard !isLent else { fatalError("a cursor must not be moved while it lends a record") }
    precondition(pool == nil, "what is read ahead is more than keys")
    do throws(LogError) { return try walk.nextKey() } catch { throw explained(error) }
  }

  /// Lends the next record to `body` and returns its result, or nothing after the last record.
  ///
  /// Nothing is copied or allocated, so this is the fastest way to walk. Errors are those of
  /// ``next()``.
  /// - Precondition: `body` does not use the cursor.
  @inlinable
  public func withNext<Result>(
    _ body: (BorrowedRecord) -> Result
  ) throws(LogError) -> Result? {
    guard let record = try lendNext() else { return nil }
    defer { takeBack() }
    return body(record.pointee)
  }

  /// Moves so that the next record is that of `key`, or the first behind it in the cursor's order;
  /// forwards or backwards, but never out of the cursor's range. Costs as much as a new cursor.
  public func seek(to key: [UInt8]) throws(LogError) {
    guard !isLent else { fatalError("a cursor must not be moved while it lends a record") }
    ahead?.stop()
    // What was no gain there may be one here; to find out costs a few hundredths of a short walk.
    patience = aloneCount
    walkAlone()
    do throws(LogError) { try walk.seek(to: key) } catch { throw explained(error) }
  }

  private func explained(_ error: LogError) -> LogError {
    ownership.map(error.explained) ?? error
  }

  @usableFromInline
  func lendNext() throws(LogError) -> UnsafePointer<BorrowedRecord>? {
    guard !isLent else { fatalError("a cursor must not be moved while it lends a record") }
    var record: UnsafePointer<BorrowedRecord>?
    do throws(LogError) {
      record = try takeReady()
      if record == nil { record = try walk.lendNext() }
    } catch { throw explained(error) }
    isLent = record != nil
    return record
  }

  @usableFromInline
  func takeBack() { isLent = false }

  /// The next record, if it was read ahead; nothing, and the walk stands before it, otherwise.
  @inline(__always)
  private func takeReady() throws(LogError) -> UnsafePointer<BorrowedRecord>? {
    if nextReady == readyEnd {
      if recordsBefore > 0 {
        recordsBefore -= 1
        return nil
      }
      guard try readAhead() else { return nil }
    }
    let record = nextReady
    nextReady = record.map { $0 + 1 }
    return record
  }

  /// Gets records that are read ahead, the first time, too; returns whether there are some.
  @inline(never)
  private func readAhead() throws(LogError) -> Bool {
    guard let reading = ahead ?? pool.flatMap({ ReadAhead(walk, $0) }) else {
      recordsBefore = aloneCount
      return false
    }
    // Unless there are more.
    walkAlone()
    if let records = try reading.next(), let first = records.baseAddress {
      (ahead, recordsBefore) = (reading, 0)
      (nextReady, readyEnd) = (first, first + records.count)
      return true
    }
    if reading.isUseless {
      patience = min(patience, 1 << 48) * Self.patienceFactor
      recordsBefore = patience
    }
    return false
  }

  /// From now on the walk is for this thread alone, for a while.
  private func walkAlone() {
    (ahead, nextReady, readyEnd, recordsBefore) = (nil, nil, nil, patience)
  }
}
