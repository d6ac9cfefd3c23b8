import FileIO
import ObjectStore
import Testing

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
}
