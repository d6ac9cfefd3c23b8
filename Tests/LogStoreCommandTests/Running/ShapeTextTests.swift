import SchemaRegistry
import Testing

@testable import LogStoreCommands

@Suite("What a stored version tells of the ones before")
struct ShapeTextTests {
  @Test("R28, R29: types that a version took away are removed, and not those that are just missing")
  func removedTypes() throws {
    let history = SchemaHistory {
      Base(0) {
        Type("Draft", key: "id") { Field("id", .int64) }
        Type("Note", key: "id") { Field("id", .int64) }
        Type("Toy", key: "id") { Field("id", .int64) }
      }
      Version(1) { RemoveType("Draft") }
      Version(2) { RemoveType("Toy") }
    }
    let first = try history.shape(at: 0)
    // As of an app that knew notes alone.
    let later = try SchemaShape(version: 1, types: first.types.filter { $0.name == "Note" })
    let ledger = history.ledger(through: 2)
    #expect(
      ShapeText.removedTypes(before: later, in: [first, later], ledger).map(\.originalName)
        == ["Draft"])
    #expect(ShapeText.removedTypes(before: later, in: [first, later], [:]) == [])
    #expect(ShapeText.removedTypes(before: first, in: [first, later], ledger) == [])
  }
}
