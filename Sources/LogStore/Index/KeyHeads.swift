/// Between which keys those of an index lie, as far as collections and first bytes tell.
struct KeyHeads: Equatable, Sendable {
  typealias Head = (collection: UInt32, head: UInt64)

  let first: Head
  let last: Head

  init(first: Head, last: Head) {
    self.first = first
    self.last = last
  }

  /// The heads between two keys; of no key when there are none.
  init(_ bounds: (first: IndexKey, last: IndexKey)?) {
    first = bounds.map { ($0.first.collection, $0.first.head) } ?? (.max, .max)
    last = bounds.map { ($0.last.collection, $0.last.head) } ?? (0, 0)
  }

  static func == (left: KeyHeads, right: KeyHeads) -> Bool {
    left.first == right.first && left.last == right.last
  }

  /// Two cuts between which the keys lie; nothing where no cut is behind the last.
  ///
  /// `bytes` is what the cuts are said to have: comparing a cut with a key looks at heads and
  /// lengths only, and theirs is 0.
  func cuts(over bytes: UnsafeRawPointer) -> (first: IndexKey, last: IndexKey)? {
    guard let behind = Self.successor(of: last) else { return nil }
    return (IndexKey(cut: first, bytes), IndexKey(cut: behind, bytes))
  }

  /// The head that comes next; nothing behind the last one.
  static func successor(of head: Head) -> Head? {
    if head.head < .max { return (head.collection, head.head + 1) }
    return head.collection < .max ? (head.collection + 1, 0) : nil
  }

  /// Whether no key lies between them.
  var isEmpty: Bool { last < first }

  /// False only when `key` sorts before the first or behind the last key.
  func mayContain(_ key: IndexKey) -> Bool {
    mayContain((key.collection, key.head))
  }

  /// The same for a key that begins so.
  func mayContain(_ head: Head) -> Bool { first <= head && head <= last }

  /// False only when the keys of a collection sort before the first or behind the last key.
  func mayContainKeys(of collection: CollectionIdentifier) -> Bool {
    first.collection <= collection.rawValue && collection.rawValue <= last.collection
  }
}
