/// The valid part of a segment that was not sealed: a prefix of what was written to it.
struct RecoveredTail {
  let segment: Segment
  let header: SegmentHeader
  let account: SegmentAccount
  /// Where the valid frames end.
  let end: UInt64
  /// The chain hash of the last of them.
  let hash: UInt64
  /// That one, if there are any.
  let last: FrameScanner.LastFrame?
}
