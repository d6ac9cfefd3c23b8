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

  /// The segments whose keys all lie in one of `runs`.
  ///
  /// Runs of ranges are taken in the order in which they begin, and of each segment it is
  /// remembered up to where it is covered: a cut's number among all cuts.
  static func covered(by runs: [RunDescriptor]) -> Set<SegmentIdentifier> {
    var covered: Set<SegmentIdentifier> = []
    for run in runs where run.bounds.isAll { covered.formUnion(run.segments) }
    let ranged = runs.filter { !$0.bounds.isAll }
      .sorted { RunBounds.beginsEarlier($0.bounds, $1.bounds) }
    if ranged.isEmpty { return covered }
    let cuts = Set(ranged.flatMap { [$0.bounds.lower, $0.bounds.upper].compactMap { $0 } }).sorted()
    let numbers = Dictionary(uniqueKeysWithValues: zip(cuts, 1...))
    var reached: [SegmentIdentifier: Int] = [:]
    for run in ranged {
      let begin = run.bounds.lower.flatMap { numbers[$0] } ?? 0
      let end = run.bounds.upper.flatMap { numbers[$0] } ?? .max
      for segment in run.segments {
        let before = reached[segment] ?? 0
        if begin <= before { reached[segment] = max(before, end) }
      }
    }
    for (segment, end) in reached where end == .max { covered.insert(segment) }
    return covered
  }
}
