internal import FileIO

/// One published state of the log: a memory table and the sealed segments beneath it.
///
/// Immutable and held by whoever reads it; what it can reach is neither changed nor removed.
final class View: Sendable {
  /// A key's newest record: where it is.
  struct Hit {
    let segment: Segment
    let value: IndexValue
  }

  let table: PublishedTable
  /// The segment whose records the table knows; nothing while none was begun.
  let active: Segment?
  let beneath: SealedIndex
  let lastSequence: CommitSequence
  /// What walks found to be dead, where commits tell of what they put.
  let deadRanges: DeadRanges?
  /// The table for look-ups, which must not count references; nothing without an active segment.
  private let root: TablePage?

  init(
    table: PublishedTable, active: Segment?, beneath: SealedIndex, lastSequence: CommitSequence,
    deadRanges: DeadRanges? = nil
  ) {
    self.table = table
    self.active = active
    self.beneath = beneath
    self.lastSequence = lastSequence
    self.deadRanges = deadRanges
    root = active == nil ? nil : table.root
  }

  /// The same state, where commits tell of what they put.
  func telling(_ deadRanges: DeadRanges?) -> View {
    View(
      table: table, active: active, beneath: beneath, lastSequence: lastSequence,
      deadRanges: deadRanges)
  }

  /// Ordered by their newest record, newest first.
  var sealed: [Segment] { beneath.segments }

  /// Newest first, as look-ups want them; of two with the same newest record, the later segment.
  static func ordered(_ segments: [Segment]) -> [Segment] {
    if PlantedBug.olderRecordWins.isPlanted {
      return segments.sorted { $0.identifier > $1.identifier }
    }
    return segments.sorted {
      ($0.maximumSequence, $0.identifier) > ($1.maximumSequence, $1.identifier)
    }
  }

  /// The newest record of `key`, which may be a tombstone.
  ///
  /// Records in the table are newer than all sealed ones.
  func find(_ key: IndexKey) throws(LogError) -> Hit? {
    if let value = findActive(key), let active { return Hit(segment: active, value: value) }
    return try findSealed(key)
  }

  /// Whether the newest record of `key` is the one of `segment` at `value`.
  func finds(
    _ key: IndexKey, _ value: IndexValue, in segment: SegmentIdentifier
  ) throws(LogError) -> Bool {
    guard let hit = try find(key) else { return false }
    return hit.value == value && hit.segment.identifier == segment
  }

  private func findActive(_ key: IndexKey) -> IndexValue? {
    guard let root else { return nil }
    defer { ReadMark.endReading() }
    return MemoryTable.find(key, from: root)
  }

  /// The newest record of `key` below the memory table.
  func findSealed(_ key: IndexKey) throws(LogError) -> Hit? { try beneath.find(key) }

  /// What ``record(_:)`` returns, where it can be had without counting references: the record is
  /// in a segment that is mapped.
  func fastRecord(_ key: IndexKey) -> FastRecord {
    guard let value = findActive(key) else { return beneath.fastRecord(key) }
    if value.isTombstone { return .absent }
    return active?.fastRecord(at: value, key: key) ?? .unknown
  }

  /// Where the newest record of `key` is, as ``fastRecord(_:)`` finds it.
  func fastAnswer(_ key: IndexKey, hash: UInt64) -> SealedIndex.Answer {
    guard let value = findActive(key) else { return beneath.answer(key, hash: hash) }
    return value.isTombstone ? .absent : .unknown
  }

  /// Whether the newest record of `key` lies in the active segment.
  func isActive(_ key: IndexKey) -> Bool { findActive(key) != nil }

  /// The newest record of `key`, or nothing when it is absent or deleted.
  func record(_ key: IndexKey) throws(LogError) -> StoredRecord? {
    guard let hit = try find(key), !hit.value.isTombstone else { return nil }
    do throws(LogError) {
      return try hit.segment.record(at: hit.value, key: key)
    } catch {
      if PlantedBug.damageTakenForAbsence.isPlanted { return nil }
      throw error
    }
  }
}

extension Segment {
  /// The value of `key` in a sealed segment; a run found damaged on the way is rebuilt.
  func find(_ key: IndexKey, hash: UInt64) throws(LogError) -> IndexValue? {
    let run = try run()
    do throws(RunDamage) {
      return try run.find(key, hash: hash)
    } catch {
      if let obstacle = error.obstacle { throw .fileIO(obstacle) }
      let rebuilt = try rebuildRun()
      do throws(RunDamage) {
        return try rebuilt.find(key, hash: hash)
      } catch { preconditionFailure("a rebuilt run must be readable: \(error)") }
    }
  }
}
