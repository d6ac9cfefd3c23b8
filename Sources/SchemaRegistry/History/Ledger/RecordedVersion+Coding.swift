public import BinaryCoding

/// The bytes of a recorded version:
///
///     recorded  := format(1 byte, 1) version fingerprint(16) count { operation } count { grade }
///     operation := id parameterHash(8) revision
///     grade     := introducedIn originalName grade(1 byte: 1 read only, 2 refused)
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
    writer.writeVariableLength(UInt64(grades.count))
    for (type, grade) in grades.sorted(by: { $0.key < $1.key }) {
      writer.writeVariableLength(type.introducedIn.rawValue)
      writer.writeString(type.originalName)
      writer.writeByte(grade.rawValue)
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
    grades = try Self.readGrades(from: &reader)
    try reader.expectEnd()
  }

  private static func readGrades(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> [TypeIdentity: ForwardGrade] {
    let count = try ShapeCoding.readCount(limit: SchemaLimits.typeCount, from: &reader)
    var grades: [TypeIdentity: ForwardGrade] = [:]
    for _ in 0..<count {
      let type = TypeIdentity(
        introducedIn: SchemaVersion(try reader.readVariableLength()),
        originalName: try reader.readString())
      let offset = reader.offset
      guard let grade = ForwardGrade(rawValue: try reader.readByte()), grade != .full,
        grades.updateValue(grade, forKey: type) == nil
      else { throw .invalidValue(offset: offset, reason: "unknown grade, or a type twice") }
    }
    return grades
  }
}
