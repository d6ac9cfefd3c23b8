internal import BinaryCoding
internal import SchemaRegistry

/// Reads an embedded object out of the payload of the object around it.
struct EmbeddedDecodingVisitor: MemberVisitor {
  private(set) var reader: ByteReader
  /// What was wrong with the bytes, when a member threw.
  private(set) var failure: BinaryDecodingError?
  private let bitmap: UnsafeRawBufferPointer
  private var bit = 0

  init(_ reader: ByteReader, optionalCount: Int) throws(BinaryDecodingError) {
    self.reader = reader
    bitmap = try PresenceBitmap.read(optionalCount: optionalCount, from: &self.reader)
  }

  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    if let absent = Member.absentValue {
      defer { bit += 1 }
      guard PresenceBitmap.isPresent(bit, in: bitmap) else {
        value = absent
        return
      }
    }
    do throws(BinaryDecodingError) {
      value = try Member.decode(from: &reader)
    } catch {
      failure = error
      throw .schema(.malformedShape(reason: "\(error)"))
    }
  }
}
