import FileIO
import ObjectStore
import SchemaRegistry
import Testing

/// What structs with raw values of all kinds are in a schema.
@Suite("Raw values that are optional are refused; of others all is known that their type tells")
struct RawValueTests {
  /// Stored as bytes that would not be those of its shape.
  struct Maybe: RawRepresentable, StorableValue, Hashable { var rawValue: Int? }

  /// The same around another one.
  struct Wrapped: RawRepresentable, StorableValue { var rawValue: [Maybe] }

  struct Inner: EmbeddedObject {
    var maybe = Maybe(rawValue: 1)
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("maybe", &maybe) }
  }

  struct Holder<Member: PlaceholderValue>: StorableObject {
    static var typeName: String { "Holder" }
    static var primaryKey: String { "id" }
    var id = 0
    var member = Member.placeholder
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("member", &member)
    }
  }

  struct Bare: StorableObject {
    static let typeName = "Holder"
    static let primaryKey = "id"
    var id = 0
    var member = Maybe(rawValue: nil)
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("member", &member)
    }
  }

  private static func open(_ model: any StorableObject.Type) throws(StoreError) -> Store {
    try Store.open(
      at: "/s", models: [model], evolution: .additive, configuration: .quiet,
      fileSystem: InMemoryFileSystem())
  }

  @Test("A store does not open whose model has a member with an optional raw value, nor one in it")
  func refusal() {
    for model in [
      Bare.self, Holder<Maybe?>.self, Holder<[Maybe]>.self, Holder<Set<Maybe>>.self,
      Holder<[String: Maybe]>.self, Holder<[[Maybe]]>.self, Holder<Wrapped?>.self,
      Holder<Inner?>.self, Holder<[Inner]>.self,
    ] as [any StorableObject.Type] {
      #expect {
        try Self.open(model).close()
      } throws: { error in
        guard case .schema(.invalidShape(type: "Holder", let reason))? = error as? StoreError
        else { return false }
        return reason.contains("member") && reason.contains("Maybe?")
      }
    }
  }

  struct Author: StorableObject {
    static let primaryKey = "name"
    var name = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("name", &name) }
  }

  struct By: RawRepresentable, StorableValue { var rawValue: Link<Author> }

  enum Mood: String, StorableValue, CaseIterable { case calm, cross }

  /// All moods, as far as their type says.
  struct Felt: RawRepresentable, StorableValue { var rawValue: [Mood] }

  struct Room: EmbeddedObject {
    static let elementKey = "name"
    var name = ""
    var size = 3
    var mood = Mood.cross
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("name", &name)
      try visitor.member("size", &size)
      try visitor.member("mood", &mood)
    }
  }

  struct Rooms: RawRepresentable, StorableValue { var rawValue: [Room] }

  /// Says that nothing is to be compared.
  enum Open: String, StorableValue, CaseIterable {
    case first
    static var storedCases: [Value] { [] }
  }

  @Test("Links, cases, identities and initial values are those of the raw value")
  func forwarded() {
    #expect(By.linkTargets == ["": "Author"])
    #expect(Felt.storedCases == Mood.storedCases && Felt.caseLists == ["": Mood.storedCases])
    #expect(Rooms.caseLists == ["mood": Mood.storedCases] && Rooms.storedCases.isEmpty)
    #expect(Rooms.elementIdentities == [Room].elementIdentities)
    #expect(Rooms.embeddedInitialValues != nil)
    #expect(Mood.caseLists == ["": [.string("calm"), .string("cross")]])
    #expect(Open.caseLists.isEmpty)
  }

  struct Book: StorableObject {
    static let primaryKey = "id"
    var id = 0
    var by = By(rawValue: .placeholder)
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("by", &by)
    }
  }

  @Test("R28: a type that the history removed is an error while a raw value links to it")
  func removedTarget() throws {
    let fileSystem = InMemoryFileSystem()
    func open(_ models: [any StorableObject.Type], _ history: SchemaHistory) throws -> Store {
      try Store.open(
        at: "/s", models: models, history: history, configuration: .quiet, fileSystem: fileSystem)
    }
    let base = Base(0) {
      Type("Author", key: "name") { Field("name", .string) }
      Type("Book", key: "id") {
        Field("id", .int64)
        Field("by", .string)
      }
    }
    try open([Author.self, Book.self], SchemaHistory { base }).close()
    let removed = SchemaHistory {
      base
      Version(1) { RemoveType("Author") }
    }
    let link = MemberLink(type: "Book", member: "by", target: "Author")
    #expect(throws: StoreError.schema(.linksToRemovedTypes(version: 1, links: [link]))) {
      try open([Book.self], removed)
    }
  }
}
