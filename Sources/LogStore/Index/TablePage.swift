/// One page of a memory table: raw memory in one of two layouts.
///
///     leaf    offset  size        field
///                  0     8        table version the page was made for
///                  8     4        count
///                 12     4        1 when leaf
///                 16     8        the next page in a list of those that are not used any more
///                 24  32 × 24     keys
///                792  32 × 32     values
///     inner   offset  size        field
///                792  33 × 8      children; child i holds the keys below key i
///
/// A page made since the last publication may be changed in place; any other is copied first.
struct TablePage: @unchecked Sendable {
  // Sendable: published pages are never changed; unpublished ones belong to the single writer.
  let base: UnsafeMutableRawPointer

  static let capacity = 32
  static let byteCount = valuesOffset + valuesByteCount
  private static let valuesByteCount = capacity * MemoryLayout<IndexValue>.stride
  private static let keysOffset = 24
  private static let valuesOffset = keysOffset + capacity * MemoryLayout<IndexKey>.stride

  var version: UInt64 {
    get { base.load(as: UInt64.self) }
    nonmutating set { base.storeBytes(of: newValue, as: UInt64.self) }
  }

  var count: Int {
    get { Int(base.load(fromByteOffset: 8, as: UInt32.self)) }
    nonmutating set { base.storeBytes(of: UInt32(newValue), toByteOffset: 8, as: UInt32.self) }
  }

  var isLeaf: Bool {
    get { base.load(fromByteOffset: 12, as: UInt32.self) == 1 }
    nonmutating set {
      base.storeBytes(of: newValue ? 1 : 0, toByteOffset: 12, as: UInt32.self)
    }
  }

  var next: UnsafeMutableRawPointer? {
    get { base.load(fromByteOffset: 16, as: UnsafeMutableRawPointer?.self) }
    nonmutating set {
      base.storeBytes(of: newValue, toByteOffset: 16, as: UnsafeMutableRawPointer?.self)
    }
  }

  var keys: UnsafeMutablePointer<IndexKey> {
    (base + Self.keysOffset).assumingMemoryBound(to: IndexKey.self)
  }

  var values: UnsafeMutablePointer<IndexValue> {
    (base + Self.valuesOffset).assumingMemoryBound(to: IndexValue.self)
  }

  var children: UnsafeMutablePointer<UnsafeMutableRawPointer> {
    (base + Self.valuesOffset).assumingMemoryBound(to: UnsafeMutableRawPointer.self)
  }

  func child(_ position: Int) -> TablePage { TablePage(base: children[position]) }

  /// Takes what is in use of another page, in place of what is here, for `version`.
  func copy(_ page: TablePage, for version: UInt64) {
    self.version = version
    count = page.count
    isLeaf = page.isLeaf
    keys.update(from: page.keys, count: page.count)
    if page.isLeaf {
      values.update(from: page.values, count: page.count)
    } else {
      children.update(from: page.children, count: page.count + 1)
    }
  }

  /// The first position whose key is not below `key`.
  func lowerBound(_ key: IndexKey) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) >> 1
      if IndexKey.compare(keys[middle], key) < 0 { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// In an inner page: the child that holds `key`.
  func childPosition(for key: IndexKey) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) >> 1
      if IndexKey.compare(keys[middle], key) <= 0 { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Opens a gap for one key and value at `position` of a leaf that has room.
  func insert(_ key: IndexKey, _ value: IndexValue, at position: Int) {
    let moved = count - position
    (keys + position + 1).update(from: keys + position, count: moved)
    (values + position + 1).update(from: values + position, count: moved)
    keys[position] = key
    values[position] = value
    count += 1
  }

  /// Opens a gap for a separator and the child right of it in an inner page that has room.
  func insert(_ key: IndexKey, child: TablePage, at position: Int) {
    let moved = count - position
    (keys + position + 1).update(from: keys + position, count: moved)
    (children + position + 2).update(from: children + position + 1, count: moved)
    keys[position] = key
    children[position + 1] = child.base
    count += 1
  }
}
