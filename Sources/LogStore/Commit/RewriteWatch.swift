/// Remembers which records of the segments being rewritten were replaced meanwhile.
///
/// The rewriter decides from the view and the totals at its start what is live; what changes after
/// that is noted here by the commits, so that the live totals of its output are exact when it is
/// published.
final class RewriteWatch {
  /// A record of an input that is not the newest of its key any more.
  struct Superseded {
    let collection: CollectionIdentifier
    let key: [UInt8]
    let sequence: CommitSequence
  }

  let inputs: Set<SegmentIdentifier>
  private(set) var superseded: [Superseded] = []

  init(inputs: Set<SegmentIdentifier>) { self.inputs = inputs }

  /// Takes over what a transaction noted on its own, when it is committed.
  func add(_ others: [Superseded]) { superseded.append(contentsOf: others) }

  func note(_ key: IndexKey, _ hit: View.Hit) {
    guard inputs.contains(hit.segment.identifier) else { return }
    superseded.append(
      Superseded(
        collection: CollectionIdentifier(key.collection), key: [UInt8](key.buffer),
        sequence: hit.value.sequence))
  }
}
