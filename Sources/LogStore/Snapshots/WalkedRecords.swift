internal import BinaryCoding
internal import Synchronization

/// Records that a walk came by, copied in its order: filled by one thread, then read by one.
final class WalkedRecords: @unchecked Sendable {
  // Sendable: one thread at a time has it; any may stop it.

  /// What comes behind the last of them.
  enum End {
    /// The walk goes on.
    case more
    /// Nothing.
    case over
    /// What the walk threw.
    case failed(LogError)
  }

  static let countMaximum = 512
  /// From so many bytes on no more records are added.
  static let byteCountMaximum = 128 << 10
  /// What a record that is read ahead may have; one that has more is the last of its portion.
  static let recordByteCountMaximum = 4 * byteCountMaximum
  /// After so many deleted keys it ends, too: they can be without end, and who needs the records
  /// before them must not wait for what lies behind.
  static let deletedCountMaximum = 4096
  /// How many of them are passed over before somebody may stop it.
  private static let deletedCountAtOnce = 256

  private let lent = UnsafeMutablePointer<BorrowedRecord>.allocate(capacity: countMaximum)
  @exclusivity(unchecked) private var count = 0
  /// Each key with its payload; what is lent points here.
  @exclusivity(unchecked) private var bytes = makeBytes()
  @exclusivity(unchecked) private(set) var end = End.more
  private let demand = Atomic(all)

  // How much of a portion somebody wants.
  private static let all: UInt8 = 0
  private static let some: UInt8 = 1
  private static let none: UInt8 = 2

  deinit { lent.deallocate() }

  /// What it was filled with; stays until it is filled again.
  var records: UnsafeBufferPointer<BorrowedRecord> {
    UnsafeBufferPointer(start: lent, count: count)
  }

  /// Whether a record was so large that it is better lent where it lies; it is the last one then.
  var isOversized: Bool {
    guard let last = records.last else { return false }
    return last.key.count + last.payload.count > Self.recordByteCountMaximum
  }

  /// How much memory it has for keys and payloads; for tests.
  var allocatedByteCount: Int { bytes.allocatedByteCount }

  /// Forgets its records, and takes the next of `walk`: `limit` of them, or those until there are
  /// enough bytes or deleted keys, somebody stops it, the walk throws or is over. There may be none
  /// though more follow.
  func fill(from walk: RecordWalk, limit: Int) {
    precondition(limit <= Self.countMaximum, "there must be room for all records")
    begin()
    do throws(LogError) { try take(from: walk, limit) } catch { end = .failed(error) }
  }

  private func take(from walk: RecordWalk, _ limit: Int) throws(LogError) {
    var deletedCount = 0
    while count < limit, bytes.count < Self.byteCountMaximum,
      deletedCount < Self.deletedCountMaximum, isMoreWanted
    {
      let passedCount = try walk.passDeleted(atMost: Self.deletedCountAtOnce)
      deletedCount += passedCount
      if passedCount == Self.deletedCountAtOnce { continue }
      guard let record = try walk.lendNext() else {
        end = .over
        return
      }
      append(record.pointee)
    }
  }

  private var isMoreWanted: Bool {
    let demand = demand.load(ordering: .relaxed)
    return demand == Self.all || (demand == Self.some && count == 0)
  }

  /// Ends a ``fill(from:limit:)`` early, on any thread, and all later ones.
  func stop() { demand.store(Self.none, ordering: .relaxed) }

  /// The same, but not before there is a record.
  func hurry() { demand.store(Self.some, ordering: .relaxed) }

  /// Has the next ``fill(from:limit:)`` end where it would; not while there is one.
  func takeTime() { demand.store(Self.all, ordering: .relaxed) }

  /// Forgets everything but its memory, unless that is much.
  func clear() {
    begin()
    takeTime()
  }

  /// More memory than that is not kept for the next portion.
  private static let keptByteCountMaximum = 4 * byteCountMaximum

  /// Room for most portions, so that it need not grow; what is not written takes no memory.
  private static func makeBytes() -> ByteWriter { ByteWriter(capacity: byteCountMaximum * 5 / 4) }

  private func begin() {
    (count, end) = (0, .more)
    if bytes.allocatedByteCount > Self.keptByteCountMaximum { bytes = Self.makeBytes() }
    bytes.removeAll()
  }

  private func append(_ record: BorrowedRecord) {
    makeRoom(record.key.count + record.payload.count)
    (lent + count).initialize(
      to: BorrowedRecord(
        key: copy(record.key), payload: copy(record.payload), schemaVersion: record.schemaVersion,
        sequence: record.sequence, commitTime: record.commitTime))
    count += 1
  }

  private func copy(_ source: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let start = bytes.count
    bytes.writeBytes(source)
    return UnsafeRawBufferPointer(rebasing: bytes.bytes[start...])
  }

  /// What is lent follows when its bytes move; memory is kept, so that this is rare.
  private func makeRoom(_ byteCount: Int) {
    guard bytes.allocatedByteCount - bytes.count < byteCount else { return }
    bytes.reserve(byteCount)
    var start = 0
    func moved(_ old: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
      defer { start += old.count }
      return UnsafeRawBufferPointer(rebasing: bytes.bytes[start..<(start + old.count)])
    }
    for place in 0..<count {
      let old = lent[place]
      lent[place] = BorrowedRecord(
        key: moved(old.key), payload: moved(old.payload), schemaVersion: old.schemaVersion,
        sequence: old.sequence, commitTime: old.commitTime)
    }
  }
}
