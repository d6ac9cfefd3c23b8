internal import SchemaRegistry

extension TypeShape {
  /// The same type, introduced with all its members in `version`.
  func introduced(in version: SchemaVersion) throws(SchemaError) -> TypeShape {
    try TypeShape(
      name: name, identity: TypeIdentity(introducedIn: version, originalName: name),
      keyMember: keyMember,
      members: members.map { MemberShape($0.name, $0.type, introducedIn: version) })
  }
}
