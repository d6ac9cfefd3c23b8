package import LogStore

/// Segments that were written with more tombstones than could be left out.
///
/// To write them again for their tombstones alone would drop no more while what these hide is
/// there. It is waited for half of the segments that hold it: so each tombstone is moved once for
/// each half of those at most, whatever the estimates of a policy say.
package struct NeededTombstones: Sendable, Equatable {
  /// The segments that hold the tombstones.
  package let outputs: Set<SegmentIdentifier>
  /// Those that hold what they hide, or could not tell.
  package let hiding: Set<SegmentIdentifier>

  /// What a rewrite found that is over; nothing where at least half of its tombstones went.
  init?(_ rewrite: SegmentRewrite) {
    let tombstones = rewrite.tombstones
    guard tombstones.keptCount > tombstones.droppedCount else { return nil }
    outputs = Set(rewrite.outputs)
    hiding = tombstones.hiding
  }

  /// Whether the outputs are gone, or half of what they waited for, when there are only these.
  func mayBeTriedAgain(among present: Set<SegmentIdentifier>) -> Bool {
    outputs.isDisjoint(with: present)
      || 2 * hiding.intersection(present).count <= hiding.count
  }
}
