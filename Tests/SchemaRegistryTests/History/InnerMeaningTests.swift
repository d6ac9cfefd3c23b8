import SchemaRegistry
import Testing

/// Links and cases inside of embedded objects.
@Suite("What histories say of members inside of embedded objects")
struct InnerMeaningTests {
  static let place = FieldType.object([
    MemberShape("kind", .string), MemberShape("owner", .optional(.int64)),
  ])
  static let base = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field(
        "home", place, inside: ["kind": .cases(["house", "flat"]), "owner": .linksTo("Owner")])
      Field(
        "places", .list(.object([MemberShape("at", place)])),
        inside: ["at": .inside(["kind": .cases(["hut"])])])
      Field("label", .string, cases: ["a", "b"])
    }
    Type("Owner", key: "number") {
      Field("number", .int64)
      Field("code", .int64)
    }
  }

  static func history(_ versions: Version...) -> SchemaHistory {
    SchemaHistory(base: base, versions: versions)
  }

  static func issues(@ChangeBuilder _ changes: () -> [SchemaChange]) -> [String] {
    SchemaHistory(base: base, versions: [Version(number: 1, changes: changes())])
      .issues.map(\.description)
  }

  static func cases(_ history: SchemaHistory, _ version: SchemaVersion) throws -> [String] {
    try history.cases(at: version).map { "\($0.member) \($0.caseText)" }
  }

  @Test("They follow renames on every level, and end with a conversion or removal")
  func following() throws {
    let history = Self.history(
      Version(1) {
        RenameType("Owner", to: "Landlord")
        On("Person") {
          Rename("home", to: "flat")
          On("flat") {
            Rename("kind", to: "sort")
            Rename("owner", to: "landlord")
            Add("state", .string, default: "new", cases: ["new", "old"])
          }
          Each("places") { On("at") { AddCases("kind", ["tent"]) } }
          MakeOptional("flat")
        }
      },
      Version(2) {
        On("Person") {
          On("flat") {
            Remove("state")
            Convert("landlord", to: .optional(.int64), .member("landlord"))
          }
          Each("places") {
            Remove("at")
            Add("size", .int64, default: 1)
          }
        }
      })
    #expect(history.issues == [])
    #expect(
      try Self.cases(history, 0) == [
        #"home.kind "house", "flat""#, #"places.at.kind "hut""#, #"label "a", "b""#,
      ])
    #expect(
      try Self.cases(history, 1) == [
        #"flat.sort "house", "flat""#, #"flat.state "new", "old""#,
        #"places.at.kind "hut", "tent""#, #"label "a", "b""#,
      ])
    #expect(
      try history.links(at: 1).map(\.description) == ["Person.flat.landlord links to Landlord"])
    #expect(try Self.cases(history, 2) == [#"flat.sort "house", "flat""#, #"label "a", "b""#])
    #expect(try history.links(at: 2) == [])
  }

  @Test("They read back from a file, and stay in squashed histories")
  func documents() throws {
    let history = Self.history(
      Version(1) {
        On("Person") {
          Add("work", .optional(Self.place), inside: ["kind": .cases(["desk"])])
          Derive(
            "copy", Self.place, inside: ["kind": .cases(["house", "flat"])],
            .object([
              ObjectPart("kind", .member("home").field("kind")),
              ObjectPart("owner", .member("home").field("owner")),
            ]))
          Convert(
            "label", to: .optional(Self.place), inside: ["owner": .linksTo("Owner")],
            .constant(.null))
        }
      })
    #expect(history.issues == [])
    let read = try HistoryFiles.read(HistoryFiles.write(history))
    #expect(try Self.cases(read, 1) == Self.cases(history, 1))
    #expect(try read.links(at: 1) == history.links(at: 1))
    #expect(
      try history.links(at: 1).map(\.member) == ["home.owner", "label.owner", "copy.owner"])
    let squashed = try history.squashed(floor: 1)
    #expect(try Self.cases(squashed, 1) == Self.cases(history, 1))
    #expect(try squashed.links(at: 1) == history.links(at: 1))
    // Nothing of it is in a hash.
    let plain = SchemaHistory(
      base: Base(0) {
        Type("Person", key: "id") {
          Field("id", .int64)
          Field("home", Self.place)
          Field("places", .list(.object([MemberShape("at", Self.place)])))
          Field("label", .string)
        }
        Type("Owner", key: "number") {
          Field("number", .int64)
          Field("code", .int64)
        }
      })
    #expect(try plain.fingerprint(at: 0) == history.fingerprint(at: 0))
  }

  @Test("R28: a type is not removed, moved or given another key while one of them links to it")
  func links() {
    #expect(
      Self.issues { RemoveType("Owner") } == [
        "v1/Owner/1 (Person.home.owner): Person.home.owner still links to Owner, which version 1 "
          + "removes. Remove Person.home.owner in this version or before, or keep Owner."
      ])
    #expect(
      Self.issues {
        RemoveType("Owner")
        On("Person") { On("home") { Remove("owner") } }
      } == [])
    #expect(
      Self.issues { Rekey("Owner", to: "code") } == [
        "v1/Owner/1 (Person.home.owner): Person.home.owner links to Owner by the key that it had "
          + "before. Remove Person.home.owner or Convert it to the new key, in this version or "
          + "before; or keep the key of Owner."
      ])
    #expect(
      Self.issues {
        AddType("Tenant", key: "number") {
          Field("number", .int64)
          Field("code", .int64)
        }
        Move("Owner", to: "Tenant", where: .constant(true))
      } == [
        "v1/Owner/1 (Person.home.owner): Person.home.owner links to Owner, of which objects go to "
          + "Tenant. Remove or Convert Person.home.owner, in this version or before; a link leads "
          + "to one type."
      ])
  }

  @Test("They go along where objects are taken apart")
  func carried() throws {
    let history = Self.history(
      Version(1) {
        On("Person") {
          MoveOut("home", "kind", keepingRest: true)
          MoveInto("tag", "label", inside: ["label": .cases(["a", "b"])])
        }
      },
      Version(2) { ExtractType("Spot", key: "id", from: MemberPlace("Person", "places")) },
      Version(3) { Embed("Spot", into: MemberPlace("Person", "places"), policy: .duplicateShared) })
    #expect(history.issues == [])
    #expect(
      try Self.cases(history, 1) == [
        #"places.at.kind "hut""#, #"kind "house", "flat""#, #"tag.label "a", "b""#,
      ])
    #expect(try history.links(at: 1).map(\.member) == ["home.owner"])
    #expect(
      try history.cases(at: 2).map { "\($0.type).\($0.member)" } == [
        "Person.kind", "Person.tag.label", "Spot.at.kind",
      ])
    #expect(
      try history.cases(at: 3).map(\.member) == ["kind", "tag.label"])
  }

  @Test("Against declared cases, mappings and values inside are checked as anywhere")
  func checked() throws {
    func problems(@OperationBuilder _ operations: () -> [RecordOperation]) -> [String?] {
      let inner = operations()
      return SchemaHistory(
        base: Self.base,
        versions: [
          Version(
            number: 1,
            changes: [
              .records(
                type: "Person",
                operations: [.embedded(member: "home", each: false, operations: inner)])
            ])
        ]
      ).issues.map(\.member)
    }
    #expect(problems { RenameCase("kind", "flat", to: "apartment") } == [])
    #expect(problems { RenameCase("kind", "shed", to: "hut") } == ["Person.home.kind"])
    #expect(problems { RemoveCase("kind", "flat", to: "shed") } == ["Person.home.kind"])
    #expect(
      problems { MapCases("kind", of: ["flat"], ["flat": "x"]) }
        == ["Person.home.kind"])
    #expect(problems { AddCases("kind", ["flat"]) } == ["Person.home.kind"])
    #expect(problems { AddCases("kind", ["tent"], readAs: "shed") } == ["Person.home.kind"])
    #expect(problems { Require("kind", fill: "shed") } == ["Person.home.kind"])
    #expect(problems { AddCases("owner", [1]) } == ["Person.home.owner"])
    let shipped = Self.history()
    let other = SchemaHistory(
      base: Base(0) {
        Type("Person", key: "id") {
          Field("id", .int64)
          Field("home", Self.place, inside: ["kind": .cases(["house", "tent"])])
          Field("places", .list(.object([MemberShape("at", Self.place)])))
          Field("label", .string)
        }
        Type("Owner", key: "number") {
          Field("number", .int64)
          Field("code", .int64)
        }
      })
    #expect(
      try other.check(.backward, against: shipped).map(\.description) == [
        #"enumCaseMissing Person.home.kind (v0): Person.home.kind has "tent" besides and lacks "#
          + #""flat". Put the change into a new version."#,
        "enumCaseMissing Person.places.at.kind (v0): Person.places.at.kind has no declared cases "
          + "any more. Put the change into a new version.",
        "enumCaseMissing Person.label (v0): Person.label has no declared cases any more. "
          + "Put the change into a new version.",
        "schemaChanged Person.home.owner (v0): Person.home.owner links to Owner no more. "
          + "Put the change into a new version.",
      ])
  }

  @Test("Constants and moves may hold only cases inside, too")
  func constants() {
    #expect(
      Self.issues {
        On("Person") {
          Add(
            "work", .list(Self.place), default: .list([.object(["kind": "shed", "owner": .null])]),
            inside: ["kind": .cases(["desk"])])
        }
      } == [
        "v1/Person/1 (Person.work.kind): The default of Person.work.kind is \"shed\", which is no "
          + "case of it. The cases here are \"desk\"."
      ])
    #expect(
      Self.issues {
        AddType("Guest", key: "id") {
          Field("id", .int64)
          Field("home", Self.place, inside: ["kind": .cases(["house"])])
        }
        Move(
          "Person", to: "Guest", dropping: ["places", "label"], where: .constant(true))
      } == [
        "v1/Person/1 (Guest.home.kind): Person.home.kind may be \"flat\", and Guest.home.kind may "
          + "not. Add what is missing to the cases of Guest.home.kind where it is declared, or "
          + "take it from those of Person.home.kind in a version before."
      ])
  }
}
