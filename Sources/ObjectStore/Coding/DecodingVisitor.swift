internal import BinaryCoding
internal import SchemaRegistry

/// Reads a record payload into an object whose members are visited in the payload's order.
struct DecodingVisitor: MemberVisitor {
  private var members: MemberReader
  private let shape: TypeShape
  private let key: Value
  private var index = 0

  init(
    _ payload: UnsafeRawBufferPointer, key: Value, shape: TypeShape
  ) throws(BinaryDecodingError) {
    members = try MemberReader(
      ByteReader(payload), optionalCount: shape.layout.optionalCount)
    self.shape = shape
    self.key = key
  }

  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    try read(&value)
  }

  /// The next member.
  @inline(__always)
  mutating func read<Member: StorableValue>(_ value: inout Member) throws(StoreError) {
    defer { index += 1 }
    if index == shape.keyIndex {
      guard let decoded = Member(dynamicValue: key) else {
        throw .keyTypeMismatch(type: shape.name, expected: shape.keyType)
      }
      value = decoded
      return
    }
    do throws(BinaryDecodingError) { try members.read(into: &value) } catch {
      throw malformed(error)
    }
  }

  /// Throws unless every byte was read.
  func finish() throws(StoreError) {
    do throws(BinaryDecodingError) { try members.expectEnd() } catch { throw malformed(error) }
  }

  private func malformed(_ error: BinaryDecodingError) -> StoreError {
    .schema(
      .malformedPayload(
        type: shape.name, keyText: KeyCoding.text(of: key), reason: "\(error)"))
  }
}
