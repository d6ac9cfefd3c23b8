import FileIO
import ObjectStore
import Testing

/// Links that only the models know, and types that are gone.
@Suite struct LinkRemovalTests {
  struct Draft: StorableObject {
    static let primaryKey = "id"
    var id = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("id", &id) }
  }

  struct Origin: EmbeddedObject {
    var drafts: [Link<Draft>] = []
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("drafts", &drafts) }
  }

  struct Note: StorableObject {
    static let primaryKey = "id"
    var id = 0
    var draft: Link<Draft>?
    var origin = Origin()
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("draft", &draft)
      try visitor.member("origin", &origin)
    }
  }

  static let base = Base(0) {
    Type("Draft", key: "id") { Field("id", .int64) }
    Type("Note", key: "id") {
      Field("id", .int64)
      Field("draft", .optional(.int64))
      Field("origin", .object([MemberShape("drafts", .list(.int64))]))
    }
  }

  static func open(
    _ fileSystem: InMemoryFileSystem, _ models: [any StorableObject.Type], _ history: SchemaHistory
  ) throws -> Store {
    try Store.open(
      at: "/s", models: models, history: history, configuration: .quiet, fileSystem: fileSystem)
  }

  @Test("R28: a type that the history removed is an error while a model links to it; all are named")
  func removed() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.open(fileSystem, [Draft.self, Note.self], SchemaHistory { Self.base }).close()
    let removed = SchemaHistory {
      Self.base
      Version(1) { RemoveType("Draft") }
    }
    let links = ["draft", "origin.drafts"].map {
      MemberLink(type: "Note", member: $0, target: "Draft")
    }
    #expect(throws: StoreError.schema(.linksToRemovedTypes(version: 1, links: links))) {
      try Self.open(fileSystem, [Note.self], removed)
    }
  }

  @Test("R28: a type that only the model lacks keeps its records")
  func missing() throws {
    let fileSystem = InMemoryFileSystem()
    let history = SchemaHistory { Self.base }
    var store = try Self.open(fileSystem, [Draft.self, Note.self], history)
    try store.write { try $0.put(Draft(id: 4)) }
    try store.close()
    store = try Self.open(fileSystem, [Note.self], history)
    try store.write { try $0.put(Note(id: 1, draft: Link(key: 4))) }
    _ = try store.compact()
    try store.close()
    store = try Self.open(fileSystem, [Draft.self, Note.self], history)
    let note = try #require(try store.snapshot().get(Note.self, 1))
    let link = try #require(note.draft)
    #expect(try store.snapshot().get(link)?.id == 4)
    try store.close()
  }

  /// What opening says of the links of `Note`, line by line; nothing when it opens.
  static func refusals(base: Base = Self.base, _ versions: Version...) throws -> [String] {
    let history = SchemaHistory(base: base, versions: versions)
    try #require(history.issues == [])
    do throws(StoreError) {
      try Store.open(
        at: "/s", models: [Draft.self, Note.self], history: history, configuration: .quiet,
        fileSystem: InMemoryFileSystem()
      ).close()
      return []
    } catch {
      return error.description.split(separator: "\n").map(String.init)
    }
  }

  static func newDraft(_ key: FieldType = .int64) -> Type {
    Type("Draft", key: "id") { Field("id", key) }
  }

  @Test("R28: links to a type that was removed do not lead into a new one of its name")
  func replaced() throws {
    let remedy =
      "Retarget, Remove or Convert %@ in version 1; where that has shipped, in a new one: a "
      + "Convert that keeps the values says that they are right."
    let expected =
      ["Members of models link to other types than those whose keys they hold:"]
      + ["Note.draft", "Note.origin.drafts"].map { place in
        "  v1/Draft (\(place)): \(place) links to Draft, which is new in version 1, and holds keys "
          + "of the type that was called Draft before. "
          + remedy.replacing("%@", with: place)
      }
    let removed = Version(1) {
      RemoveType("Draft")
      Self.newDraft()
    }
    #expect(try Self.refusals(removed) == expected)
    let renamed = Version(1) {
      RenameType("Draft", to: "Sketch")
      Self.newDraft()
    }
    #expect(try Self.refusals(renamed, Version(2) {}) == expected)
    let inTwo = try Self.refusals(
      Version(1) { RenameType("Draft", to: "Sketch") }, Version(2) { Self.newDraft() },
      Version(3) {})
    #expect(inTwo.count == 3)
    #expect(inTwo.dropFirst().allSatisfy { $0.contains("v2/Draft (Note.") }, "\(inTwo)")
  }

  @Test("R28: links that were brought along, are newer, or could not be the old type's, are right")
  func broughtAlong() throws {
    let origin = ValueExpression.object([ObjectPart("drafts", .constant(.list([])))])
    let originType = FieldType.object([MemberShape("drafts", .list(.int64))])
    let replaced = Version(1) {
      RenameType("Draft", to: "Sketch")
      Self.newDraft()
    }
    #expect(
      try Self.refusals(
        replaced,
        Version(2) {
          On("Note") {
            Convert("draft", to: .optional(.int64), .member("draft"))
            Convert("origin", to: originType, origin)
          }
        }) == [])
    #expect(
      try Self.refusals(
        Version(1) {
          RenameType("Draft", to: "Sketch")
          Self.newDraft()
        }, Version(2) { Move("Sketch", to: "Draft", where: .constant(true)) }) == [])
    #expect(
      try Self.refusals(
        Version(1) {
          RenameType("Draft", to: "Sketch")
          Self.newDraft()
          Retarget("Note", "draft", to: "Draft")
        }, Version(2) { On("Note") { Convert("origin", to: originType, origin) } }) == [])
    let texts = Base(0) {
      Self.newDraft(.string)
      Type("Note", key: "id") {
        Field("id", .int64)
        Field("draft", .optional(.int64))
        Field("origin", originType)
      }
    }
    #expect(try Self.refusals(base: texts, replaced) == [])
  }

  @Test("R34: a model's link and the one that the history declares lead to the same type")
  func declaredElsewhere() throws {
    let base = Base(0) {
      Self.newDraft()
      Type("Sheet", key: "id") { Field("id", .int64) }
      Type("Note", key: "id") {
        Field("id", .int64)
        Field("draft", .optional(.int64), linksTo: "Sheet")
        Field(
          "origin", .object([MemberShape("drafts", .list(.int64))]),
          inside: ["drafts": .linksTo("Draft")])
      }
    }
    #expect(
      try Self.refusals(base: base) == [
        "Members of models link to other types than those whose keys they hold:",
        "  v0/Note (Note.draft): Note.draft links to Draft in the model, and to Sheet in the "
          + "history. Retarget Note.draft in a new version, or let the model link to Sheet.",
      ])
    #expect(
      try Self.refusals(base: base, Version(1) { Retarget("Note", "draft", to: "Draft") }) == [])
  }

  struct Memo: StorableObject {
    static let primaryKey = "id"
    var id = 0
    var draft: Link<Draft>?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("draft", &draft)
    }
  }

  @Test("R28: the objects may follow to the new type after those that link to them moved")
  func movedFirst() throws {
    let base = Base(0) {
      Self.newDraft()
      Type("Note", key: "id") {
        Field("id", .int64)
        Field("draft", .optional(.int64))
      }
    }
    let history = SchemaHistory(
      base: base,
      versions: [
        Version(1) {
          Type("Memo", key: "id") {
            Field("id", .int64)
            Field("draft", .optional(.int64))
          }
        },
        Version(2) { Move("Note", to: "Memo", where: .constant(true)) },
        Version(3) {
          RenameType("Draft", to: "Sketch")
          Self.newDraft()
        },
        Version(4) { Move("Sketch", to: "Draft", where: .constant(true)) },
      ])
    try #require(history.issues == [])
    try Self.open(InMemoryFileSystem(), [Draft.self, Memo.self], history).close()
  }
}
