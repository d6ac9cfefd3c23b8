/// Remembers which records of the segments being rewritten were replaced meanwhile.
///
/// The rewriter decides from the view and the totals at its start what is live; what changes after
/// that is noted here by the commits, so that the live totals of its output are exact when it is
/// published. Memory is bounded: where there is more to note than it may, it knows only that, and
/// what is live in the output is counted anew. It may note more then, so that counting ends soon.
final class RewriteWatch {
  /// A record of an input that is not the newest of its key any more.
  struct Superseded {
    let collection: CollectionIdentifier
    let key: [UInt8]
    let sequence: CommitSequence

    /// What it takes here, with the header of its key's bytes.
    fileprivate var byteCount: Int { MemoryLayout<Self>.stride + 32 + key.count }
  }

  /// The bound is not doubled beyond this; as much again is being counted meanwhile.
  private static let byteCountLimit = 16 << 20

  /// What the notes take at most: at first those of some ten thousand short keys.
  private(set) var byteCountMaximum: Int

  let inputs: Set<SegmentIdentifier>
  private(set) var superseded: [Superseded] = []
  private var byteCount = 0
  /// Whether more was replaced than may be noted; nothing is, then.
  private(set) var isOverfull = false

  init(inputs: Set<SegmentIdentifier>, byteCountMaximum: Int = 1 << 20) {
    self.inputs = inputs
    self.byteCountMaximum = byteCountMaximum
  }

  /// One for what is noted apart, which may note as much.
  func makeApart() -> RewriteWatch {
    RewriteWatch(inputs: inputs, byteCountMaximum: byteCountMaximum)
  }

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

  /// Forgets what was noted, for who counts it; what comes from here on is noted. Where it was too
  /// much, twice as much may be noted.
  func restart() {
    if isOverfull { byteCountMaximum = min(2 * byteCountMaximum, Self.byteCountLimit) }
    superseded = []
    byteCount = 0
    isOverfull = false
  }

  private func add(_ record: Superseded) {
    if isOverfull { return }
    byteCount += record.byteCount
    if byteCount > byteCountMaximum { return overfill() }
    superseded.append(record)
  }

  private func overfill() {
    superseded = []
    isOverfull = true
  }
}
