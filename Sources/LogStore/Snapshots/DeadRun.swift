/// The deleted keys that a walk passes over one after the other; used by one thread.
final class DeadRun {
  private let ranges: DeadRanges
  private let order: KeyOrder
  private let sequence: CommitSequence
  /// The first of them.
  private let first = KeyBuffer()
  private let cut = KeyBuffer()
  /// How many were passed over one by one.
  private var count = 0

  /// After so many it is asked again what is known: the first may lie before a range.
  private static let askInterval = 64

  init(_ ranges: DeadRanges, _ order: KeyOrder, at sequence: CommitSequence) {
    self.ranges = ranges
    self.order = order
    self.sequence = sequence
  }

  /// Takes a deleted key; returns the cut to go on from, where that is not the next key. Valid
  /// until the next one is taken.
  func take(_ key: IndexKey) -> IndexKey? {
    if count == 0 { first.set(key) }
    defer { count += 1 }
    guard count % Self.askInterval == 0, !ranges.isEmpty,
      ranges.pass(key, order, at: sequence, to: cut)
    else { return nil }
    return cut.key
  }

  /// Ends before `key`, which is alive, or nothing at the end of the walk, which is `bound`.
  func end(before key: IndexKey?, bound: IndexKey?) {
    defer { count = 0 }
    guard count >= DeadRanges.keyCountMinimum, let first = first.key, let end = key ?? bound else {
      return
    }
    if order == .ascending { return ranges.note(from: first, to: end, at: sequence) }
    cut.set(behind: first)
    guard let high = cut.key else { return }
    let low = KeyBuffer()
    if key == nil { low.set(end) } else { low.set(behind: end) }
    if let low = low.key { ranges.note(from: low, to: high, at: sequence) }
  }

  /// Forgets them: what lies between is not known.
  func abandon() { count = 0 }
}
