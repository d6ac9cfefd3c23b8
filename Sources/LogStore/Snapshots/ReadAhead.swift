internal import FileIO

/// Reads records of a long walk on another thread while those before them are used.
///
/// The records come a portion at a time. While one is used the next is read; where the other thread
/// has not begun to when it is needed, because the processors are busy, who needs it reads it. Used
/// by one thread, which has the walk for itself again after ``next()`` returned nothing or threw,
/// or after ``stop()``; it must have it before this goes away.
final class ReadAhead {
  private let walk: RecordWalk
  private let pool: ReadAheadPool
  private let tools: ReadAheadPool.Tools
  private var current: WalkedRecords
  /// The memory of the other portion: that which is read while there is work.
  private var other: WalkedRecords
  /// The work of reading it; nothing when no more are read ahead.
  private var work: HandedOverWork<Void>?
  /// How many records the next portion has: few at first, because nobody can use any before.
  private var limit = fewCount
  /// When the current portion was there, in nanoseconds; long ago before the first.
  private var begin: UInt64 = 0
  /// How many portions in a row were used much faster than they were read.
  private var fastCount = 0
  /// How many records in a row who needed them has read, because the other thread had not begun.
  private var ownRecordCount = 0
  /// Whether no more are read ahead because that is no gain, or there is no thread for it.
  private(set) var isUseless = false

  /// So many in a row, and reading ahead is no gain.
  static let fastCountMaximum = 4
  static let ownRecordCountMaximum = 16 * WalkedRecords.countMaximum
  /// Who has waited so long for a portion gets what there is of it: from memory all of it takes a
  /// tenth as long, but from a cold disk a hundred times.
  private static let waitMilliseconds = 2
  /// How many records the first portion has, and those that are read by who needs them.
  static let fewCount = WalkedRecords.countMaximum / 8

  /// Begins where `walk` stands; nothing where the pool has nobody left.
  init?(_ walk: RecordWalk, _ pool: ReadAheadPool) {
    guard let tools = pool.take() else { return nil }
    self.walk = walk
    self.pool = pool
    self.tools = tools
    (current, other) = tools.portions
    readOther()
  }

  deinit { pool.giveBack(tools) }

  /// The next records, one at least, which stay until this is called again; nothing when no more
  /// are read ahead.
  ///
  /// Throws what the walk threw, behind the records before.
  func next() throws(LogError) -> UnsafeBufferPointer<BorrowedRecord>? {
    while let work {
      finish(work)
      swap(&current, &other)
      if case .more = current.end, !isUseless { readOther() }
      if current.records.count > 0 { return current.records }
    }
    if case .failed(let error) = current.end { throw error }
    return nil
  }

  /// Returns when no other thread uses the walk, which may stand anywhere then.
  func stop() {
    other.stop()
    work?.cancel()
    work = nil
  }

  /// Has the other portion read while the current one is used.
  private func readOther() {
    nonisolated(unsafe) let walk = walk
    let (portion, limit) = (other, limit)
    portion.takeTime()
    let work = HandedOverWork { portion.fill(from: walk, limit: limit) }
    self.limit = min(4 * limit, WalkedRecords.countMaximum)
    if work.handOver(to: tools.worker) { self.work = work } else { isUseless = true }
  }

  /// Waits until the other portion is there, and sees whether that is worth it.
  private func finish(_ work: HandedOverWork<Void>) {
    let needed = pool.timeSource.monotonicNanoseconds()
    let isOwn = work.withdraw()
    if isOwn { other.fill(from: walk, limit: Self.fewCount) } else { wait(for: work) }
    self.work = nil
    let end = pool.timeSource.monotonicNanoseconds()
    // What was waited for says nothing where less was used meanwhile: the first portions are small,
    // and those before deleted keys, which may have no records, and before one that took long.
    let (usedCount, readCount) = (current.records.count, other.records.count)
    if readCount > 0, 2 * usedCount >= readCount {
      // Who uses records in half of the time that is waited for them saves little, and has another
      // processor work for it.
      let isFast = (end &- needed) / 2 > needed &- begin
      fastCount = isFast ? fastCount + 1 : 0
      if isOwn { ownRecordCount += readCount }
    }
    if !isOwn, readCount > 0 { ownRecordCount = 0 }
    isUseless =
      fastCount >= Self.fastCountMaximum || ownRecordCount >= Self.ownRecordCountMaximum
      || other.isOversized
    begin = end
  }

  /// Waits for the other thread, which has begun.
  private func wait(for work: HandedOverWork<Void>) {
    if work.isFinished { return }
    work.wait(milliseconds: Self.waitMilliseconds)
    if !work.isFinished { other.hurry() }
    work.finish()
  }
}
