internal import FileIO

/// Whether bytes that do not verify at the end of the newest segment are torn or rotten.
///
/// Torn bytes were never acknowledged as durable: the log ends before them. If anything says that
/// bytes there were durable, they have changed since, and nothing may be cut off. What can say so:
/// the manifest, or a later frame that verifies and was built when they were already durable.
enum TailVerdict: Equatable {
  case torn
  case corrupt(reason: String)

  /// Judges the bytes at the scanner's offset, after `lastSequence` was read.
  static func judge(
    _ scanner: FrameScanner, lastSequence: CommitSequence, durableSequence: CommitSequence,
    reason: String
  ) throws(FileIOError) -> TailVerdict {
    if durableSequence > lastSequence {
      return .corrupt(
        reason: "\(reason), but records up to \(durableSequence) were durable")
    }
    if try scanner.hasHeader(
      behind: UInt64(FrameHeader.alignment), where: { $0.durableSequence > lastSequence })
    {
      return .corrupt(reason: "\(reason), but a later frame says that it was durable")
    }
    return .torn
  }
}
