package import BinaryCoding

/// What recorded versions have since formats 2 to 5.
extension RecordedVersion {
  func writeAdditions(_ format: UInt8, to writer: inout ByteWriter) {
    writer.writeVariableLength(UInt64(inverses.count))
    for inverse in inverses {
      Self.write(inverse.type, to: &writer)
      Self.write(inverse.member, to: &writer)
      ShapeCoding.write(inverse.memberType, to: &writer)
      writer.writeVariableLength(UInt64(inverse.inputs.count))
      for input in inverse.inputs {
        writer.writeString(input.name)
        Self.write(input.member, to: &writer)
      }
      LedgerValueCoding.write(inverse.expression, to: &writer)
      if format > 4 { LedgerValueCoding.write(.object(inverse.initial), to: &writer) }
    }
    guard let defaults else {
      writer.writeByte(0)
      return
    }
    writer.writeByte(1)
    Self.write(defaults, to: &writer)
  }

  package static func write(_ defaults: [MemberDefault], to writer: inout ByteWriter) {
    writer.writeVariableLength(UInt64(defaults.count))
    for added in defaults {
      write(added.type, to: &writer)
      write(added.member, to: &writer)
      LedgerValueCoding.write(added.value, to: &writer)
    }
  }

  static func readInverses(
    _ format: UInt8, from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> [MemberInverse] {
    var inverses: [MemberInverse] = []
    for _ in 0..<(try ShapeCoding.readCount(limit: .max, from: &reader)) {
      let type = try readType(from: &reader)
      let member = try readMember(from: &reader)
      let memberType = try ShapeCoding.readFieldType(from: &reader, depth: 1)
      var inputs: [MemberInverse.Input] = []
      for _ in 0..<(try ShapeCoding.readCount(limit: SchemaLimits.memberCount, from: &reader)) {
        inputs.append(
          MemberInverse.Input(
            name: try reader.readString(), member: try readMember(from: &reader)))
      }
      let offset = reader.offset
      let expression = try LedgerValueCoding.readExpression(from: &reader, depth: 1)
      guard expression.isBounded else {
        throw .invalidValue(offset: offset, reason: "an expression that takes without end")
      }
      inverses.append(
        MemberInverse(
          type: type, member: member, memberType: memberType, inputs: inputs,
          expression: expression, initial: format > 4 ? try readInitial(from: &reader) : [:]))
    }
    return inverses
  }

  private static func readInitial(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> [String: Value] {
    let offset = reader.offset
    guard case .object(let values) = try LedgerValueCoding.readValue(from: &reader, depth: 1) else {
      throw .invalidValue(offset: offset, reason: "what new objects hold is no object")
    }
    return values
  }

  static func readDefaults(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> [MemberDefault]? {
    guard try PayloadPrimitives.readBool(from: &reader) else { return nil }
    return try readDefaultList(from: &reader)
  }

  package static func readDefaultList(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> [MemberDefault] {
    var defaults: [MemberDefault] = []
    for _ in 0..<(try ShapeCoding.readCount(limit: .max, from: &reader)) {
      defaults.append(
        MemberDefault(
          type: try readType(from: &reader), member: try readMember(from: &reader),
          value: try LedgerValueCoding.readValue(from: &reader, depth: 1)))
    }
    return defaults
  }

  static func write(_ defaults: [InnerDefault], to writer: inout ByteWriter) {
    writer.writeVariableLength(UInt64(defaults.count))
    for inner in defaults {
      write(inner.type, to: &writer)
      write(inner.member, to: &writer)
      writer.writeVariableLength(UInt64(inner.path.count))
      for name in inner.path { writer.writeString(name) }
      LedgerValueCoding.write(inner.value, to: &writer)
    }
  }

  static func readInnerDefaults(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> [InnerDefault] {
    var defaults: [InnerDefault] = []
    for _ in 0..<(try ShapeCoding.readCount(limit: .max, from: &reader)) {
      let type = try readType(from: &reader)
      let member = try readMember(from: &reader)
      var path: [String] = []
      for _ in 0..<(try ShapeCoding.readCount(limit: SchemaLimits.depth, from: &reader)) {
        path.append(try reader.readString())
      }
      defaults.append(
        InnerDefault(
          type: type, member: member, path: path,
          value: try LedgerValueCoding.readValue(from: &reader, depth: 1)))
    }
    return defaults
  }

  private static func write(_ type: TypeIdentity, to writer: inout ByteWriter) {
    writer.writeVariableLength(type.introducedIn.rawValue)
    writer.writeString(type.originalName)
  }

  private static func write(_ member: MemberIdentity, to writer: inout ByteWriter) {
    writer.writeVariableLength(member.introducedIn.rawValue)
    writer.writeString(member.originalName)
  }

  private static func readType(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> TypeIdentity {
    TypeIdentity(
      introducedIn: SchemaVersion(try reader.readVariableLength()),
      originalName: try reader.readString())
  }

  private static func readMember(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> MemberIdentity {
    MemberIdentity(
      introducedIn: SchemaVersion(try reader.readVariableLength()),
      originalName: try reader.readString())
  }
}
