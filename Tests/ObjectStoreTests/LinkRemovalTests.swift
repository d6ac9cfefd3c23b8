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
}
