/// A member of a declared type: `Field("age", .int64)`, `Field("owner", .uuid, linksTo: "Person")`,
/// `Field("status", .string, cases: ["new", "paid"])`. What is inside of an embedded object may be
/// said, too: `inside: ["country": .linksTo("Country")]`, see ``MemberMeaning``.
public struct Field: Hashable, Sendable {
  /// The member's name.
  public let name: String
  /// What the member holds.
  public let type: FieldType
  /// What its values mean: links, cases, and those inside of embedded objects.
  public let meaning: MemberMeaning
  /// The name of the type whose keys the member holds itself.
  public var linksTo: String? { meaning.linksTo }
  /// The values that the member may have itself.
  public var cases: [Value]? { meaning.cases }
  /// Set only by squashed histories, where the member is older than the base.
  public let identity: MemberIdentity?

  /// A member of `type`, and what its values mean; tools give the identity of an older one.
  public init(
    _ name: String, _ type: FieldType, linksTo: String? = nil, cases: [Value]? = nil,
    inside: [String: MemberMeaning] = [:], identity: MemberIdentity? = nil
  ) {
    self.name = name
    self.type = type
    meaning = MemberMeaning(linksTo: linksTo, cases: cases, inside: inside)
    self.identity = identity
  }
}
