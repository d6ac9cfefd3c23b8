internal import BinaryCoding
internal import SchemaRegistry

/// Reads a record payload into an object whose members are visited in the payload's order.
struct DecodingVisitor: MemberVisitor {
  private var reader: ByteReader
  private let bitmap: UnsafeRawBufferPointer
  private let shape: TypeShape
  private let key: Value
  private var index = 0
  private var bit = 0

  init(
    _ payload: UnsafeRawBufferPointer, key: Value, shape: TypeShape
  ) throws(BinaryDecodingError) {
    reader = ByteReader(payload)
    bitmap = try PresenceBitmap.read(
      optionalCount: shape.layout.optionalCount, from: &reader)
    self.shape = shape
    self.key = key
  }

  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    defer { index += 1 }
    if index == shape.keyIndex {
      guard let decoded = Member(dynamicValue: key) else {
        throw .keyTypeMismatch(type: shape.name, expected: shape.keyType)
      }
      value = decoded
      return
    }
    if let absent = Member.absentValue {
      defer { bit += 1 }
      guard PresenceBitmap.isPresent(bit, in: bitmap) else {
        value = absent
        return
      }
    }
    do throws(BinaryDecodingError) {
      value = try Member.decode(from: &reader)
    } catch { throw malformed(error) }
  }

  /// Throws unless every byte was read.
  func finish() throws(StoreError) {
    do throws(BinaryDecodingError) { try reader.expectEnd() } catch { throw malformed(error) }
  }

  private func malformed(_ error: BinaryDecodingError) -> StoreError {
    .schema(
      .malformedPayload(
        type: shape.name, keyText: KeyCoding.text(of: key), reason: "\(error)"))
  }
}
