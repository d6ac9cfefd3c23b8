/// The segment that is appended to, in its three roles.
final class ActiveSegment {
  let writer: SegmentWriter
  let segment: Segment
  let account: SegmentAccount

  init(writer: SegmentWriter, segment: Segment, account: SegmentAccount) {
    self.writer = writer
    self.segment = segment
    self.account = account
  }
}
