/// A state of a memory table that never changes; gives its pages back when it goes away.
final class PublishedTable: Sendable {
  let root: TablePage
  /// Keys in it, tombstones included.
  let count: Int
  private let table: MemoryTable
  private let version: UInt64

  init(table: MemoryTable, root: TablePage, version: UInt64) {
    self.table = table
    self.root = root
    count = table.count
    self.version = version
  }

  deinit {
    ReadMark.followReads()
    table.release(version)
    ReadMark.endReading()
  }

  /// The value of `key`, tombstones included.
  func find(_ key: IndexKey) -> IndexValue? {
    defer { ReadMark.endReading() }
    return MemoryTable.find(key, from: root)
  }

  /// Between which keys those in it lie; nothing when there are none.
  var heads: KeyHeads? {
    guard let first = cursor(.all).current?.key,
      let last = cursor(WalkBounds(order: .descending)).current?.key
    else { return nil }
    return KeyHeads((first, last))
  }

  /// All keys from `start` on, in order; the iterator must not outlive this object.
  func cursor(from start: IndexKey?) -> TableCursor { cursor(WalkBounds(lower: start)) }

  /// The keys within `bounds`, in their order; the iterator must not outlive this object.
  func cursor(_ bounds: WalkBounds) -> TableCursor { TableCursor(root: root, bounds: bounds) }
}
