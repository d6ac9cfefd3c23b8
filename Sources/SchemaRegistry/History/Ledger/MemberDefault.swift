/// The value that records from before a member have for it.
public struct MemberDefault: Hashable, Sendable {
  /// The type of the records.
  public let type: TypeIdentity
  /// The member.
  public let member: MemberIdentity
  /// The value.
  public let value: Value

  public init(type: TypeIdentity, member: MemberIdentity, value: Value) {
    self.type = type
    self.member = member
    self.value = value
  }
}
