internal import BinaryCoding

extension RecordPayload {
  /// The value of one member of `payload`, without decoding the ones before it.
  ///
  /// `key` is the answer for the key, which is not in the payload. Bytes behind the member are not
  /// looked at.
  public static func value(
    ofMember index: Int, in payload: UnsafeRawBufferPointer, key: Value, shape: TypeShape
  ) throws(SchemaError) -> Value {
    if index == shape.keyIndex { return key }
    do throws(BinaryDecodingError) {
      var reader = ByteReader(payload)
      let bitmap = try PresenceBitmap.read(
        optionalCount: shape.layout.optionalCount, from: &reader)
      for slot in shape.layout.slots {
        let isPresent = slot.presenceBit.map { PresenceBitmap.isPresent($0, in: bitmap) } ?? true
        if slot.memberIndex == index {
          return isPresent ? try ValueCoding.read(slot.type, from: &reader) : .null
        }
        if isPresent { try ValueCoding.skip(slot.type, in: &reader) }
      }
      return .null
    } catch {
      throw .malformedPayload(
        type: shape.name, keyText: KeyCoding.text(of: key), reason: error.description)
    }
  }
}
