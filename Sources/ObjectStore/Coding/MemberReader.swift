internal import BinaryCoding
internal import SchemaRegistry

/// Reads the members of a payload one after the other, optional ones where the bitmap has them.
struct MemberReader {
  private(set) var reader: ByteReader
  private let bitmap: UnsafeRawBufferPointer
  private var bit = 0

  init(_ reader: ByteReader, optionalCount: Int) throws(BinaryDecodingError) {
    self.reader = reader
    bitmap = try PresenceBitmap.read(optionalCount: optionalCount, from: &self.reader)
  }

  /// The next member.
  @inline(__always)
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
    value = try Member.decode(from: &reader)
  }

  /// Throws unless every byte was read.
  func expectEnd() throws(BinaryDecodingError) { try reader.expectEnd() }
}
