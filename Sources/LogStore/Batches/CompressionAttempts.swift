internal import Synchronization

/// How much compressing small payloads of one collection saved lately, without a dictionary.
///
/// LZ4 finds little in a few hundred bytes, and trying costs as much as all else that is done to
/// encode a record; who reads pays again. So where ``patience`` attempts saved less than a quarter
/// of their bytes together, only one payload in ``sampling`` is tried, until those save more:
/// compaction makes up for it, with a dictionary. On any thread; where several commit at once
/// their attempts may be counted in part.
final class CompressionAttempts: Sendable {
  /// Larger payloads are tried always: they have more in common with themselves, they are more of
  /// the bytes, and LZ4 passes over those that have not in large steps.
  static let payloadByteCountMaximum = 1 << 10
  /// So many attempts are judged together while all payloads are tried.
  static let patience: UInt64 = 64
  /// So many while only a sample is.
  static let samplePatience: UInt64 = 8
  /// One of so many payloads is of the sample.
  static let sampling = 16

  /// What is not judged yet, see ``Window``.
  private let window = Atomic<UInt64>(0)
  /// What the last ones that were judged said.
  private let isHopeless = Atomic(false)
  /// Payloads of which only a sample was to be tried.
  private let sampledCount = Atomic<UInt32>(0)

  /// Whether only a sample is to be tried.
  var areHopeless: Bool { isHopeless.load(ordering: .relaxed) }

  /// Whether the next payload is of the sample.
  func takeSample() -> Bool {
    let (before, _) = sampledCount.wrappingAdd(1, ordering: .relaxed)
    return before % UInt32(Self.sampling) == 0
  }

  /// Adds what became of some attempts.
  func note(_ outcome: Outcome) {
    guard outcome.attemptCount > 0 else { return }
    let (_, sum) = window.wrappingAdd(Window(outcome).bits, ordering: .relaxed)
    let patience = areHopeless ? Self.samplePatience : Self.patience
    guard Window(bits: sum).attemptCount >= patience else { return }
    let judged = Window(bits: window.exchange(0, ordering: .relaxed))
    // Another thread may have judged them.
    guard judged.attemptCount >= patience else { return }
    isHopeless.store(judged.savedByteCount < judged.byteCount / 4, ordering: .relaxed)
  }

  /// Attempts of one thread.
  struct Outcome {
    private(set) var attemptCount: UInt64 = 0
    private(set) var byteCount: UInt64 = 0
    private(set) var savedByteCount: UInt64 = 0

    /// Adds one of `byteCount` bytes, of which `savedByteCount` were saved; 0 where it was in vain.
    mutating func add(byteCount: Int, saved savedByteCount: Int) {
      attemptCount += 1
      self.byteCount += UInt64(byteCount)
      self.savedByteCount += UInt64(savedByteCount)
    }

    mutating func add(_ other: Outcome) {
      attemptCount += other.attemptCount
      byteCount += other.byteCount
      savedByteCount += other.savedByteCount
    }
  }

  /// Attempts, their bytes and those that were saved, in one word.
  private struct Window {
    private static let byteCountMask: UInt64 = (1 << 26) - 1
    let bits: UInt64

    init(bits: UInt64) { self.bits = bits }

    /// Of more than a MiB the shares are kept, so that nothing runs over.
    init(_ outcome: Outcome) {
      let bitCount = UInt64.bitWidth - outcome.byteCount.leadingZeroBitCount
      let shift = UInt64(max(0, bitCount - 20))
      let byteCount = outcome.byteCount >> shift
      let savedByteCount = outcome.savedByteCount >> shift
      bits = min(outcome.attemptCount, patience) << 52 | byteCount << 26 | savedByteCount
    }

    var attemptCount: UInt64 { bits >> 52 }
    var byteCount: UInt64 { (bits >> 26) & Self.byteCountMask }
    var savedByteCount: UInt64 { bits & Self.byteCountMask }
  }
}
