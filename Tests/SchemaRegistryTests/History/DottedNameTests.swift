import SchemaRegistry
import Testing

/// A name may hold a dot, which stands between the names of a path, too.
@Suite("Names with a dot in paths")
struct DottedNameTests {
  static let place = FieldType.object([
    MemberShape("kind.of", .string), MemberShape("owner.id", .int64),
  ])

  static func base(key: String = "id", owner: String? = "Person") -> Base {
    Base(0) {
      Type("Person", key: key) {
        Field("id", .int64)
        Field("number", .int64)
      }
      Type("Other", key: "id") { Field("id", .int64) }
      Type("Note", key: "id") {
        Field("id", .int64)
        Field("the.author", .int64, linksTo: owner)
        Field(
          "a.place", .list(place),
          inside: owner.map { ["owner.id": .linksTo($0), "kind.of": .cases(["x"])] }
            ?? ["kind.of": .cases(["x", "y"])])
      }
    }
  }

  @Test("Links that only models know are followed back by such names")
  func followed() throws {
    let history = SchemaHistory(
      base: Self.base(owner: nil), versions: [Version(1) { Rekey("Person", to: "number") }])
    for member in ["the.author", "a.place.owner.id"] {
      let link = MemberLink(type: "Note", member: member, target: "Person")
      #expect(throws: SchemaError.self) { try HistoryCheck.checkLinks([link], history, at: 1) }
    }
  }

  @Test("Differences of links and cases are found, and operations name the member alone")
  func differences() throws {
    let (old, new) = (SchemaHistory(base: Self.base()), SchemaHistory(base: Self.base(owner: nil)))
    let links = try old.linkDifferences(at: 0, to: new, at: 0)
    #expect(links.map(\.member) == ["the.author", "a.place.owner.id"])
    #expect(links.map(\.enclosing) == [[], [#"Each("a.place")"#]])
    let cases = CaseDifference.between(try old.cases(at: 0), try new.cases(at: 0))
    #expect(
      cases.map(\.alternatives) == [[[#"Each("a.place") { AddCases("kind.of", ["y"]) }"#]]])
  }
}
