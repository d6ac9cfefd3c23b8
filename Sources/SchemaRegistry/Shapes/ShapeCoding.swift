package import BinaryCoding

/// The parts of an encoded schema below the schema itself.
package enum ShapeCoding {
  static func write(_ members: [MemberShape], to writer: inout ByteWriter) {
    writer.writeVariableLength(UInt64(members.count))
    for member in members {
      writer.writeString(member.name)
      writer.writeVariableLength(member.identity.introducedIn.rawValue)
      writer.writeString(member.identity.originalName)
      write(member.type, to: &writer)
    }
  }

  static func write(_ type: FieldType, to writer: inout ByteWriter) {
    writer.writeByte(tag(of: type))
    switch type {
    case .optional(let inner), .list(let inner), .dictionary(let inner):
      write(inner, to: &writer)
    case .object(let members):
      writer.writeVariableLength(UInt64(members.count))
      for member in members {
        writer.writeString(member.name)
        write(member.type, to: &writer)
      }
    default:
      break
    }
  }

  static func tag(of type: FieldType) -> UInt8 {
    switch type {
    case .bool: 0
    case .int32: 1
    case .int64: 2
    case .float: 3
    case .double: 4
    case .string: 5
    case .data: 6
    case .date: 7
    case .uuid: 8
    case .optional: 9
    case .list: 10
    case .dictionary: 11
    case .object: 12
    }
  }

  /// A count that is within `limit` and within the bytes that are left.
  package static func readCount(
    limit: Int, from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Int {
    let offset = reader.offset
    let count = try reader.readVariableLength()
    guard count <= UInt64(min(limit, reader.remainingByteCount)) else {
      throw .invalidValue(offset: offset, reason: "the count \(count) is above its limit")
    }
    return Int(count)
  }

  static func readType(from reader: inout ByteReader) throws -> TypeShape {
    let name = try reader.readString()
    let identity = TypeIdentity(
      introducedIn: SchemaVersion(try reader.readVariableLength()),
      originalName: try reader.readString())
    let key = try reader.readString()
    let members = try readMembers(from: &reader)
    return try TypeShape(name: name, identity: identity, keyMember: key, members: members)
  }

  private static func readMembers(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> [MemberShape] {
    let count = try readCount(limit: SchemaLimits.memberCount, from: &reader)
    var members: [MemberShape] = []
    members.reserveCapacity(count)
    for _ in 0..<count {
      let name = try reader.readString()
      let identity = MemberIdentity(
        introducedIn: SchemaVersion(try reader.readVariableLength()),
        originalName: try reader.readString())
      let type = try readFieldType(from: &reader, depth: 1)
      members.append(MemberShape(name: name, type: type, identity: identity))
    }
    return members
  }

  static func readFieldType(
    from reader: inout ByteReader, depth: Int
  ) throws(BinaryDecodingError) -> FieldType {
    let offset = reader.offset
    guard depth <= SchemaLimits.depth else {
      throw .invalidValue(
        offset: offset, reason: "the type nests deeper than \(SchemaLimits.depth) levels")
    }
    switch try reader.readByte() {
    case 0: return .bool
    case 1: return .int32
    case 2: return .int64
    case 3: return .float
    case 4: return .double
    case 5: return .string
    case 6: return .data
    case 7: return .date
    case 8: return .uuid
    case 9: return .optional(try readFieldType(from: &reader, depth: depth + 1))
    case 10: return .list(try readFieldType(from: &reader, depth: depth + 1))
    case 11: return .dictionary(try readFieldType(from: &reader, depth: depth + 1))
    case 12: return .object(try readEmbeddedMembers(from: &reader, depth: depth + 1))
    default: throw .invalidValue(offset: offset, reason: "unknown field type")
    }
  }

  private static func readEmbeddedMembers(
    from reader: inout ByteReader, depth: Int
  ) throws(BinaryDecodingError) -> [MemberShape] {
    let count = try readCount(limit: SchemaLimits.memberCount, from: &reader)
    var members: [MemberShape] = []
    members.reserveCapacity(count)
    for _ in 0..<count {
      let name = try reader.readString()
      members.append(MemberShape(name, try readFieldType(from: &reader, depth: depth)))
    }
    return members
  }
}
