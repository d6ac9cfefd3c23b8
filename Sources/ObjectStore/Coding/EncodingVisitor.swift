public import BinaryCoding
public import SchemaRegistry

/// Writes an object's members as a record payload, in the order in which they are visited.
@usableFromInline
struct EncodingVisitor: MemberVisitor {
  // The writer is lent by whoever encodes, and outlives the visitor.
  @usableFromInline let writer: UnsafeMutablePointer<ByteWriter>
  @usableFromInline let bitmap: PresenceBitmap
  @usableFromInline let keyIndex: Int
  @usableFromInline var index = 0
  @usableFromInline var bit = 0
  @usableFromInline var key = Value.null

  /// For an object with a key at `keyIndex`, or for an embedded one without.
  @inlinable
  init(optionalCount: Int, keyIndex: Int?, writer: UnsafeMutablePointer<ByteWriter>) {
    self.writer = writer
    bitmap = PresenceBitmap(optionalCount: optionalCount, appendingTo: &writer.pointee)
    self.keyIndex = keyIndex ?? -1
  }

  @inlinable
  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    write(&value)
  }

  /// The next member.
  @inlinable @inline(__always)
  mutating func write<Member: StorableValue>(_ value: inout Member) {
    defer { index += 1 }
    if index == keyIndex { return writeKey(value) }
    if Member.isOptional {
      defer { bit += 1 }
      if value.isAbsent { return }
      bitmap.markPresent(bit, in: &writer.pointee)
    }
    value.encode(to: &writer.pointee)
  }

  @inlinable @inline(never)
  mutating func writeKey<Member: StorableValue>(_ value: Member) { key = value.dynamicValue }
}
