public import BinaryCoding
public import SchemaRegistry

/// Reads the members of a payload one after the other, optional ones where the bitmap has them.
@usableFromInline
struct MemberReader {
  @usableFromInline var reader: ByteReader
  @usableFromInline var bitmap = UnsafeRawBufferPointer(start: nil, count: 0)
  @usableFromInline var bit = 0

  @inlinable
  init(_ reader: ByteReader) { self.reader = reader }

  /// Reads the bitmap, which comes first.
  @inlinable
  mutating func readPresence(optionalCount: Int) throws(BinaryDecodingError) {
    bitmap = try PresenceBitmap.read(optionalCount: optionalCount, from: &reader)
  }

  /// Leaves nothing to read: every member that is not absent throws from now on.
  @usableFromInline
  mutating func end() { reader = ByteReader(UnsafeRawBufferPointer(start: nil, count: 0)) }

  /// The next member.
  @inlinable @inline(__always)
  mutating func read<Member: StorableValue>(
    into value: inout Member
  ) throws(BinaryDecodingError) {
    if let absent = Member.absentValue {
      defer { bit += 1 }
      guard PresenceBitmap.isPresent(bit, in: bitmap) else {
        value = absent
        return
      }
    }
    try Member.decode(from: &reader, into: &value)
  }
}
