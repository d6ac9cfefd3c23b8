import SchemaRegistry
import Testing

/// What a check against the shipped form of a history finds besides edited operations.
@Suite("Histories against their shipped form")
struct ShippedFormTests {
  private static func history(linkingTo target: String?, removing: Bool = false) -> SchemaHistory {
    SchemaHistory {
      Base(0) {
        Type("Person", key: "id") { Field("id", .int64) }
        Type("Animal", key: "id") { Field("id", .int64) }
        Type("Note", key: "id") {
          Field("id", .int64)
          Field("author", .int64, linksTo: target)
        }
      }
      Version(1) {
        On("Note") { Add("text", .string, default: "") }
      }
      if removing { Version(2) { On("Note") { Remove("author", readAs: 0) } } }
    }
  }

  @Test("R8, H14: a link that was edited to lead elsewhere or nowhere is found; a new one is free")
  func links() throws {
    let shipped = Self.history(linkingTo: "Person")
    for mode in CompatibilityMode.allCases {
      #expect(
        try Self.history(linkingTo: "Animal").check(mode, against: shipped).map(\.description) == [
          "schemaChanged Note.author (v1): Note.author links to Animal, not to Person. "
            + "Put the change into a new version."
        ])
    }
    let none = Self.history(linkingTo: nil)
    #expect(
      try none.check(.backward, against: shipped).map(\.reason) == [
        "Note.author links to Person no more."
      ])
    #expect(try shipped.check(.backward, against: none) == [])
    let later = SchemaHistory(
      base: shipped.base,
      versions: shipped.versions + [Version(2) { Retarget("Note", "author", to: "Animal") }])
    #expect(later.issues == [])
    #expect(try later.check(.backward, against: shipped) == [])
  }

  @Test("R8: what was said of a member is compared in each shipped version that had it")
  func earlierVersions() throws {
    let shipped = Self.history(linkingTo: "Person", removing: true)
    let edited = Self.history(linkingTo: "Animal", removing: true)
    #expect(
      try edited.check(.backward, against: shipped).map(\.description) == [
        "schemaChanged Note.author (v1): Note.author links to Animal, not to Person. "
          + "Put the change into a new version."
      ])
    func cases(_ cases: [Value]) -> SchemaHistory {
      SchemaHistory {
        Base(0) {
          Type("Order", key: "id") {
            Field("id", .int64)
            Field("status", .optional(.string), cases: cases)
          }
        }
        Version(1) { On("Order") { Remove("status") } }
      }
    }
    #expect(
      try cases(["new", "paid"]).check(.backward, against: cases(["new"])).map(\.description) == [
        #"enumCaseMissing Order.status (v0): Order.status has "paid" besides. "#
          + "Put the change into a new version."
      ])
  }

  private static func history(
    @OperationBuilder _ operations: () -> [RecordOperation]
  ) -> SchemaHistory {
    SchemaHistory(
      base: Base(0) {
        Type("Person", key: "id") {
          Field("id", .int64)
          Field("zip", .int64)
          Field("status", .string, cases: ["new"])
          Field("home", .object([MemberShape("street", .string), MemberShape("city", .string)]))
        }
      },
      versions: [
        Version(number: 1, changes: [.records(type: "Person", operations: operations())])
      ])
  }

  private static func converting(_ inverse: ValueExpression?) -> SchemaHistory {
    history { Convert("zip", to: .string, .toString(.member("zip")), inverse: inverse) }
  }

  @Test("R8: a way back that was edited, taken away or added after it shipped is found")
  func waysBack() throws {
    let back = ValueExpression.member("zip").parseInteger
    let pairs: [(SchemaHistory, SchemaHistory)] = [
      (Self.converting(back), Self.converting(back.orElse(.constant(0)))),
      (Self.converting(back), Self.converting(nil)),
      (
        Self.history { Remove("zip", readAs: 0) }, Self.history { Remove("zip", readAs: 1) }
      ),
      (
        Self.history { MakeOptional("zip", readAs: 0) }, Self.history { MakeOptional("zip") }
      ),
      (
        Self.history { AddCases("status", ["old"], readAs: "new") },
        Self.history { AddCases("status", ["old"]) }
      ),
      (
        Self.history { On("home") { Remove("city", readAs: "a") } },
        Self.history { On("home") { Remove("city", readAs: "b") } }
      ),
    ]
    for (shipped, edited) in pairs {
      #expect(shipped.issues + edited.issues == [])
      for (one, other) in [(shipped, edited), (edited, shipped)] {
        #expect(try one.fingerprint(at: 1) == other.fingerprint(at: 1))
        #expect(try one.check(.backward, against: one) == [])
        #expect(
          try one.check(.backward, against: other).map(\.description) == [
            "operationEdited Person (v1/Person/1): What older apps read in place of what it takes "
              + "or changes was edited after it shipped; stores keep what they recorded of version "
              + "1. Restore its readAs or inverse as they shipped."
          ])
      }
      let read = try HistoryFiles.read(HistoryFiles.write(shipped))
      #expect(try read.check(.backward, against: shipped) == [])
    }
  }

  private static func past(default value: Value) -> SchemaHistory {
    SchemaHistory {
      Base(0) {
        Type("Person", key: "id") { Field("id", .int64) }
        Type("Draft", key: "id") { Field("id", .int64) }
      }
      Version(1) {
        On("Person") { Add("age", .int64, default: value) }
        RemoveType("Draft")
      }
      Version(2) { On("Person") { Add("name", .optional(.string)) } }
    }
  }

  @Test("R8, H14: an edit before the shipped base, or before the own one, shows in the fingerprint")
  func past() throws {
    let (history, edited) = (Self.past(default: 0), Self.past(default: 1))
    for (floor, id) in [(1, "v2"), (2, "base 2")] as [(SchemaVersion, String)] {
      let shipped = try history.squashed(floor: floor)
      #expect(try history.check(.backward, against: shipped) == [])
      #expect(try shipped.check(.backward, against: history) == [])
      let found = try edited.check(.backward, against: shipped)
      #expect(
        found.map(\.description) == [
          "operationEdited version 2 (\(id)): The fingerprint of version 2 is another than when it "
            + "shipped, so something before it or in it was edited. Restore that, and put the "
            + "change into a new version."
        ])
      #expect(try edited.squashed(floor: floor).check(.backward, against: shipped).count == 1)
      #expect(try shipped.check(.backward, against: edited).count > 0)
    }
    let revised = { (revision: UInt32) in
      SchemaHistory {
        Base(0) { Type("Person", key: "id") { Field("id", .int64) } }
        Version(1) {
          On("Person") { Derive("age", from: "id", revision: revision) { (id: Int) in id } }
        }
      }
    }
    #expect(try revised(2).check(.backward, against: revised(1).squashed(floor: 1)) == [])
  }

  @Test(
    "H15: what a check cannot know is told: records before a base, and edits without a fingerprint")
  func limits() throws {
    let history = Self.past(default: 0)
    #expect(history.checkLimits(against: history) == [])
    let squashed = try history.squashed(floor: 2)
    #expect(
      squashed.checkLimits().map(\.description) == [
        "Records of versions before 2: the history begins there, and what led to it is gone. "
          + "Stores that have some are refused at opening; ask each with Store.info(at:)."
      ])
    #expect(history.checkLimits(against: squashed) == [])
    let shown = SchemaHistory(
      base: Base(
        version: 2, types: try history.shape(at: 2).types.map { Type($0) }, fingerprint: nil))
    #expect(
      history.checkLimits(against: shown).map(\.description) == [
        "Edits of what led to version 2: the shipped form begins there, and has no fingerprint. "
          + "Compare with a history that was exported when it shipped."
      ])
    #expect(try history.check(.full, against: shown) == [])
    #expect(try Self.past(default: 1).check(.full, against: shown) == [])
  }
}
