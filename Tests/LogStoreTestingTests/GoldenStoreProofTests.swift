import FileIO
import LogStoreTesting
import ObjectStore
import Testing

/// What golden stores say where they prove nothing, and of models that do not fit.
@Suite("A golden store proves something, and meets the models")
struct GoldenStoreProofTests {
  enum State: String, StorableValue, CaseIterable { case open, closed }

  struct Task: StorableObject {
    static let primaryKey = "id"
    var id = 0
    var state = State.open
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("state", &state)
    }
  }

  /// The same with a member that no version of the history has.
  struct Grown: StorableObject {
    static let typeName = "Task"
    static let primaryKey = "id"
    var id = 0
    var state = ""
    var note = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("state", &state)
      try visitor.member("note", &note)
    }
  }

  private static let base = Base(0) {
    Type("Task", key: "id") {
      Field("id", .int64)
      Field("state", .string)
    }
    Type("Note", key: "id") { Field("id", .int64) }
  }
  private static let history = SchemaHistory { base }

  /// A store with tasks in these states.
  private static func golden(_ states: String...) throws -> GoldenStore {
    let files = InMemoryFileSystem()
    let fixture = MigrationFixture(history, path: "/golden", fileSystem: files)
    try fixture.write(
      "Task", version: 0,
      states.enumerated().map { ["id": .int(Int64($0.offset)), "state": .string($0.element)] })
    return GoldenStore(at: "/golden", fileSystem: files)
  }

  @Test("A store of which no object is read has a line that says so")
  func empty() throws {
    let problems = try Self.golden().problems(under: Self.history)
    #expect(problems.count == 1)
    #expect(problems.first?.hasPrefix("no object was read") == true, "\(problems)")
    #expect(try Self.golden("open").problems(under: Self.history) == [])
  }

  @Test("A type of which all objects are dropped has a line, and not one of which some are")
  func dropped() throws {
    let history = SchemaHistory {
      Self.base
      Version(1) {
        On("Task") { DropRecords(from: "state") { (state: String) in state == "closed" } }
      }
    }
    let problems = try Self.golden("closed", "closed").problems(under: history)
    #expect(problems.count == 1)
    #expect(problems.first?.hasPrefix("Task: steps drop all of its 2 objects") == true)
    #expect(try Self.golden("closed", "open").problems(under: history) == [])
  }

  @Test("A type of which all objects are dropped on the way through a barrier has a line, too")
  func droppedBeforeBarrier() throws {
    let base = Base(0) {
      Type("Task", key: "id") {
        Field("id", .int64)
        Field("code", .string)
        Field("state", .string)
      }
      Type("Note", key: "id") { Field("id", .int64) }
    }
    let history = SchemaHistory {
      base
      Version(1) {
        On("Task") { DropRecords(from: "state") { (state: String) in state == "closed" } }
      }
      Version(2) { Rekey("Task", to: "code") }
    }
    func golden(_ states: String...) throws -> GoldenStore {
      let files = InMemoryFileSystem()
      let fixture = MigrationFixture(SchemaHistory { base }, path: "/golden", fileSystem: files)
      try fixture.write(
        "Task", version: 0,
        states.enumerated().map {
          [
            "id": .int(Int64($0.offset)), "code": .string("T\($0.offset)"),
            "state": .string($0.element),
          ]
        })
      try fixture.write("Note", version: 0, [["id": .int(1)]])
      return GoldenStore(at: "/golden", fileSystem: files)
    }
    let problems = try golden("closed", "closed").problems(under: history)
    #expect(problems.count == 1)
    #expect(problems.first?.hasPrefix("Task: steps drop all of its 2 objects") == true)
    #expect(try golden("closed", "open").problems(under: history) == [])
  }

  @Test("Objects are read as those of the models: a case that none has is listed")
  func unknownCases() throws {
    let golden = try Self.golden("open", "lost", "closed", "gone")
    #expect(try golden.problems(under: Self.history) == [])
    let problems = try golden.problems(under: Self.history, models: [Task.self])
    #expect(problems.count == 2)
    #expect(problems.allSatisfy { $0.contains("state") }, "\(problems)")
  }

  @Test("A history that does not reach the models is refused")
  func unreached() throws {
    let golden = try Self.golden("open")
    let error = #expect(throws: StoreError.self) {
      try golden.problems(under: Self.history, models: [Grown.self])
    }
    guard case .schema(.chainDoesNotReachModel) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
