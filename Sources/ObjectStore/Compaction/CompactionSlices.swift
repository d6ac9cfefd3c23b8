internal import Compaction
internal import FileIO

/// Measures the slices of a step, and says how long to rest after each.
struct CompactionSlices {
  /// What it may take.
  var pace: CompactionPace
  private let timeSource: any TimeSource
  private var start: UInt64
  private var processorStart: UInt64
  /// What was done since the last rest that was long enough: rests shorter than a millisecond are
  /// saved up.
  private var unrested = Work()
  /// Bytes copied in all slices.
  private(set) var byteCount: UInt64 = 0
  /// Time that passed in all slices, rests left out.
  private(set) var workNanoseconds: UInt64 = 0
  /// Time for which a processor worked in them.
  private(set) var processorNanoseconds: UInt64 = 0

  private struct Work {
    var byteCount: UInt64 = 0
    /// Rests count.
    var nanoseconds: UInt64 = 0
    var processorNanoseconds: UInt64 = 0
  }

  private static let shortestRest: UInt64 = 1_000_000

  init(pace: CompactionPace, timeSource: any TimeSource) {
    self.pace = pace
    self.timeSource = timeSource
    start = timeSource.monotonicNanoseconds()
    processorStart = timeSource.processorNanoseconds()
  }

  /// A slice begins.
  mutating func begin() {
    start = timeSource.monotonicNanoseconds()
    processorStart = timeSource.processorNanoseconds()
  }

  /// A slice has ended, up to which `total` bytes were copied.
  mutating func end(copiedByteCount total: UInt64 = 0) {
    let worked = endWork()
    unrested.byteCount += total - min(byteCount, total)
    unrested.nanoseconds += worked.passed
    unrested.processorNanoseconds += worked.processor
    byteCount = max(byteCount, total)
  }

  /// How many nanoseconds to rest now for what was done.
  mutating func owedRest() -> UInt64 {
    let owed = pace.rest(
      afterCopying: unrested.byteCount, nanoseconds: unrested.nanoseconds,
      processorNanoseconds: unrested.processorNanoseconds)
    // Waiting for something else is a rest, too, but not for what comes later.
    if owed == 0 { unrested = Work() }
    return owed >= Self.shortestRest ? owed : 0
  }

  /// So much was rested, which `isAll` that was owed: what comes later may be at another pace.
  mutating func rested(_ nanoseconds: UInt64, isAll: Bool) {
    unrested.nanoseconds += nanoseconds
    if isAll, nanoseconds > 0 { unrested = Work() }
  }

  /// Rests until nothing is owed, a minute at a time; false when `rest`, which rests for so many
  /// nanoseconds, says that the step is to be given up.
  mutating func restFully(_ rest: (UInt64) -> Bool) -> Bool {
    while true {
      let owed = owedRest()
      guard rest(owed) else { return false }
      let isAll = owed < CompactionPace.longestRestNanoseconds
      rested(owed, isAll: isAll)
      if isAll { return true }
    }
  }

  /// The step is over.
  mutating func finish() { _ = endWork() }

  private mutating func endWork() -> (passed: UInt64, processor: UInt64) {
    let now = timeSource.monotonicNanoseconds()
    let processorNow = timeSource.processorNanoseconds()
    let passed = now - min(start, now)
    let processor = processorNow - min(processorStart, processorNow)
    start = now
    processorStart = processorNow
    workNanoseconds += passed
    processorNanoseconds += processor
    return (passed, processor)
  }
}
