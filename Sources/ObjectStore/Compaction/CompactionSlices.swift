internal import Compaction
internal import FileIO

/// Measures the slices of a step, and says how long to rest after each.
struct CompactionSlices {
  private let pace: CompactionPace
  private let timeSource: any TimeSource
  private var start: UInt64
  private var processorStart: UInt64
  /// What is still to be rested: rests shorter than a millisecond are saved up.
  private var owed: UInt64 = 0
  /// Bytes copied in all slices.
  private(set) var byteCount: UInt64 = 0
  /// Time that passed in all slices, rests left out.
  private(set) var workNanoseconds: UInt64 = 0
  /// Time for which a processor worked in them.
  private(set) var processorNanoseconds: UInt64 = 0

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

  /// A slice has ended; returns the nanoseconds to rest now.
  mutating func end(_ progress: CompactionProgress) -> UInt64 {
    end(copiedByteCount: progress.byteCount)
  }

  /// The same where `total` bytes were copied since the first.
  mutating func end(copiedByteCount total: UInt64 = 0) -> UInt64 {
    let worked = endWork()
    let copied = total - min(byteCount, total)
    byteCount = max(byteCount, total)
    owed += pace.rest(
      afterCopying: copied, nanoseconds: worked.passed, processorNanoseconds: worked.processor)
    guard owed >= Self.shortestRest else { return 0 }
    defer { owed = 0 }
    return owed
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
