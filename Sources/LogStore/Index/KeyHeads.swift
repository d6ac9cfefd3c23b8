/// Between which keys those of a run lie, as far as collections and first bytes tell.
struct KeyHeads {
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

  /// Whether no key lies between them.
  var isEmpty: Bool { last < first }

  /// False only when `key` sorts before the first or behind the last key.
  func mayContain(_ key: IndexKey) -> Bool {
    mayContain((key.collection, key.head))
  }

  /// The same for a key that begins so.
  func mayContain(_ head: Head) -> Bool { first <= head && head <= last }
}
