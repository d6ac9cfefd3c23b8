import FileIO
import ObjectStore
import Testing

/// A tool without the history meets objects whose member had another type when they were written.
@Suite("Look-ups of a member whose type has changed")
struct ChangedTypeLookupTests {
  struct Note: StorableObject {
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("tags")]
    var id = 0
    var tags = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("tags", &tags)
    }
  }

  static func base(_ type: FieldType) -> Base {
    Base(0) {
      Type("Note", key: "id") {
        Field("id", .int64)
        Field("tags", type)
      }
    }
  }
  static let lists = SchemaHistory {
    base(.list(.string))
    Version(1) { On("Note") { Head("tags", as: .string, default: "none") } }
  }
  static let numbers = SchemaHistory {
    base(.int64)
    Version(1) { On("Note") { Convert("tags", to: .string) { (old: Int) in "\(old)" } } }
  }

  static func open(_ fileSystem: any FileSystem, _ history: SchemaHistory) throws -> Store {
    try Store.open(
      at: "/store", models: [Note.self], history: history, configuration: .quiet,
      fileSystem: fileSystem)
  }

  /// Objects 1 to 3 of the first version, and 4 of the second, all in the index.
  static func makeStore(
    _ history: SchemaHistory, _ type: FieldType, _ old: Value
  ) throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    var store = try Store.open(
      at: "/store", history: SchemaHistory { base(type) }, configuration: .quiet,
      fileSystem: fileSystem)
    try store.write { transaction in
      for id in 1...3 as ClosedRange<Int64> {
        try transaction.put(transaction.makeObject(ofType: "Note", ["id": .int(id), "tags": old]))
      }
    }
    try store.close()
    store = try open(fileSystem, history)
    try store.write { try $0.put(Note(id: 4, tags: "z")) }
    try store.buildIndexes()
    #expect(store.incompleteIndexes == [])
    try store.close()
    return fileSystem
  }

  /// The keys that are found, and -1 for each that fails, in the order in which they come.
  static func found(_ store: Store, _ selection: MemberSelection) throws -> [Value] {
    let cursor = try store.snapshot().objects(
      ofType: "Note", where: "tags", selecting: selection)
    var keys: [Value] = []
    while true {
      do throws(StoreError) {
        guard let object = try cursor.next() else { return keys }
        keys.append(object.key)
      } catch {
        guard case .invalidLookup("Note", "tags", _) = error else { throw error }
        keys.append(-1)
      }
    }
  }

  @Test(
    "R37: objects that hold a list, or a number, where a text is looked up are failures, no texts",
    arguments: [false, true])
  func withoutHistory(isList: Bool) throws {
    let history = isList ? Self.lists : Self.numbers
    let fileSystem = try Self.makeStore(
      history, isList ? .list(.string) : .int64, isList ? .list(["a", "b"]) : 7)
    let tool = try Store.open(at: "/store", configuration: .quiet, fileSystem: fileSystem)
    #expect(try Self.found(tool, .between()) == [4, -1, -1, -1])
    #expect(try Self.found(tool, .equal(to: "z")) == [4, -1, -1, -1])
    try tool.write { transaction in
      try transaction.put([1, "m"], ofType: "Note")
      try transaction.delete(ofType: "Note", key: 2)
    }
    #expect(try Self.found(tool, .between()) == [1, 4, -1])
    try tool.close()
    let app = try Self.open(fileSystem, history)
    #expect(app.incompleteIndexes == [])
    let old: Value = isList ? "a" : "7"
    #expect(try Self.found(app, .equal(to: old)) == [3])
    #expect(try Self.found(app, .equal(to: "m")) == [1])
    #expect(try Self.found(app, .between()) == [3, 1, 4])
    // What a walk gives, in the order of the values.
    var walked: [Note] = []
    let cursor = try app.snapshot().objects(Note.self)
    while let note = try cursor.next() { walked.append(note) }
    #expect(walked.sorted { $0.tags < $1.tags }.map(\.id) == [3, 1, 4])
    try app.close()
  }

  @Test("A number that became wider is looked up as it was, by who does not know the history, too")
  func widened() throws {
    let fileSystem = InMemoryFileSystem()
    var store = try Store.open(
      at: "/store", history: SchemaHistory { Self.base(.int32) }, configuration: .quiet,
      fileSystem: fileSystem)
    try store.write { try $0.put([1, 7], ofType: "Note") }
    try store.close()
    store = try Store.open(
      at: "/store",
      history: SchemaHistory {
        Self.base(.int32)
        Version(1) { On("Note") { Widen("tags", to: .int64) } }
      }, configuration: .quiet, fileSystem: fileSystem)
    try store.write { try $0.put([2, 8], ofType: "Note") }
    try store.close()
    store = try Store.open(at: "/store", configuration: .quiet, fileSystem: fileSystem)
    #expect(try Self.found(store, .between(.including(7))) == [1, 2])
    try store.close()
  }
}
