import SchemaRegistry
import Testing

/// Links end where values are of another type than the keys that they were.
@Suite("Links whose values become others than keys")
struct EndedLinkTests {
  static let object = FieldType.object([
    MemberShape("o", .int32), MemberShape("kind", .string),
  ])
  static let base = Base(0) {
    Type("A", key: "id") { Field("id", .int32) }
    Type("B", key: "id") {
      Field("id", .int64)
      Field("a", .int32, linksTo: "A")
      Field("all", .list(.int32), linksTo: "A")
      Field("h", object, inside: ["o": .linksTo("A"), "kind": .cases(["x", "y"])])
      Field("each", .list(object), inside: ["o": .linksTo("A")])
    }
  }

  static func history(@ChangeBuilder _ changes: () -> [SchemaChange]) -> SchemaHistory {
    SchemaHistory(base: base, versions: [Version(number: 1, changes: changes())])
  }

  static func expectSquashed(_ history: SchemaHistory, links: [String]) throws {
    #expect(history.issues == [])
    let squashed = try history.squashed(floor: 1)
    #expect(squashed.issues == [])
    #expect(try history.links(at: 1).map(\.member) == links)
    #expect(try squashed.links(at: 1) == history.links(at: 1))
    #expect(try squashed.cases(at: 1) == history.cases(at: 1))
  }

  @Test("A link ends when the member is widened, and one that stays what it holds does not")
  func widened() throws {
    let history = Self.history {
      On("B") {
        Widen("a", to: .int64)
        Widen("all", to: .optional(.list(.int32)))
        On("h") { Widen("o", to: .int64) }
        Each("each") { Widen("o", to: .list(.int32)) }
      }
    }
    try Self.expectSquashed(history, links: ["all", "each.o"])
  }

  @Test("A link ends that is taken out of an object, or copied with one, as another type")
  func carried() throws {
    let history = Self.history {
      On("B") {
        Derive("o", .int64, .member("h").field("o"))
        Derive("same", .int32, .member("h").field("o"))
        Derive("copy", Self.object, .member("h").setting("kind", to: .constant("x")))
        Convert(
          "h", to: .object([MemberShape("o", .int64), MemberShape("kind", .string)]),
          .object([
            ObjectPart("o", .member("h").field("o").orElse(.constant(.int(0)))),
            ObjectPart("kind", .member("h").field("kind")),
          ]))
      }
    }
    try Self.expectSquashed(history, links: ["a", "all", "each.o", "same", "copy.o"])
  }

  @Test("A type may be removed once the links to it have ended")
  func freed() {
    let widened = Version(1) {
      On("B") {
        Widen("a", to: .int64)
        Remove("all")
        Remove("h")
        Remove("each")
      }
    }
    let removed = SchemaHistory(
      base: Self.base, versions: [widened, Version(2) { RemoveType("A") }])
    #expect(removed.issues == [])
  }

  @Test("A history of which no valid one would be left is not squashed")
  func refused() throws {
    let history = SchemaHistory {
      Base(0) {
        Type("P", key: "id") {
          Field("id", .int64)
          Field(
            "h", .object([MemberShape("size", .int64)]),
            inside: ["size": .cases([1, 5_000_000_000])])
        }
      }
      Version(1) { On("P") { Derive("size", .int32, .member("h").field("size")) } }
    }
    #expect(history.issues == [])
    let issues = #expect(throws: SchemaError.self) { try history.squashed(floor: 1) }
    guard case .invalidHistory(let found)? = issues else { return }
    #expect(found.map(\.member) == ["P.size"])
  }
}
