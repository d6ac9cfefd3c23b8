/// Keys and values that wait for the page they will lie in, side by side in memory.
///
/// Memory grows with the largest page so far, and is used again for the next. Behind the bytes of
/// each key eight more can be read.
struct PendingKeys: ~Copyable {
  /// A value, and where the bytes of its key are.
  struct Keyed {
    let value: IndexValue
    fileprivate let start: UInt32
    fileprivate let length: UInt32
  }

  private(set) var count = 0
  private var keyed: UnsafeMutablePointer<Keyed>
  private var keyedCapacity = 256
  private var bytes: UnsafeMutableRawPointer
  private var byteCapacity = 8 << 10
  /// Bytes of all keys.
  private(set) var byteCount = 0
  private static let slackByteCount = 8

  init() {
    keyed = .allocate(capacity: keyedCapacity)
    bytes = .allocate(byteCount: byteCapacity, alignment: 8)
  }

  deinit {
    keyed.deallocate()
    bytes.deallocate()
  }

  /// Adds a key, whose bytes are copied.
  @inline(__always)
  mutating func append(_ key: IndexKey, _ value: IndexValue) {
    let length = Int(key.length)
    if count == keyedCapacity || byteCount + length + Self.slackByteCount > byteCapacity {
      grow(by: length)
    }
    let target = bytes + byteCount
    if length == 8 {
      target.storeBytes(of: key.bytes.loadUnaligned(as: UInt64.self), as: UInt64.self)
    } else {
      target.copyMemory(from: key.bytes, byteCount: length)
    }
    (keyed + count).initialize(
      to: Keyed(
        value: value, start: UInt32(truncatingIfNeeded: byteCount), length: key.length))
    byteCount += length
    count += 1
  }

  private mutating func grow(by length: Int) {
    if count == keyedCapacity {
      let larger = UnsafeMutablePointer<Keyed>.allocate(capacity: 2 * keyedCapacity)
      larger.moveInitialize(from: keyed, count: count)
      keyed.deallocate()
      keyed = larger
      keyedCapacity *= 2
    }
    if byteCount + length + Self.slackByteCount > byteCapacity {
      let capacity = 2 * (byteCount + length + Self.slackByteCount)
      let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
      larger.copyMemory(from: bytes, byteCount: byteCount)
      bytes.deallocate()
      bytes = larger
      byteCapacity = capacity
    }
  }

  /// Forgets the keys and keeps the memory.
  mutating func removeAll() {
    count = 0
    byteCount = 0
  }

  /// The key at a position, counted from the first.
  @inline(__always)
  subscript(_ position: Int) -> Keyed {
    assert(position < count, "there must be so many keys")
    return keyed[position]
  }

  /// Where the bytes of a key are, borrowed.
  @inline(__always)
  func start(_ key: Keyed) -> UnsafeRawPointer { UnsafeRawPointer(bytes) + Int(key.start) }

  /// The bytes of a key, borrowed.
  func bytes(_ key: Keyed) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start(key), count: Int(key.length))
  }
}
