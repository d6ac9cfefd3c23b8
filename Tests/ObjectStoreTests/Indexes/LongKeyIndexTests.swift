import FileIO
import LogStore
import ObjectStore
import Testing

/// Objects whose keys leave no room for values in the keys of indexes.
@Suite("Indexes and long keys")
struct LongKeyIndexTests {
  struct Plain: StorableObject {
    static let typeName = "Page"
    static let primaryKey = "path"
    var path = ""
    var title = ""
    var rank = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("path", &path)
      try visitor.member("title", &title)
      try visitor.member("rank", &rank)
    }
  }

  struct Indexed: StorableObject {
    static let typeName = "Page"
    static let primaryKey = "path"
    static let indexes = [IndexDeclaration("title"), IndexDeclaration("rank")]
    var path = ""
    var title = ""
    var rank = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("path", &path)
      try visitor.member("title", &title)
      try visitor.member("rank", &rank)
    }
  }

  static let history = SchemaHistory {
    Base(0) {
      Type("Page", key: "path") {
        Field("path", .string)
        Field("title", .string)
        Field("rank", .int64)
      }
    }
  }

  static func open<Model: StorableObject>(
    _ fileSystem: any FileSystem, _ model: Model.Type
  ) throws -> Store {
    try Store.open(
      at: "/s", models: [model], history: history, configuration: .quiet, fileSystem: fileSystem)
  }

  static let long = String(repeating: "k", count: 4080)
  static let title = String(repeating: "t", count: 40)

  static func titles(_ store: Store) throws -> Int {
    let cursor = try store.snapshot().objects(Indexed.self, where: "title", equals: title)
    var count = 0
    while try cursor.next() != nil { count += 1 }
    return count
  }

  @Test("A put whose key leaves no room says which member, how much room, and what to do")
  func put() throws {
    let store = try Self.open(InMemoryFileSystem(), Indexed.self)
    #expect(
      throws: StoreError.keyTooLongForIndex(
        type: "Page", member: "title", byteCount: 4080, maximum: LogLimits.keyByteCount - 43)
    ) { try store.write { try $0.put(Indexed(path: Self.long, title: Self.title)) } }
    // An empty title takes three bytes.
    try store.write { try $0.put(Indexed(path: Self.long, title: "")) }
    #expect(try store.snapshot().get(Indexed.self, Self.long) != nil)
    try store.close()
  }

  @Test("Objects from before an index never block building it: look-ups stay right, all can go on")
  func building() throws {
    let fileSystem = InMemoryFileSystem()
    var store = try Self.open(fileSystem, Plain.self)
    try store.write { transaction in
      try transaction.put(Plain(path: "a", title: Self.title))
      try transaction.put(Plain(path: Self.long, title: Self.title))
    }
    try store.close()
    store = try Self.open(fileSystem, Indexed.self)
    let report = try store.buildIndexes()
    #expect(report.oversized.map(\.member) == ["title"])
    #expect(report.oversized.map(\.key) == [.string(Self.long)])
    #expect(store.incompleteIndexes == ["Page.title"])
    #expect(try Self.titles(store) == 2)
    try store.write { try $0.put(Indexed(path: "b", title: Self.title)) }
    #expect(try Self.titles(store) == 3)
    try store.write { try $0.delete(Indexed.self, Self.long) }
    #expect(try store.buildIndexes().oversized == [])
    #expect(store.incompleteIndexes == [])
    #expect(try Self.titles(store) == 2)
    try store.close()
  }

  @Test("An object without room in an index may be changed, as long as that value stays")
  func unchanged() throws {
    let fileSystem = InMemoryFileSystem()
    var store = try Self.open(fileSystem, Plain.self)
    try store.write { try $0.put(Plain(path: Self.long, title: Self.title)) }
    try store.close()
    store = try Self.open(fileSystem, Indexed.self)
    try store.write { try $0.put(Indexed(path: Self.long, title: Self.title, rank: 7)) }
    #expect(try store.snapshot().get(Indexed.self, Self.long)?.rank == 7)
    #expect(try Self.titles(store) == 1)
    #expect(throws: StoreError.self) {
      try store.write { try $0.put(Indexed(path: Self.long, title: Self.title + "x")) }
    }
    try store.close()
  }
}
