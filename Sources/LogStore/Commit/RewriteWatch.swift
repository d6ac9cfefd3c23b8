/// Remembers which records of the segments being rewritten were replaced meanwhile.
///
/// The rewriter decides from the view and the totals at its start what is live; what changes after
/// that is noted here by the commits, so that the live totals of its output are exact when it is
/// published. Memory is bounded: where there is more to note than it may, it knows only that, and
/// what is live in the output is counted anew.
final class RewriteWatch {
  /// A record of an input that is not the newest of its key any more.
  struct Superseded {
    let collection: CollectionIdentifier
    let key: [UInt8]
    let sequence: CommitSequence

    /// What it takes here, with the header of its key's bytes.
    fileprivate var byteCount: Int { MemoryLayout<Self>.stride + 32 + key.count }
  }

  /// What the notes take at most: those of some ten thousand short keys.
  static let byteCountMaximum = 1 << 20

  let inputs: Set<SegmentIdentifier>
  private(set) var superseded: [Superseded] = []
  private var byteCount = 0
  /// Whether more was replaced than may be noted; nothing is, then.
  private(set) var isOverfull = false

  init(inputs: Set<SegmentIdentifier>) { self.inputs = inputs }

  /// Takes over what was noted apart: by a look-up, or by a transaction when it is committed.
  func add(_ other: RewriteWatch) {
    if other.isOverfull { overfill() }
    for record in other.superseded { add(record) }
  }

  func note(_ key: IndexKey, _ hit: View.Hit) {
    guard !isOverfull, inputs.contains(hit.segment.identifier) else { return }
    add(
      Superseded(
        collection: CollectionIdentifier(key.collection), key: [UInt8](key.buffer),
        sequence: hit.value.sequence))
  }

  /// Forgets what was noted, for who counts it; what comes from here on is noted.
  func restart() {
    superseded = []
    byteCount = 0
    isOverfull = false
  }

  private func add(_ record: Superseded) {
    if isOverfull { return }
    byteCount += record.byteCount
    if byteCount > Self.byteCountMaximum { return overfill() }
    superseded.append(record)
  }

  private func overfill() {
    superseded = []
    isOverfull = true
  }
}
