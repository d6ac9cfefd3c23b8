/// Decides where a range of keys ends, key by key.
///
/// Look-ups tell runs apart by the heads of their keys, so it ends ranges only between different
/// ones; who fills a run first ends its range there.
struct RangeCutting {
  /// How many keys a range has at least.
  private let keyCount: UInt64
  /// Where it is to end, rather, and the head of the key there.
  private var end: (cut: KeyCut, head: KeyHeads.Head)?
  private var last: KeyHeads.Head = (0, 0)

  /// A range ends behind `keyCount` keys or, where `end` is told, there, if it has half as many by
  /// then; behind twice as many in any case.
  init(keyCount: UInt64, end: KeyCut?) {
    self.keyCount = keyCount
    self.end = end.map { ($0, $0.head) }
  }

  /// Where the range ends, if it has no key behind `count` of them, of which `key` would be next.
  @inline(__always)
  mutating func cut(before key: IndexKey, behind count: UInt64) -> KeyCut? {
    let head: KeyHeads.Head = (key.collection, key.head)
    if head == last { return nil }
    defer { last = head }
    if end == nil && count < keyCount { return nil }
    return decide(key, head, count)
  }

  private mutating func decide(
    _ key: IndexKey, _ head: KeyHeads.Head, _ count: UInt64
  ) -> KeyCut? {
    guard let (cut, endHead) = end else { return KeyCut(before: key) }
    if head >= endHead, cut.withIndexKey({ IndexKey.compare(key, $0) >= 0 }) {
      end = nil
      // A key that begins like the end belongs before it.
      if count >= keyCount / 2, count > 0, last < endHead { return cut }
      return count >= keyCount && count > 0 ? KeyCut(before: key) : nil
    }
    return count / 2 >= keyCount && count > 0 ? KeyCut(before: key) : nil
  }
}
