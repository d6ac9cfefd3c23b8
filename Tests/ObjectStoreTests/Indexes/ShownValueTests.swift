import FileIO
import ObjectStore
import Testing

/// An object may hold what no case of an enumeration in the model has: its policy gives another.
@Suite("What a fallback gives for an object that its model refuses must be selected, too")
struct ShownValueTests {
  enum Old: String, StorableValue, CaseIterable { case open, done }
  enum State: String, StorableValue, CaseIterable { case open }

  struct OldTask: StorableObject {
    static let typeName = "Task"
    static let primaryKey = "id"
    var id = 0
    var price = 1.5
    var tags = ["a"]
    var state = Old.open
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("price", &price)
      try visitor.member("tags", &tags)
      try visitor.member("state", &state)
    }
  }

  struct Task: StorableObject {
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("price"), IndexDeclaration("tags")]
    var id = 0
    var price = 1.5
    var tags = ["a"]
    var state = State.open
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("price", &price)
      try visitor.member("tags", &tags)
      try visitor.member("state", &state)
    }
  }

  static let history = SchemaHistory {
    Base(0) {
      Type("Task", key: "id") {
        Field("id", .int64)
        Field("price", .double)
        Field("tags", .list(.string))
        Field("state", .string)
      }
    }
  }

  /// Three tasks of one price, of which the policy shows the second for nothing, and the third for
  /// what it costs.
  static func makeStore(isIndexed: Bool) throws -> Store {
    let fileSystem = InMemoryFileSystem()
    let old = try Store.open(
      at: "/s", models: [OldTask.self], history: history, configuration: .quiet,
      fileSystem: fileSystem)
    try old.write { transaction in
      for id in 1...3 { try transaction.put(OldTask(id: id, state: id == 1 ? .open : .done)) }
    }
    try old.close()
    var configuration = StoreConfiguration.quiet
    configuration.failurePolicies["Task"] = .fallback { failed in
      var members = failed.members
      members["state"] = "open"
      if members["id"] == 2 {
        members["price"] = .double(0)
        members["tags"] = .list([])
      }
      return members
    }
    let store = try Store.open(
      at: "/s", models: [Task.self], history: history, configuration: configuration,
      fileSystem: fileSystem)
    if isIndexed { try store.buildIndexes() }
    return store
  }

  static func ids(_ cursor: MatchCursor<Task>) throws(StoreError) -> [Int] {
    var ids: [Int] = []
    while let task = try cursor.next() { ids.append(task.id) }
    return ids
  }

  @Test("A look-up gives no object that shows another value", arguments: [false, true])
  func lookedUp(isIndexed: Bool) throws {
    let store = try Self.makeStore(isIndexed: isIndexed)
    let snapshot = store.snapshot()
    #expect(try snapshot.get(Task.self, 2)?.price == 0)
    #expect(try Self.ids(snapshot.objects(Task.self, where: "price", equals: 1.5)) == [1, 3])
    #expect(try Self.ids(snapshot.objects(Task.self, where: "price", in: 1.0...)) == [1, 3])
    #expect(try Self.ids(snapshot.objects(Task.self, where: "price", equals: 0.0)) == [])
    #expect(try Self.ids(snapshot.objects(Task.self, where: "tags", contains: "a")) == [1, 3])
    let inWrite = try store.write { transaction in
      try Self.ids(transaction.objects(Task.self, where: "price", equals: 1.5))
    }
    #expect(inWrite == [1, 3])
    try store.close()
  }

  @Test("A delete leaves such an object", arguments: [false, true])
  func deleted(isIndexed: Bool) throws {
    let store = try Self.makeStore(isIndexed: isIndexed)
    let count = try store.write { try $0.delete(Task.self, where: "price", equals: 1.5) }
    #expect(count == 2)
    #expect(try store.snapshot().object(ofType: "Task", key: 2)?["price"] == .double(1.5))
    try store.close()
  }
}
