/// A member of a declared type: `Field("age", .int64)`.
public struct Field: Hashable, Sendable {
  public let name: String
  public let type: FieldType
  /// Set only by squashed histories, where the member is older than the base.
  public let identity: MemberIdentity?

  public init(_ name: String, _ type: FieldType, identity: MemberIdentity? = nil) {
    self.name = name
    self.type = type
    self.identity = identity
  }
}
