internal import BinaryCoding

/// What the manifest knows about a merged run.
struct RunDescriptor: Equatable, Sendable {
  var identifier: RunIdentifier
  var salt: UInt64
  /// The size of its file.
  var byteCount: UInt64
  var keyCount: UInt64
  /// The segments whose keys it holds, by the ordinals that stand in the run. Those that are not
  /// listed any more were compacted since; look-ups pass over what the run says of them.
  var segments: [SegmentIdentifier]
  /// Of which keys of these segments.
  var bounds = RunBounds.all
  /// Between which keys its own lie, so that it is not opened for others; nothing where nobody
  /// noted it.
  var heads: KeyHeads?

  /// Which of the segments of `listed` have all their keys in `runs`.
  ///
  /// Runs of ranges are taken in the order in which they begin, and of each segment it is
  /// remembered up to where it is covered: a cut's number among all cuts.
  static func covered<Value>(
    by runs: [RunDescriptor], of listed: SegmentTable<Value>
  ) -> SegmentTable<Bool> {
    var reached = listed.mapValues { _ in 0 }
    for run in runs where run.bounds.isAll {
      for segment in run.segments { reached.change(segment) { $0 = .max } }
    }
    let ranged = runs.filter { !$0.bounds.isAll }
      .sorted { RunBounds.beginsEarlier($0.bounds, $1.bounds) }
    let cuts = ranged.flatMap { [$0.bounds.lower, $0.bounds.upper].compactMap { $0 } }.sorted()
    func number(of cut: KeyCut) -> Int { 1 + cuts.countOfPrefix { $0 < cut } }
    for run in ranged {
      let begin = run.bounds.lower.map(number) ?? 0
      let end = run.bounds.upper.map(number) ?? .max
      for segment in run.segments {
        reached.change(segment) { if begin <= $0 { $0 = max($0, end) } }
      }
    }
    return reached.mapValues { $0 == .max }
  }
}
