/// The valid part of a segment that was not sealed: a prefix of what was written to it.
struct RecoveredTail {
  let segment: Segment
  let header: SegmentHeader
  let account: SegmentAccount
  /// Where the valid frames end.
  let end: UInt64
}
