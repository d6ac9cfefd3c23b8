import FileIO
import ObjectStore
import Testing

@Suite("An index keeps objects whose key has no room for their value")
struct FailingLongKeyTests {
  struct Note: StorableObject {
    static let primaryKey = "id"
    static let indexes: [IndexDeclaration] = [.unique("text")]
    var id = ""
    var text = ""
    var size = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("text", &text)
      try visitor.member("size", &size)
    }
  }

  struct NoNumber: Error {}

  static let base = Base(0) {
    Type("Note", key: "id") {
      Field("id", .string)
      Field("text", .string)
      Field("size", .string)
    }
  }

  static func open(
    _ fileSystem: InMemoryFileSystem, _ models: [any StorableObject.Type], _ history: SchemaHistory
  ) throws -> Store {
    try Store.open(
      at: "/store", models: models, history: history, configuration: .quiet,
      fileSystem: fileSystem)
  }

  @Test("R37, R38: also when one whose upgrade failed is put again with the value that it had")
  func putAgain() throws {
    let fileSystem = InMemoryFileSystem()
    // With the value, as far as an index holds it, the key would be too long for one.
    let id = String(repeating: "k", count: 3900)
    let text = String(repeating: "t", count: 300)
    var store = try Self.open(fileSystem, [], SchemaHistory { Self.base })
    try store.write { transaction in
      try transaction.put(
        transaction.makeObject(
          ofType: "Note", ["id": .string(id), "text": .string(text), "size": .string("bad")]))
    }
    try store.close()
    store = try Self.open(
      fileSystem, [Note.self],
      SchemaHistory {
        Self.base
        Version(1) {
          On("Note") {
            Convert("size", to: .int64) { (size: String) throws -> Int in
              guard let number = Int(size) else { throw NoNumber() }
              return number
            }
          }
        }
      })
    try store.buildIndexes()
    try #require(store.incompleteIndexes == [])
    for size in 1...2 {
      try store.write { try $0.put(Note(id: id, text: text, size: size)) }
      #expect(
        try store.snapshot().objects(Note.self, where: "text", equals: text).all().map(\.size)
          == [size])
      #expect(throws: StoreError.self) {
        try store.write { try $0.put(Note(id: "other", text: text)) }
      }
    }
    try store.close()
  }
}
