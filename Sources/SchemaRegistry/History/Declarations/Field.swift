/// A member of a declared type: `Field("age", .int64)`.
public struct Field: Hashable, Sendable {
  /// The member's name.
  public let name: String
  /// What the member holds.
  public let type: FieldType
  /// Set only by squashed histories, where the member is older than the base.
  public let identity: MemberIdentity?

  public init(_ name: String, _ type: FieldType, identity: MemberIdentity? = nil) {
    self.name = name
    self.type = type
    self.identity = identity
  }
}
