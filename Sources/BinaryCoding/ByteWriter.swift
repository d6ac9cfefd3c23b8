/// A growing byte buffer that writes what ``ByteReader`` reads.
///
/// Memory is one allocation that doubles; it is freed with the writer. Not thread-safe.
public struct ByteWriter: ~Copyable {
  @usableFromInline var base: UnsafeMutableRawPointer
  @usableFromInline var capacity: Int
  @usableFromInline var written: Int

  /// How many bytes were written.
  @inlinable public var count: Int { written }

  /// How much memory it has, in bytes.
  @inlinable public var allocatedByteCount: Int { capacity }

  /// An empty buffer with room for `capacity` bytes before it must grow.
  @inlinable
  public init(capacity: Int = 256) {
    let room = max(capacity, 16)
    base = .allocate(byteCount: room, alignment: 8)
    self.capacity = room
    written = 0
  }

  deinit { base.deallocate() }

  /// The bytes written so far; valid until the next call that changes the writer.
  @inlinable
  public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// The bytes written so far, for patching; valid until the next call that changes the writer.
  public var mutableBytes: UnsafeMutableRawBufferPointer {
    mutating get { UnsafeMutableRawBufferPointer(start: base, count: count) }
  }

  /// A copy of the bytes written so far.
  @inlinable
  public func array() -> [UInt8] { [UInt8](bytes) }

  /// Forgets the contents and keeps the memory.
  @inlinable
  public mutating func removeAll() { written = 0 }

  /// Forgets everything after the first `newCount` bytes.
  @inlinable
  public mutating func truncate(to newCount: Int) {
    precondition(newCount <= count, "a writer can only be cut to a shorter length")
    written = newCount
  }

  /// Makes room for `more` further bytes.
  @inlinable
  public mutating func reserve(_ more: Int) {
    if capacity - count < more { grow(more) }
  }

  @usableFromInline
  mutating func grow(_ more: Int) {
    let newCapacity = max(capacity * 2, count + more)
    let newBase = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 8)
    newBase.copyMemory(from: base, byteCount: count)
    base.deallocate()
    base = newBase
    capacity = newCapacity
  }

  /// A fixed-width little-endian integer.
  @inlinable
  public mutating func writeInteger<Integer: FixedWidthInteger & BitwiseCopyable>(_ value: Integer)
  {
    reserve(MemoryLayout<Integer>.size)
    base.storeBytes(of: value.littleEndian, toByteOffset: count, as: Integer.self)
    written += MemoryLayout<Integer>.size
  }

  /// One byte.
  @inlinable
  public mutating func writeByte(_ value: UInt8) {
    reserve(1)
    base.storeBytes(of: value, toByteOffset: count, as: UInt8.self)
    written += 1
  }

  /// An unsigned variable-length integer of one to ten bytes (LEB128).
  @inlinable @inline(__always)
  public mutating func writeVariableLength(_ value: UInt64) {
    // Most numbers have one byte.
    if value < 0x80 { return writeByte(UInt8(truncatingIfNeeded: value)) }
    writeLongVariableLength(value)
  }

  @inlinable
  mutating func writeLongVariableLength(_ value: UInt64) {
    reserve(10)
    var rest = value
    while rest >= 0x80 {
      base.storeBytes(
        of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: count, as: UInt8.self)
      written += 1
      rest >>= 7
    }
    base.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: count, as: UInt8.self)
    written += 1
  }

  /// A signed variable-length integer in zigzag form.
  @inlinable
  public mutating func writeZigZag(_ value: Int64) {
    writeVariableLength(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  /// Raw bytes without a length.
  @inlinable
  public mutating func writeBytes(_ source: UnsafeRawBufferPointer) {
    guard let start = source.baseAddress, source.count > 0 else { return }
    reserve(source.count)
    (base + count).copyMemory(from: start, byteCount: source.count)
    written += source.count
  }

  /// Raw bytes without a length.
  @inlinable
  public mutating func writeBytes(_ source: [UInt8]) {
    source.withUnsafeBytes { writeBytes($0) }
  }

  /// Bytes preceded by their count.
  @inlinable
  public mutating func writeLengthPrefixedBytes(_ source: UnsafeRawBufferPointer) {
    writeVariableLength(UInt64(source.count))
    writeBytes(source)
  }

  /// `count` zero bytes.
  @inlinable
  public mutating func writeZeros(_ zeroCount: Int) {
    guard zeroCount > 0 else { return }
    reserve(zeroCount)
    (base + count).initializeMemory(as: UInt8.self, repeating: 0, count: zeroCount)
    written += zeroCount
  }

  /// Room for `byteCount` bytes filled by `body`, which returns how many it used.
  @inlinable
  public mutating func append<Failure: Error>(
    capacity byteCount: Int,
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    reserve(byteCount)
    let used = try body(UnsafeMutableRawBufferPointer(start: base + count, count: byteCount))
    precondition(used >= 0 && used <= byteCount, "more bytes were written than reserved")
    written += used
  }
}
