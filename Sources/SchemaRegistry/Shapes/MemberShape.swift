/// One member of a type or of an embedded object: its name, what it holds and what it is.
///
/// Inside embedded objects the identity has no meaning: there, members are what their name says.
public struct MemberShape: Hashable, Sendable {
  /// What the member is called under its version.
  public let name: String
  /// What the member holds.
  public let type: FieldType
  /// What the member is, whatever it is called.
  public let identity: MemberIdentity

  public init(name: String, type: FieldType, identity: MemberIdentity) {
    self.name = name
    self.type = type
    self.identity = identity
  }

  /// A member that was introduced in `version` under the name it still has.
  public init(_ name: String, _ type: FieldType, introducedIn version: SchemaVersion = 0) {
    self.init(
      name: name, type: type,
      identity: MemberIdentity(introducedIn: version, originalName: name))
  }
}
