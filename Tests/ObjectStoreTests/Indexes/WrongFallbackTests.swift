import FileIO
import ObjectStore
import Testing

/// A fallback is code of the application, and may give values of other types than the members have.
@Suite("A fallback that gives what no object can hold is a typed error in look-ups, too")
struct WrongFallbackTests {
  /// The same as a task, of an app that does not know what it costs.
  struct Bare: StorableObject {
    static let typeName = "Task"
    static let primaryKey = "id"
    var id = 0
    var tags = ["a"]
    var state = ShownValueTests.State.open
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("tags", &tags)
      try visitor.member("state", &state)
    }
  }

  /// The same as a task, and takes what it cannot read for nothing.
  struct Lenient: CodableObject {
    enum State: String, Codable, CaseIterable { case open }
    static let typeName = "Task"
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("price"), IndexDeclaration("tags")]
    var id: Int
    var price: Double
    var tags: [String]
    var state: State
    enum CodingKeys: CodingKey { case id, price, tags, state }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(Int.self, forKey: .id)
      price = (try? container.decode(Double.self, forKey: .price)) ?? 0
      tags = (try? container.decode([String].self, forKey: .tags)) ?? []
      state = try container.decode(State.self, forKey: .state)
    }
  }

  static func configuration(_ member: String, _ value: Value?) -> StoreConfiguration {
    var configuration = StoreConfiguration.quiet
    configuration.failurePolicies["Task"] = .fallback { failed in
      var members = failed.members
      members["state"] = "open"
      members[member] = value
      return members
    }
    return configuration
  }

  /// Walks to the end and returns what was thrown last.
  static func failure<Model>(_ cursor: MatchCursor<Model>) -> StoreError? {
    var failure: StoreError?
    for _ in 0..<10 {
      do throws(StoreError) {
        guard try cursor.next() != nil else { break }
      } catch { failure = error }
    }
    return failure
  }

  static let wrong: [(String, Value?)] = [
    ("price", .list([.double(1.5)])), ("price", .int(0)), ("price", "dear"), ("price", nil),
    ("price", .object([:])), ("tags", .double(1.5)), ("tags", "a"), ("tags", nil),
  ]

  @Test("A value of another type, or none, is named with its member", arguments: wrong)
  func isTold(member: String, value: Value?) throws {
    try Self.check(ShownValueTests.Task.self, member, value)
  }

  @Test("So it is where the model takes it for something else", arguments: wrong)
  func isToldOfLenient(member: String, value: Value?) throws {
    try Self.check(Lenient.self, member, value)
  }

  private static func check<Model: StorableObject>(
    _ model: Model.Type, _ member: String, _ value: Value?
  ) throws {
    let fileSystem = InMemoryFileSystem()
    let old = try Store.open(
      at: "/s", models: [ShownValueTests.OldTask.self], history: ShownValueTests.history,
      configuration: .quiet, fileSystem: fileSystem)
    try old.write { try $0.put(ShownValueTests.OldTask(id: 1, state: .done)) }
    try old.close()
    let store = try Store.open(
      at: "/s", models: [model], history: ShownValueTests.history,
      configuration: configuration(member, value), fileSystem: fileSystem)
    for isIndexed in [false, true] {
      if isIndexed { try store.buildIndexes() }
      let snapshot = store.snapshot()
      let found = [
        failure(try snapshot.objects(model, where: "price", equals: 1.5)),
        failure(try snapshot.objects(model, where: "tags", contains: "a")),
      ]
      for failure in found {
        guard case .schema(.invalidValue("Task", member, _)) = failure else {
          Issue.record("\(String(describing: failure)) was thrown for \(member)")
          continue
        }
      }
    }
    try store.close()
  }

  @Test("So is one of a member that only another app knows")
  func isToldOfHiddenMembers() throws {
    let fileSystem = InMemoryFileSystem()
    func open(
      _ model: any StorableObject.Type, _ configuration: StoreConfiguration
    ) throws -> Store {
      try Store.open(
        at: "/s", models: [model], evolution: .additive, configuration: configuration,
        fileSystem: fileSystem)
    }
    try open(ShownValueTests.Task.self, .quiet).close()
    let old = try open(ShownValueTests.OldTask.self, .quiet)
    try old.write { try $0.put(ShownValueTests.OldTask(id: 1, state: .done)) }
    try old.close()
    let store = try open(Bare.self, Self.configuration("price", .list([.double(1.5)])))
    let cursor = try store.snapshot().objects(Bare.self, where: "price", equals: 1.5)
    guard case .schema(.invalidValue("Task", "price", _)) = Self.failure(cursor) else {
      Issue.record("nothing was thrown")
      return
    }
    try store.close()
    let other = try open(Bare.self, Self.configuration("price", nil))
    let found = try other.snapshot().objects(Bare.self, where: "price", equals: 1.5)
    #expect(Self.failure(found) == nil)
    try other.close()
  }
}
