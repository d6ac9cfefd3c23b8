import FileIO
import ObjectStore
import Testing

/// What is said of links and of models that share a name.
@Suite struct LinkTextTests {
  struct Author: StorableObject {
    static let primaryKey = "name"
    var name = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("name", &name) }
  }

  enum Former {
    struct Author: StorableObject {
      static let primaryKey = "name"
      var name = ""
      mutating func visitMembers<Visitor: MemberVisitor>(
        _ visitor: inout Visitor
      ) throws(StoreError) { try visitor.member("name", &name) }
    }
  }

  @Test("A link prints as the type and the key that it means")
  func link() {
    #expect("\(Link<Author>(key: "Ada"))" == "Author(Ada)")
    #expect(String(reflecting: [Link<Author>(key: "Ada")]) == "[Author(Ada)]")
    #expect("\(Link<Author>.placeholder)" == "Author()")
  }

  @Test("A model that only shares its name with one of the store is told by its full name")
  func sameName() throws {
    let store = try Store.open(
      at: "/s", models: [Author.self], evolution: .additive, configuration: .quiet,
      fileSystem: InMemoryFileSystem())
    let full = String(reflecting: Former.Author.self)
    #expect(full.hasSuffix(".Former.Author"))
    #expect(throws: StoreError.unregisteredModel(type: full)) {
      try store.write { try $0.put(Former.Author()) }
    }
    try store.close()
  }
}
