public import BinaryCoding

/// The bytes of a recorded version:
///
///     recorded  := format(1 byte, 1 to 5) version fingerprint(16)
///                  count { operation } count { grade }
///                  and from format 2 on: count { inverse } 0 | 1 count { default }
///                  and from format 3 on: count { default }
///                  and from format 4 on: count { inner }
///     operation := id parameterHash(8) revision
///     grade     := introducedIn originalName grade(1 byte: 1 read only, 2 refused)
///     inverse   := type member fieldType count { name member } expression
///                  and in format 5: initial, the value that is an object
///     default   := type member value
///     inner     := type member count { name } value
///
/// Types and members are `introducedIn originalName`; for expressions and values see
/// ``LedgerValueCoding``. Format 2 is written where there is an inverse or a default, format 3
/// where there is one inside embedded objects, format 4 where one is inside of those not there yet,
/// format 5 where an inverse reaches into embedded objects.
extension RecordedVersion {
  /// The first byte of an encoded one, at most.
  public static let encodingFormat: UInt8 = 5

  /// The encoded form.
  public func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: 32 + operations.count * 32)
    let format = encodedFormat
    writer.writeByte(format)
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
    if format > 1 { writeAdditions(format, to: &writer) }
    if format > 2 { Self.write(embeddedDefaults, to: &writer) }
    if format > 3 { Self.write(innerDefaults, to: &writer) }
    return writer.array()
  }

  /// The lowest that holds all there is.
  private var encodedFormat: UInt8 {
    if inverses.contains(where: \.expression.reshapes) { return 5 }
    if !innerDefaults.isEmpty { return 4 }
    if !embeddedDefaults.isEmpty { return 3 }
    return inverses.isEmpty && defaults == nil ? 1 : 2
  }

  /// Reads an encoded one; any other bytes throw.
  public init(decoding bytes: UnsafeRawBufferPointer) throws(BinaryDecodingError) {
    var reader = ByteReader(bytes)
    let format = try reader.readByte()
    guard (1...Self.encodingFormat).contains(format) else {
      throw .invalidValue(offset: 0, reason: "it has the unknown format \(format)")
    }
    version = SchemaVersion(try reader.readVariableLength())
    fingerprint = ShapeFingerprint(
      high: try reader.readInteger(), low: try reader.readInteger())
    let count = try ShapeCoding.readCount(limit: .max, from: &reader)
    var operations: [Operation] = []
    operations.reserveCapacity(Swift.min(count, 1024))
    for _ in 0..<count {
      operations.append(
        Operation(
          id: try reader.readString(), parameterHash: try reader.readInteger(),
          revision: try reader.readVariableLength(as: UInt32.self)))
    }
    self.operations = operations
    grades = try Self.readGrades(from: &reader)
    inverses = format == 1 ? [] : try Self.readInverses(format, from: &reader)
    defaults = format == 1 ? nil : try Self.readDefaults(from: &reader)
    embeddedDefaults = format < 3 ? [] : try Self.readDefaultList(from: &reader)
    innerDefaults = format < 4 ? [] : try Self.readInnerDefaults(from: &reader)
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
