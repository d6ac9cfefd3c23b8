import FileIO
import Testing

@testable import ObjectStore

/// Indexes that a newer app declared, while an older one writes.
@Suite("Indexes of newer apps")
struct NewerIndexTests {
  struct Note: StorableObject {
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("tag"), IndexDeclaration("text")]
    var id = 0
    var text = ""
    var tag = "none"
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("text", &text)
      try visitor.member("tag", &tag)
    }
  }

  static let base = Base(0) {
    Type("Note", key: "id") {
      Field("id", .int64)
      Field("text", .string)
    }
  }
  static let newer = SchemaHistory {
    base
    Version(1) { On("Note") { Add("tag", .string, default: "none") } }
  }

  static func count(_ store: Store, _ member: String, _ value: Value) throws -> Int {
    let cursor = try store.snapshot().objects(
      ofType: "Note", where: member, selecting: .equal(to: value))
    var count = 0
    while try cursor.next() != nil { count += 1 }
    return count
  }

  @Test("R37: what an older app adds is found by the newer one, whose indexes it cannot complete")
  func olderAppWrites() throws {
    let fileSystem = InMemoryFileSystem()
    func openNewer() throws -> Store {
      try Store.open(
        at: "/s", models: [Note.self], history: Self.newer, configuration: .quiet,
        fileSystem: fileSystem)
    }
    var store = try openNewer()
    try store.write { try $0.put(Note(id: 1, text: "a")) }
    #expect(store.incompleteIndexes == [])
    try store.close()
    var configuration = StoreConfiguration.quiet
    configuration.newerStore = .projected
    let older = try Store.open(
      at: "/s", history: SchemaHistory { Self.base }, configuration: configuration,
      fileSystem: fileSystem)
    try older.write { try $0.put($0.makeObject(ofType: "Note", ["id": 2, "text": "a"])) }
    // It has no such member, so nothing that it does would complete that one.
    #expect(!older.incompleteIndexes.contains("Note.tag"))
    try older.close()
    store = try openNewer()
    #expect(store.incompleteIndexes == ["Note.tag", "Note.text"])
    for _ in 0..<2 {
      #expect(try Self.count(store, "tag", "none") == 2)
      #expect(try Self.count(store, "text", "a") == 2)
      try store.buildIndexes()
      #expect(store.incompleteIndexes == [])
    }
    try store.close()
  }

  struct OldNote: StorableObject {
    static let typeName = "Note"
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("text")]
    var id = 0
    var text = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("text", &text)
    }
  }

  static func openOlder(_ fileSystem: InMemoryFileSystem) throws -> Store {
    var configuration = StoreConfiguration.quiet
    configuration.newerStore = .projected
    return try Store.open(
      at: "/s", models: [OldNote.self], history: SchemaHistory { base },
      configuration: configuration, fileSystem: fileSystem)
  }

  @Test("R37: an older app does not ask an index in which a newer one put what it reads otherwise")
  func readBack() throws {
    let fileSystem = InMemoryFileSystem()
    var store = try Self.openOlder(fileSystem)
    try store.write { try $0.put(OldNote(id: 1, text: "a")) }
    try store.write { try $0.put(OldNote(id: 3, text: "a")) }
    try store.close()
    let newer = SchemaHistory {
      Self.base
      Version(1) { On("Note") { MakeOptional("text", readAs: "nothing") } }
    }
    store = try NewerStoreTests.open(fileSystem, newer)
    try NewerStoreTests.put(store, "Note", ["id": 2, "text": .null])
    try NewerStoreTests.put(store, "Note", ["id": 3, "text": .null])
    try store.close()
    // Nor does it make an index of its own, however often it opens the store.
    for id in 4...6 {
      store = try Self.openOlder(fileSystem)
      #expect(try Self.count(store, "text", "nothing") == id - 2)
      #expect(try Self.count(store, "text", "a") == 1)
      try store.write { try $0.put(OldNote(id: id, text: "nothing")) }
      try store.buildIndexes()
      #expect(try Self.count(store, "text", "nothing") == id - 1)
      #expect(store.reader.catalog.indexes.count == 1)
      try store.close()
    }
    store = try NewerStoreTests.open(fileSystem, newer)
    try store.buildIndexes()
    #expect(try Self.count(store, "text", .null) == 2)
    #expect(try Self.count(store, "text", "nothing") == 3)
    try store.close()
  }

  @Test("R37: an older app with models leaves the indexes of a newer one, so their number stays")
  func olderModels() throws {
    let fileSystem = InMemoryFileSystem()
    for id in [1, 3, 5] {
      let newer = try Store.open(
        at: "/s", models: [Note.self], history: Self.newer, configuration: .quiet,
        fileSystem: fileSystem)
      try newer.write { try $0.put(Note(id: id, text: "a")) }
      try newer.buildIndexes()
      #expect(try Self.count(newer, "text", "a") == id)
      #expect(try Self.count(newer, "tag", "none") == id)
      #expect(newer.reader.catalog.indexes.count == 2)
      try newer.close()
      let older = try Self.openOlder(fileSystem)
      try older.write { try $0.put(OldNote(id: id + 1, text: "a")) }
      try older.buildIndexes()
      #expect(try Self.count(older, "text", "a") == id + 1)
      #expect(older.reader.catalog.indexes.count == 2)
      try older.close()
    }
  }
}
