import FileIO
import ObjectStore
import Testing

/// Values of enumerations that no case has any more: objects are whole, the code knows too little.
@Suite("A stored value that no case of an enumeration has")
struct UnknownCaseTests {
  enum Old: String, StorableValue, CaseIterable { case open, done }
  enum State: String, StorableValue, CaseIterable { case open, closed }
  /// Does not list its cases, so its values may be a user's.
  enum Bare: String, StorableValue { case open }

  struct Inner<Kind: StorableValue & PlaceholderState>: EmbeddedObject {
    var note = ""
    var state = Kind.first
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("note", &note)
      try visitor.member("state", &state)
    }
  }

  protocol PlaceholderState { static var first: Self { get } }

  struct Todo<Kind: StorableValue & PlaceholderState>: StorableObject {
    static var typeName: String { "Todo" }
    static var primaryKey: String { "id" }
    static var indexes: [IndexDeclaration] { [IndexDeclaration("title")] }
    var id = 0
    var title = ""
    var state = Kind.first
    var inner: [Inner<Kind>] = []
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("title", &title)
      try visitor.member("state", &state)
      try visitor.member("inner", &inner)
    }
  }

  /// The same members in another order than that of the store.
  struct Turned: StorableObject {
    static let typeName = "Todo"
    static let primaryKey = "id"
    var id = 0
    var inner: [Inner<State>] = []
    var state = State.open
    var title = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("inner", &inner)
      try visitor.member("state", &state)
      try visitor.member("title", &title)
    }
  }

  struct Home: EmbeddedObject {
    var street = ""
    var floor: Int?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("street", &street)
      try visitor.member("floor", &floor)
    }
  }

  struct Tenant: StorableObject {
    static let primaryKey = "id"
    var id = 0
    var home = Home()
    var state = State.open
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("home", &home)
      try visitor.member("state", &state)
    }
  }

  static let base = Base(0) {
    Type("Todo", key: "id") {
      Field("id", .int64)
      Field("title", .string)
      Field("state", .string)
      Field(
        "inner", .list(.object([MemberShape("note", .string), MemberShape("state", .string)])))
    }
  }
  static let history = SchemaHistory { base }
  /// The same type at a higher version: objects that are stored are older.
  static let later = SchemaHistory {
    base
    Version(1) { On("Todo") { Convert("title", to: .string) { (old: String) in old } } }
  }

  /// Objects 0 to 4, of which 2 is done, and 3 has something done in it.
  static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try Store.open(
      at: "/s", models: [Todo<Old>.self], history: history, configuration: .quiet,
      fileSystem: fileSystem)
    try store.write { transaction in
      for id in 0..<5 {
        var todo = Todo<Old>(id: id, title: "t")
        if id == 2 { todo.state = .done }
        if id == 3 { todo.inner = [Inner(), Inner(note: "a", state: .done)] }
        try transaction.put(todo)
      }
    }
    try store.close()
    return fileSystem
  }

  static func open<Model: StorableObject>(
    _ model: Model.Type, _ policy: FailurePolicy? = nil, history: SchemaHistory = history
  ) throws -> Store {
    var configuration = StoreConfiguration.quiet
    configuration.failurePolicies["Todo"] = policy
    return try Store.open(
      at: "/s", models: [model], history: history, configuration: configuration,
      fileSystem: try makeStore())
  }

  static func text(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "no error"
    } catch { return "\(error)" }
  }

  @Test("The error names object, member, value and type, and says that a case is missing")
  func named() throws {
    let store = try Self.open(Todo<State>.self)
    let sentence =
      "Todo 2 holds \"done\" in state, which no case of State has. The object is whole: add the "
      + "case, or convert the value in a step."
    #expect(Self.text { _ = try store.snapshot().get(Todo<State>.self, 2) } == sentence)
    #expect(
      Self.text { _ = try store.snapshot().get(Todo<State>.self, 3) }
        == sentence.replacing("2 holds", with: "3 holds").replacing(
          "in state", with: "in inner.state"))
    let turned = try Self.open(Turned.self)
    #expect(Self.text { _ = try turned.snapshot().get(Turned.self, 2) } == sentence)
  }

  @Test("A type that does not list its cases may hold what a user wrote: the value is not told")
  func untold() throws {
    let text = Self.text {
      _ = try Self.open(Todo<Bare>.self).snapshot().get(Todo<Bare>.self, 2)
    }
    #expect(text.contains("Todo 2 holds a value in state, which no case of Bare has"), "\(text)")
    #expect(!text.contains("done"))
  }

  @Test("A delete removes the objects that its query gives, and throws for what that throws")
  func deletes() throws {
    var store = try Self.open(Todo<State>.self)
    #expect(throws: StoreError.self) {
      try store.write { try $0.delete(Todo<State>.self, where: "title", equals: "t") }
    }
    #expect(try store.snapshot().objects(ofType: "Todo").count() == 5)
    store = try Self.open(Todo<State>.self, .skipped)
    let deleted = try store.write { transaction in
      try transaction.delete(Todo<State>.self, where: "title", equals: "t")
    }
    #expect(deleted == 3)
    #expect(try store.snapshot().object(ofType: "Todo", key: 2) != nil)
    #expect(try store.snapshot().objects(ofType: "Todo").count() == 2)
  }

  @Test("validate() reads objects into their models, of the current version and of older ones")
  func validated() throws {
    for history in [Self.history, Self.later] {
      let report = try Self.open(Todo<State>.self, history: history).validate()
      #expect(report.failedCount == 2)
      #expect(report.failures.map(\.keyText) == ["2", "3"])
      #expect(report.failures.allSatisfy { "\($0.error)".contains("no case of State") })
    }
    let report = try Self.open(Todo<Old>.self, history: Self.later).validate()
    #expect(report.checkedCount == 5)
    #expect(report.failedCount == 0)
  }

  @Test("Walks and look-ups pass over it where the policy of its type is to skip failures")
  func skipped() throws {
    let store = try Self.open(Todo<State>.self, .skipped)
    let cursor = try store.snapshot().objects(Todo<State>.self)
    var keys: [Int] = []
    while let object = try cursor.next() { keys.append(object.id) }
    #expect(keys == [0, 1, 4])
    #expect(cursor.skippedCount == 2)
    let found = try store.snapshot().objects(Todo<State>.self, where: "title", equals: "t")
    keys = []
    while let object = try found.next() { keys.append(object.id) }
    #expect(keys == [0, 1, 4])
    #expect(throws: StoreError.self) { try store.snapshot().get(Todo<State>.self, 2) }
  }

  @Test("A fallback is given the members, and what it makes of them is read")
  func fallback() throws {
    let store = try Self.open(
      Todo<State>.self,
      .fallback { failed in
        guard failed.members["state"] == "done" else { return nil }
        #expect("\(failed.error)".contains("no case of State"))
        return failed.members.merging(["state": "closed"]) { _, new in new }
      })
    #expect(try store.snapshot().get(Todo<State>.self, 2)?.state == .closed)
    #expect(try store.write { try $0.get(Todo<State>.self, 2) }?.state == .closed)
    #expect(throws: StoreError.self) { try store.snapshot().get(Todo<State>.self, 3) }
    let cursor = try store.snapshot().objects(Todo<State>.self)
    #expect(try (0..<3).map { _ in try cursor.next()?.state } == [.open, .open, .closed])
  }

  @Test("What a fallback makes may leave out what is nil in an embedded object")
  func leftOut() throws {
    var configuration = StoreConfiguration.quiet
    configuration.failurePolicies["Tenant"] = .fallback { failed in
      var members = failed.members
      members["state"] = "closed"
      members["home"] = .object(["street": "x"])
      return members
    }
    let store = try Store.open(
      at: "/s", models: [Tenant.self], evolution: .additive, configuration: configuration,
      fileSystem: InMemoryFileSystem())
    try store.write { transaction in
      let home = Value.object(["street": "y", "floor": 2])
      try transaction.put(
        transaction.makeObject(ofType: "Tenant", ["id": 1, "home": home, "state": "done"]))
    }
    let tenant = try #require(try store.snapshot().get(Tenant.self, 1))
    #expect(tenant.home.street == "x" && tenant.home.floor == nil)
    #expect(tenant.state == .closed)
    try store.close()
  }

  @Test("Objects are read as they are without a model, whatever the cases are")
  func dynamic() throws {
    let store = try Self.open(Todo<State>.self)
    #expect(
      try store.snapshot().object(ofType: "Todo", key: .int(2))?["state"] == .string("done"))
  }
}

extension UnknownCaseTests.Old: UnknownCaseTests.PlaceholderState {
  static var first: Self { .open }
}
extension UnknownCaseTests.State: UnknownCaseTests.PlaceholderState {
  static var first: Self { .open }
}
extension UnknownCaseTests.Bare: UnknownCaseTests.PlaceholderState {
  static var first: Self { .open }
}
