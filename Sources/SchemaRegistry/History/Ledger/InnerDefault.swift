/// What a member inside an embedded object holds where nobody said it, though the object was not
/// there when the member around it was declared: that was nil, or an empty dictionary or list.
public struct InnerDefault: Hashable, Sendable {
  /// The type of the records.
  public let type: TypeIdentity
  /// The member that is or holds the embedded object.
  public let member: MemberIdentity
  /// The names that lead from there to the member inside.
  public let path: [String]
  /// The value.
  public let value: Value

  public init(type: TypeIdentity, member: MemberIdentity, path: [String], value: Value) {
    self.type = type
    self.member = member
    self.path = path
    self.value = value
  }
}
