/// A key in a memory table: comparable mostly without following a pointer.
///
/// `head` holds the first eight bytes, most significant first, padded with zeros; `bytes` points to
/// the whole key, which the table's arena or the caller keeps alive. Order: collection, then bytes.
struct IndexKey {
  var head: UInt64
  var collection: UInt32
  var length: UInt32
  var bytes: UnsafeRawPointer

  /// A key borrowed from `bytes`, which must stay valid as long as it is used.
  init(_ collection: CollectionIdentifier, _ key: UnsafeRawBufferPointer) {
    guard let base = key.baseAddress, key.count > 0 else {
      fatalError("a key must have at least one byte")
    }
    self.collection = collection.rawValue
    length = UInt32(key.count)
    bytes = base
    head = Self.head(of: key)
  }

  /// The same for `length` bytes at `start`, not none, where eight bytes can be read at least.
  @inline(__always)
  init(_ collection: CollectionIdentifier, followed start: UnsafeRawPointer, length: Int) {
    self.init(
      collection, start, length: length, word: start.loadUnaligned(as: UInt64.self))
  }

  /// The same when the eight bytes are at hand: a processor waits where it reads what it has just
  /// written in two pieces.
  @inline(__always)
  init(
    _ collection: CollectionIdentifier, _ start: UnsafeRawPointer, length: Int,
    word bytesOfHead: UInt64
  ) {
    let word = UInt64(bigEndian: bytesOfHead)
    self.collection = collection.rawValue
    self.length = UInt32(truncatingIfNeeded: length)
    bytes = start
    head = length >= 8 ? word : word & ~(UInt64.max &>> UInt64(8 * length))
  }

  /// The cut before all keys that begin so: no key, but one that sorts right before them. Nobody
  /// reads `bytes`.
  init(cut head: KeyHeads.Head, _ bytes: UnsafeRawPointer) {
    collection = head.collection
    self.head = head.head
    length = 0
    self.bytes = bytes
  }

  /// Whether `other` has the same bytes.
  @inline(__always)
  func hasBytes(_ other: UnsafeRawBufferPointer) -> Bool {
    guard other.count == Int(length), let start = other.baseAddress else { return false }
    if length < 8 { return Self.head(of: other) == head }
    return UInt64(bigEndian: start.loadUnaligned(as: UInt64.self)) == head
      && Self.memoryOrder(start + 8, bytes + 8, Int(length) - 8) == 0
  }

  /// The first eight bytes as a big-endian number, padded with zeros.
  static func head(of key: UnsafeRawBufferPointer) -> UInt64 {
    if key.count >= 8 { return UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) }
    var head: UInt64 = 0
    for position in 0..<key.count { head |= UInt64(key[position]) << UInt64(56 - 8 * position) }
    return head
  }

  /// The whole key, borrowed.
  var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: Int(length)) }

  static func < (left: IndexKey, right: IndexKey) -> Bool { compare(left, right) < 0 }

  /// Negative, zero or positive as `left` sorts before, with or after `right`.
  static func compare(_ left: IndexKey, _ right: IndexKey) -> Int {
    if left.collection != right.collection { return left.collection < right.collection ? -1 : 1 }
    if left.head != right.head { return left.head < right.head ? -1 : 1 }
    // With equal heads, a key of up to eight bytes is a prefix of the other.
    if left.length <= 8 || right.length <= 8 { return Int(left.length) - Int(right.length) }
    let shared = Int(min(left.length, right.length)) - 8
    let order = memoryOrder(left.bytes + 8, right.bytes + 8, shared)
    return order != 0 ? order : Int(left.length) - Int(right.length)
  }

  /// Order of raw bytes, eight at a time.
  static func memoryOrder(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Int
  {
    var position = 0
    while position + 8 <= count {
      let a = UInt64(bigEndian: left.loadUnaligned(fromByteOffset: position, as: UInt64.self))
      let b = UInt64(bigEndian: right.loadUnaligned(fromByteOffset: position, as: UInt64.self))
      if a != b { return a < b ? -1 : 1 }
      position += 8
    }
    while position < count {
      let a = left.load(fromByteOffset: position, as: UInt8.self)
      let b = right.load(fromByteOffset: position, as: UInt8.self)
      if a != b { return a < b ? -1 : 1 }
      position += 1
    }
    return 0
  }
}
