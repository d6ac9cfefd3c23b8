internal import Synchronization

/// How compressing small payloads of one collection went lately, without a dictionary.
///
/// LZ4 finds little in a few hundred bytes, and trying costs as much as all else that is done to
/// encode a record. So after ``patience`` attempts in a row that gained nothing only one payload in
/// ``sampling`` is tried, until one gains. On any thread; where several commit at once their
/// attempts may be counted in part.
final class CompressionAttempts: Sendable {
  /// Larger payloads are tried always: they have more in common with themselves, they are more of
  /// the bytes, and LZ4 passes over those that have not in large steps.
  static let payloadByteCountMaximum = 1 << 10
  /// So many attempts in vain are enough.
  static let patience: UInt32 = 64
  /// From then on one of so many payloads is tried.
  static let sampling = 16

  /// Attempts in vain since the last that gained.
  private let failureCount = Atomic<UInt32>(0)
  /// Payloads of which only a sample was to be tried.
  private let sampledCount = Atomic<UInt32>(0)

  /// Whether only a sample is to be tried.
  var areHopeless: Bool { failureCount.load(ordering: .relaxed) >= Self.patience }

  /// Whether the next payload is of the sample.
  func takeSample() -> Bool {
    let (before, _) = sampledCount.wrappingAdd(1, ordering: .relaxed)
    return before % UInt32(Self.sampling) == 0
  }

  /// Adds what became of some attempts.
  func note(_ outcome: Outcome) {
    if outcome.gainCount > 0 {
      failureCount.store(0, ordering: .relaxed)
    } else if outcome.attemptCount > 0, !areHopeless {
      failureCount.wrappingAdd(outcome.attemptCount, ordering: .relaxed)
    }
  }

  /// Attempts of one thread.
  struct Outcome {
    private(set) var attemptCount: UInt32 = 0
    private(set) var gainCount: UInt32 = 0

    mutating func add(gained: Bool) {
      attemptCount += 1
      if gained { gainCount += 1 }
    }

    mutating func add(_ other: Outcome) {
      attemptCount += other.attemptCount
      gainCount += other.gainCount
    }
  }
}
