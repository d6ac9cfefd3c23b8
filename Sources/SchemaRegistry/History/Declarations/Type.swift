/// A declared type: `Type("Person", key: "id") { Field("id", .uuid); Field("name", .string) }`.
///
/// In a base it is a type the history starts with, in a version it is a new type.
public struct Type: Hashable, Sendable {
  /// The type's name.
  public let name: String
  /// The name of the primary key's member.
  public let keyMember: String
  /// The members in stored order, the key among them.
  public let fields: [Field]
  /// Set only by squashed histories, where the type is older than the base.
  public let identity: TypeIdentity?

  public init(_ name: String, key keyMember: String, @FieldBuilder fields: () -> [Field]) {
    self.init(name: name, keyMember: keyMember, fields: fields())
  }

  /// The same without a builder, for tools.
  public init(
    name: String, keyMember: String, fields: [Field], identity: TypeIdentity? = nil
  ) {
    self.name = name
    self.keyMember = keyMember
    self.fields = fields
    self.identity = identity
  }

  /// The declaration of a known shape with explicit identities; `meanings` are those of its
  /// members.
  public init(_ shape: TypeShape, meanings: [MemberIdentity: MemberMeaning] = [:]) {
    self.init(
      name: shape.name, keyMember: shape.keyMember,
      fields: shape.members.map { member in
        let meaning = meanings[member.identity] ?? MemberMeaning()
        return Field(
          member.name, member.type, linksTo: meaning.linksTo, cases: meaning.cases,
          inside: meaning.inside, identity: member.identity)
      },
      identity: shape.identity)
  }
}
