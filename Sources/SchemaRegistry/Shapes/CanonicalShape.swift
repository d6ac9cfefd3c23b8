internal import BinaryCoding

/// Writes shapes so that equal meanings give equal bytes: types and members sorted by identity,
/// members of embedded objects by name.
enum CanonicalShape {
  static func write(_ type: TypeShape, to writer: inout ByteWriter) {
    writer.writeVariableLength(type.identity.introducedIn.rawValue)
    writer.writeString(type.identity.originalName)
    writer.writeString(type.name)
    writer.writeString(type.keyMember)
    write(type.members, to: &writer)
  }

  static func write(_ type: FieldType, to writer: inout ByteWriter) {
    writer.writeByte(ShapeCoding.tag(of: type))
    switch type {
    case .optional(let inner), .list(let inner), .dictionary(let inner):
      write(inner, to: &writer)
    case .object(let members):
      writer.writeVariableLength(UInt64(members.count))
      for member in members.sorted(by: {
        $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
      }) {
        writer.writeString(member.name)
        write(member.type, to: &writer)
      }
    default:
      break
    }
  }

  private static func write(_ members: [MemberShape], to writer: inout ByteWriter) {
    writer.writeVariableLength(UInt64(members.count))
    for member in members.sorted(by: { precedes($0, $1) }) {
      writer.writeVariableLength(member.identity.introducedIn.rawValue)
      writer.writeString(member.identity.originalName)
      writer.writeString(member.name)
      write(member.type, to: &writer)
    }
  }

  static func precedes(_ left: TypeIdentity, _ right: TypeIdentity) -> Bool {
    if left.introducedIn != right.introducedIn { return left.introducedIn < right.introducedIn }
    return left.originalName.utf8.lexicographicallyPrecedes(right.originalName.utf8)
  }

  private static func precedes(_ left: MemberShape, _ right: MemberShape) -> Bool {
    if left.identity.introducedIn != right.identity.introducedIn {
      return left.identity.introducedIn < right.identity.introducedIn
    }
    if left.identity.originalName != right.identity.originalName {
      return left.identity.originalName.utf8
        .lexicographicallyPrecedes(right.identity.originalName.utf8)
    }
    return left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
  }
}
