/// A type as it is stored under one version: name, identity, key and ordered members.
///
/// The order of the members is the order of the values in a record's payload. The initialiser
/// checks every rule, so code that holds a shape can rely on it.
public struct TypeShape: Sendable {
  /// What the type is called under its version.
  public let name: String
  /// What the type is, whatever it is called.
  public let identity: TypeIdentity
  /// The members in stored order, the key among them.
  public let members: [MemberShape]
  /// Where the primary key stands in ``members``.
  public let keyIndex: Int
  /// Where each member's bytes are found in a payload.
  public let layout: PayloadLayout

  /// A checked shape; throws ``SchemaError/invalidShape(type:reason:)``.
  public init(
    name: String, identity: TypeIdentity, keyMember: String, members: [MemberShape]
  ) throws(SchemaError) {
    guard SchemaLimits.isValidName(name), SchemaLimits.isValidName(identity.originalName) else {
      throw .invalidShape(
        type: name,
        reason: "a type name must have 1 to \(SchemaLimits.nameByteCount) bytes and none of the "
          + "characters \(SchemaLimits.reservedCharacters) or space")
    }
    guard identity.introducedIn != .reserved else {
      throw .invalidShape(type: name, reason: "the type claims the reserved schema version")
    }
    if let problem = FieldType.problem(ofNamesIn: members) {
      throw .invalidShape(type: name, reason: problem)
    }
    var room = SchemaLimits.wholeMemberCount - members.count
    for member in members {
      if let problem = member.type.problem(takingMembersFrom: &room) {
        throw .invalidShape(type: name, reason: "\(member.name): \(problem)")
      }
    }
    guard let keyIndex = members.firstIndex(where: { $0.name == keyMember }) else {
      throw .invalidShape(type: name, reason: "the key \(keyMember) is not a member")
    }
    guard members[keyIndex].type.isKeyType else {
      throw .invalidShape(
        type: name,
        reason: "the key \(keyMember) is \(members[keyIndex].type); a key is one of int32, int64, "
          + "string, uuid, data")
    }
    self.name = name
    self.identity = identity
    self.members = members
    self.keyIndex = keyIndex
    layout = PayloadLayout(members: members, keyIndex: keyIndex)
  }

  /// The name of the primary key's member.
  public var keyMember: String { members[keyIndex].name }

  /// The type of the primary key.
  public var keyType: FieldType { members[keyIndex].type }

  /// The position of the member called `name`; the cost grows with the number of members.
  public func index(ofMember name: String) -> Int? {
    members.firstIndex { $0.name == name }
  }
}

extension TypeShape: Hashable {
  public static func == (left: TypeShape, right: TypeShape) -> Bool {
    left.name == right.name && left.identity == right.identity
      && left.keyIndex == right.keyIndex && left.members == right.members
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(identity)
    hasher.combine(keyIndex)
    hasher.combine(members)
  }
}

extension TypeShape: CustomStringConvertible {
  /// The printed schema, as in `Person key id (id: uuid, name: string)`.
  public var description: String { "\(name) key \(keyMember) \(FieldType.object(members))" }
}
