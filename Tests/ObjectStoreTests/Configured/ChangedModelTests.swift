import FileIO
import StorageTestSupport
import Testing

@testable import ObjectStore

@Suite("Models that changed under the same schemaVersion")
struct ChangedModelTests {
  struct Renamed: StorableObject {
    static let typeName = "Todo"
    static let primaryKey = "id"
    static let formerNames = ["heading": ["title"]]
    var id = 0
    var heading = ""
    var isDone = false
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("heading", &heading)
      try visitor.member("isDone", &isDone)
    }
  }

  struct Retyped: StorableObject {
    static let typeName = "Todo"
    static let primaryKey = "id"
    static let formerNames = ["heading": ["caption", "title"]]
    var id = 0
    var heading = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("heading", &heading)
    }
  }

  @Test("R5: they are refused with every difference, and the version to raise to")
  func refused() throws {
    let fileSystem = try ChangedKeyTests.fill()
    #expect(
      throws: StoreError.modelsChanged(
        version: 0,
        differences: [
          .memberRenamed(type: "Todo", from: "title", to: "heading"),
          .memberAdded(type: "Todo", member: "isDone", holds: .bool),
        ])
    ) { try MigrationOnceTests.open(fileSystem, [Renamed.self], 0).close() }
  }

  @Test("R5: a member that was renamed and changed is told as both")
  func retyped() throws {
    let fileSystem = try ChangedKeyTests.fill()
    #expect(
      throws: StoreError.modelsChanged(
        version: 0,
        differences: [
          .memberRenamed(type: "Todo", from: "title", to: "heading"),
          .memberTypeChanged(type: "Todo", member: "heading", from: .string, to: .int64),
        ])
    ) { try MigrationOnceTests.open(fileSystem, [Retyped.self], 0).close() }
  }

  @Test("The text says which schemaVersion to raise to, and nothing of a history")
  func text() {
    let error = StoreError.modelsChanged(
      version: 6, differences: [.memberRenamed(type: "Todo", from: "title", to: "heading")])
    #expect(
      error.description
        == "the models are not those that version 6 of the store has:"
        + "\n  Todo.title was renamed to heading"
        + "\nNothing was changed. Raise schemaVersion to 7, and see whether the change needs a "
        + "migration block")
  }
}
