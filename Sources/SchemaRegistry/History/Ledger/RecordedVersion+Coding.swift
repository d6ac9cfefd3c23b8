public import BinaryCoding

/// The bytes of a recorded version:
///
///     recorded  := format(1 byte, 1) version fingerprint(16) count { operation }
///     operation := id parameterHash(8) revision
extension RecordedVersion {
  /// The first byte of an encoded one.
  public static let encodingFormat: UInt8 = 1

  /// The encoded form.
  public func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: 32 + operations.count * 32)
    writer.writeByte(Self.encodingFormat)
    writer.writeVariableLength(version.rawValue)
    writer.writeInteger(fingerprint.high)
    writer.writeInteger(fingerprint.low)
    writer.writeVariableLength(UInt64(operations.count))
    for operation in operations {
      writer.writeString(operation.id)
      writer.writeInteger(operation.parameterHash)
      writer.writeVariableLength(UInt64(operation.revision))
    }
    return writer.array()
  }

  /// Reads an encoded one; any other bytes throw.
  public init(decoding bytes: UnsafeRawBufferPointer) throws(BinaryDecodingError) {
    var reader = ByteReader(bytes)
    let format = try reader.readByte()
    guard format == Self.encodingFormat else {
      throw .invalidValue(offset: 0, reason: "it has the unknown format \(format)")
    }
    version = SchemaVersion(try reader.readVariableLength())
    fingerprint = ShapeFingerprint(
      high: try reader.readInteger(), low: try reader.readInteger())
    let count = try ShapeCoding.readCount(limit: .max, from: &reader)
    var operations: [Operation] = []
    operations.reserveCapacity(count)
    for _ in 0..<count {
      operations.append(
        Operation(
          id: try reader.readString(), parameterHash: try reader.readInteger(),
          revision: try reader.readVariableLength(as: UInt32.self)))
    }
    self.operations = operations
    try reader.expectEnd()
  }
}
