public import BinaryCoding

/// The bytes of one record's members: record payload format 1.
///
/// Positional in the shape's member order, without names and without the key; see
/// ``PayloadLayout`` for the frame and ``PayloadPrimitives`` for scalars. Further:
///
///     list        count { element }               optional elements: 1 presence byte before each
///     dictionary  count { keyText value }         keys in ascending byte order, none twice
///     object      presenceBitmap { value }        members in order, as in the payload itself
///
/// Encoding is canonical: equal values give equal bytes.
public enum RecordPayload {
  /// The number of this format in the log's documentation.
  public static let format = 1

  /// The payload of `values`, one per member of `shape` in order; the key's value is not stored.
  ///
  /// Throws ``SchemaError/invalidValue(type:member:reason:)`` when a value does not fit its member.
  public static func encode(
    _ values: [Value], shape: TypeShape
  ) throws(SchemaError) -> [UInt8] {
    var writer = ByteWriter(capacity: 16 * values.count)
    try encode(values, shape: shape, to: &writer)
    return writer.array()
  }

  /// Appends the payload of `values` to `writer`; on an error the writer holds a partial payload.
  public static func encode(
    _ values: [Value], shape: TypeShape, to writer: inout ByteWriter
  ) throws(SchemaError) {
    precondition(values.count == shape.members.count, "one value per member of the shape is needed")
    let layout = shape.layout
    let bitmap = PresenceBitmap(optionalCount: layout.optionalCount, appendingTo: &writer)
    for slot in layout.slots {
      let value = values[slot.memberIndex]
      if let bit = slot.presenceBit {
        if value.isNull { continue }
        bitmap.markPresent(bit, in: &writer)
      }
      do throws(ValueCoding.Problem) {
        try ValueCoding.write(value, as: slot.type, to: &writer)
      } catch {
        let problem = error.inside(shape.members[slot.memberIndex].name)
        throw .invalidValue(type: shape.name, member: problem.path, reason: problem.reason)
      }
    }
  }

  /// The values of `payload`, one per member of `shape` in order; `key` fills the key's place.
  ///
  /// Throws ``SchemaError/malformedPayload(type:keyText:reason:)`` unless every byte is a valid
  /// part of the payload. Never traps, and allocates in proportion to the payload only.
  public static func decode(
    _ payload: UnsafeRawBufferPointer, key: Value, shape: TypeShape
  ) throws(SchemaError) -> [Value] {
    do throws(BinaryDecodingError) {
      return try decodeValues(payload, key: key, shape: shape)
    } catch {
      throw .malformedPayload(
        type: shape.name, keyText: KeyCoding.text(of: key), reason: error.description)
    }
  }

  /// The values of `payload`, one per member of `shape` in order.
  public static func decode(
    _ payload: [UInt8], key: Value, shape: TypeShape
  ) throws(SchemaError) -> [Value] {
    let result = payload.withUnsafeBytes { bytes in
      Result { () throws(SchemaError) in try decode(bytes, key: key, shape: shape) }
    }
    return try result.get()
  }

  private static func decodeValues(
    _ payload: UnsafeRawBufferPointer, key: Value, shape: TypeShape
  ) throws(BinaryDecodingError) -> [Value] {
    let layout = shape.layout
    var values = [Value](repeating: .null, count: layout.memberCount)
    values[shape.keyIndex] = key
    var reader = ByteReader(payload)
    let bitmap = try PresenceBitmap.read(optionalCount: layout.optionalCount, from: &reader)
    for slot in layout.slots {
      if let bit = slot.presenceBit, !PresenceBitmap.isPresent(bit, in: bitmap) { continue }
      values[slot.memberIndex] = try ValueCoding.read(slot.type, from: &reader)
    }
    try reader.expectEnd()
    return values
  }
}
