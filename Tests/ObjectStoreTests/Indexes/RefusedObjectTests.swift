import FileIO
import LogStore
import ObjectStore
import StorageTestSupport
import Testing

@Suite("An object that is refused leaves indexes as they were, whatever the body goes on with")
struct RefusedObjectTests {
  struct Note: StorableObject {
    static let typeName = "Note"
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("tag")]
    var id = 0
    var tag = ""
    var body: [UInt8] = []
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("tag", &tag)
      try visitor.member("body", &body)
    }
  }

  @Test("One that is too large for a record")
  func tooLarge() throws {
    let store = try Store.open(
      at: "/store", models: [Note.self], evolution: .additive, configuration: .quiet,
      fileSystem: InMemoryFileSystem())
    try store.write { try $0.put(Note(id: 1, tag: "a")) }
    let large = [UInt8](repeating: 0, count: LogLimits.payloadByteCount + 1)
    try store.write { transaction in
      _ = #expect(throws: StoreError.self) {
        try transaction.put(Note(id: 1, tag: "b", body: large))
      }
    }
    let snapshot = store.snapshot()
    #expect(try snapshot.get(Note.self, 1)?.tag == "a")
    #expect(try snapshot.objects(Note.self, where: "tag", equals: "a").next()?.id == 1)
    #expect(try snapshot.objects(Note.self, where: "tag", equals: "b").next() == nil)
    try store.close()
  }
}
