public import BinaryCoding

/// The bytes of a schema in the log's catalog.
///
///     schema   := format version count { type }        format is one byte, 1
///     type     := name identity keyName count { member }
///     member   := name identity fieldType
///     identity := introducedIn originalName
///     fieldType := tag                                 0 … 8 scalars in declared order
///                | 9 fieldType | 10 fieldType | 11 fieldType     optional, list, dictionary
///                | 12 count { name fieldType }                   embedded object
///
/// Numbers are variable-length integers, names are UTF-8 after their byte count.
extension SchemaShape {
  /// The first byte of an encoded schema.
  public static let encodingFormat: UInt8 = 1

  /// The encoded schema.
  public func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: 64 + types.count * 128)
    encode(to: &writer)
    return writer.array()
  }

  /// Appends the encoded schema.
  public func encode(to writer: inout ByteWriter) {
    writer.writeByte(Self.encodingFormat)
    writer.writeVariableLength(version.rawValue)
    writer.writeVariableLength(UInt64(types.count))
    for type in types {
      writer.writeString(type.name)
      writer.writeVariableLength(type.identity.introducedIn.rawValue)
      writer.writeString(type.identity.originalName)
      writer.writeString(type.keyMember)
      ShapeCoding.write(type.members, to: &writer)
    }
  }

  /// Reads an encoded schema and checks every rule and limit; never traps, whatever the bytes.
  public init(decoding bytes: UnsafeRawBufferPointer) throws(SchemaError) {
    var reader = ByteReader(bytes)
    do {
      let format = try reader.readByte()
      guard format == Self.encodingFormat else {
        throw SchemaError.unknownShapeFormat(found: format)
      }
      let version = SchemaVersion(try reader.readVariableLength())
      let count = try ShapeCoding.readCount(limit: SchemaLimits.typeCount, from: &reader)
      var types: [TypeShape] = []
      for _ in 0..<count { types.append(try ShapeCoding.readType(from: &reader)) }
      try reader.expectEnd()
      try self.init(version: version, types: types)
    } catch let error as BinaryDecodingError {
      throw .malformedShape(reason: error.description)
    } catch let error as SchemaError {
      throw error
    } catch {
      throw .malformedShape(reason: "unexpected error")
    }
  }

  /// Reads an encoded schema.
  public init(decoding bytes: [UInt8]) throws(SchemaError) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(SchemaError) in try SchemaShape(decoding: bytes) }
    }
    self = try result.get()
  }
}
