import SchemaRegistry
import Testing

/// A required member needs no default where a Rewrite of the same type, later in the version, gives
/// it a value: of the type, whatever it is called by then.
@Suite("Required members that a Rewrite fills")
struct RewriteLookAheadTests {
  private static let base = Base(0) {
    Type("A", key: "id") { Field("id", .int64) }
    Type("B", key: "id") { Field("id", .int64) }
  }

  @Test("The Rewrite of another type that takes the name is no excuse")
  func anotherType() {
    let history = SchemaHistory {
      Self.base
      Version(1) {
        On("A") { Add("size", .int64) }
        RenameType("A", to: "C")
        RenameType("B", to: "A")
        On("A") { Rewrite { _, _ in .keep } }
      }
    }
    #expect(history.issues.map(\.operationID) == ["v1/A/1"])
    #expect(history.issues.first?.problem.contains("has no default") == true)
  }

  @Test("The Rewrite of the type itself is one under another name, too")
  func renamedType() throws {
    let history = SchemaHistory {
      Self.base
      Version(1) {
        On("A") { Add("size", .int64) }
        RenameType("A", to: "C")
        On("C") {
          Rewrite { _, new in
            new["size"] = 5
            return .keep
          }
        }
      }
    }
    #expect(history.issues == [])
    #expect(try Upgrading(history: history, typeName: "A").run(["id": 1], from: 0)?["size"] == 5)
  }
}
