/// A member of a declared type: `Field("age", .int64)`, `Field("owner", .uuid, linksTo: "Person")`,
/// `Field("status", .string, cases: ["new", "paid"])`.
public struct Field: Hashable, Sendable {
  /// The member's name.
  public let name: String
  /// What the member holds.
  public let type: FieldType
  /// The name of the type whose keys the member holds, alone or in lists, dictionaries, optionals.
  public let linksTo: String?
  /// All the values that the member may have, where it holds an enumeration, alone or in lists,
  /// dictionaries, optionals.
  public let cases: [Value]?
  /// Set only by squashed histories, where the member is older than the base.
  public let identity: MemberIdentity?

  public init(
    _ name: String, _ type: FieldType, linksTo: String? = nil, cases: [Value]? = nil,
    identity: MemberIdentity? = nil
  ) {
    self.name = name
    self.type = type
    self.linksTo = linksTo
    self.cases = cases
    self.identity = identity
  }
}
