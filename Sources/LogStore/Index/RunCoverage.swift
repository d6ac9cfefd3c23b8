internal import BinaryCoding

/// A merged run together with those of its segments that a view has.
///
/// What the run says of other segments is passed over: compaction has replaced them. That is safe
/// by the rule that holds for every listed run: *when the newest record of a key lies in a segment
/// that the run covers, the run has it*. See Documentation/Decisions/0013-merged-index-runs.md.
final class RunCoverage: Sendable {
  let run: MergedRun
  /// By ordinal; nothing for a segment that was replaced.
  let segments: [Segment?]
  /// The same for who reads, without counting references; the coverage keeps them.
  nonisolated(unsafe) let lentSegments: UnsafeMutablePointer<Unmanaged<Segment>?>
  private let segmentCount: Int
  /// Of the segments that are there: what the run can answer is not newer.
  let maximumSequence: CommitSequence

  init(_ run: MergedRun, of listed: SegmentTable<Segment>) {
    self.run = run
    let segments = run.descriptor.segments.map { listed[$0] }
    self.segments = segments
    segmentCount = segments.count
    lentSegments = .allocate(capacity: segments.count)
    for (ordinal, segment) in segments.enumerated() {
      (lentSegments + ordinal).initialize(to: segment.map { .passUnretained($0) })
    }
    maximumSequence = segments.reduce(.zero) { max($0, $1?.maximumSequence ?? .zero) }
  }

  deinit { lentSegments.deallocate() }

  /// The newest record of `key` in the segments that are there, as far as the rule above goes.
  func find(_ key: IndexKey, hash: UInt64) throws(RunDamage) -> View.Hit? {
    guard var value = try run.run().find(key, hash: hash) else { return nil }
    guard value.ordinal < segments.count else {
      throw .damaged("the run names a segment \(value.ordinal) of \(segments.count)")
    }
    guard let segment = segments[Int(value.ordinal)] else { return nil }
    value.ordinal = 0
    return View.Hit(segment: segment, value: value)
  }

  /// Whether the segment of an ordinal is there.
  func has(_ ordinal: UInt32) throws(BinaryDecodingError) -> Bool {
    guard ordinal < segmentCount else {
      throw .invalidValue(offset: 0, reason: "segment \(ordinal) of \(segmentCount)")
    }
    return lentSegments[Int(ordinal)] != nil
  }
}
