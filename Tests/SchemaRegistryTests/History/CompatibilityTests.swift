import SchemaRegistry
import Testing

/// Which apps get along with which records, told from the operations between them.
@Suite("Compatibility of versions")
struct CompatibilityTests {
  private let base = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("email", .string)
      Field("nick", .optional(.string))
      Field("age", .int32)
      Field("home", .object([MemberShape("zip", .int32)]))
    }
    Type("Draft", key: "id") { Field("id", .int64) }
  }

  private func history(@ChangeBuilder _ changes: () -> [SchemaChange]) -> SchemaHistory {
    SchemaHistory(base: base, versions: [Version(number: 1, changes: changes())])
  }

  private func codes(
    _ mode: CompatibilityMode, @ChangeBuilder _ changes: () -> [SchemaChange]
  ) throws -> [Incompatibility.Code] {
    try history(changes).check(mode, since: 0).map(\.code)
  }

  @Test("Additions and removals of optional members get along in every mode")
  func additions() throws {
    for mode in CompatibilityMode.allCases {
      #expect(
        try codes(mode) {
          On("Person") {
            Add("city", .optional(.string))
            Remove("nick")
          }
          Type("Pet", key: "id") { Field("id", .int64) }
        } == [])
    }
  }

  @Test("What older apps cannot read is found forward and full, never backward")
  func forward() throws {
    func check(
      _ expected: [Incompatibility.Code], @ChangeBuilder _ changes: () -> [SchemaChange]
    ) throws {
      #expect(try codes(.forward, changes) == expected)
      #expect(try codes(.full, changes) == expected)
      #expect(try codes(.backward, changes) == [])
      #expect(try codes(.additive, changes) == expected)
    }
    try check([.memberRemovedWithoutFallback]) { On("Person") { Remove("email") } }
    try check([.optionalityLoosened]) { On("Person") { MakeOptional("email") } }
    try check([.typeMismatch]) { On("Person") { Widen("age", to: .double) } }
    try check([.typeMismatch]) {
      On("Person") { Convert("age", to: .string) { (age: Int) in "\(age)" } }
    }
    // Inside of embedded objects as outside.
    try check([]) { On("Person") { On("home") { Add("x", .int64, default: 1) } } }
    try check([.memberRemovedWithoutFallback]) {
      On("Person") {
        On("home") {
          Add("x", .optional(.bool))
          Remove("zip")
        }
      }
    }
    try check([.readOnlyInverse]) {
      On("Person") {
        On("home") {
          Add("x", .optional(.bool))
          Remove("zip", readAs: 0)
        }
      }
    }
    try check([.typeMismatch]) { On("Person") { On("home") { Widen("zip", to: .double) } } }
    try check([.enumCaseMissing]) { On("Person") { RenameCase("email", "a", to: "b") } }
    try check([.recordsRewritten]) { On("Person") { Rewrite { _, _ in .keep } } }
    try check([.recordsDropped]) {
      On("Person") { DropRecords(where: .member("email").isEqual(to: .string("x"))) }
    }
    try check([.typeRemoved]) { RemoveType("Draft") }
    try check([.keyChanged]) { Rekey("Person", to: "email") }
    try check([.barrierPresent]) { Barrier("x", touching: "Draft") { _ in } }
  }

  @Test("Apps that share a store may neither rename nor tighten nor widen")
  func additive() throws {
    func check(
      _ expected: [Incompatibility.Code], @ChangeBuilder _ changes: () -> [SchemaChange]
    ) throws {
      #expect(try codes(.additive, changes) == expected)
      #expect(try codes(.full, changes) == [])
    }
    try check([.nameMismatch]) { On("Person") { Rename("email", to: "mail") } }
    try check([.nameMismatch]) { RenameType("Draft", to: "Sketch") }
    try check([.optionalityTightened]) { On("Person") { Require("nick", fill: "") } }
    try check([.typeMismatch]) { On("Person") { Widen("age", to: .int64) } }
    // Older apps change what it was computed from, and not the member, which they do not know.
    try check([.derivedFromOthers]) {
      On("Person") { Derive("label", from: "email") { (email: String) in email } }
    }
    try check([.derivedFromOthers]) {
      On("Person") { On("home") { Derive("code", .string, .toString(.member("zip"))) } }
    }
    try check([]) { On("Person") { Derive("fixed", .string, .constant("x")) } }
    try check([]) { On("Person") { Derive("text", .string, .toString(.member("id"))) } }
    // Nobody changes what is gone.
    #expect(
      try codes(.additive) {
        On("Person") {
          Derive("mail", from: "email") { (email: String) in email }
          Remove("email", readAs: .member("mail"))
        }
      } == [.readOnlyInverse])
  }

  @Test("R8, H14: against the shipped file: edits, other shapes, and a base that came too far")
  func against() throws {
    let shipped = history { On("Person") { Add("score", .int64, default: 0) } }
    let edited = history { On("Person") { Add("score", .int64, default: 1) } }
    #expect(try edited.check(.backward, against: shipped).map(\.code) == [.operationEdited])
    let other = history { On("Person") { Add("points", .int64, default: 0) } }
    #expect(
      Set(try other.check(.backward, against: shipped).map(\.code))
        == [.operationEdited, .schemaChanged])
    let later = SchemaHistory(
      base: base, versions: shipped.versions + [Version(2) { On("Person") { Remove("age") } }])
    #expect(try later.check(.backward, against: shipped) == [])
    #expect(
      try later.check(.full, against: shipped).map(\.code) == [.memberRemovedWithoutFallback])
    #expect(
      try later.squashed(floor: 2).check(.backward, against: shipped).map(\.code) == [.chainGap])
    #expect(try later.squashed(floor: 1).check(.backward, against: shipped) == [])
    let text = try later.check(.full, against: shipped).map(\.description).joined()
    #expect(
      text == "memberRemovedWithoutFallback Person.age (v2/Person/1): Older apps need a value of "
        + "Person.age, and there is none. Make it optional first, and remove it when no app needs "
        + "it any more.")
  }

  @Test("The grade of a type is that of its worst operation since a version, barriers included")
  func grades() {
    let person = TypeIdentity(introducedIn: 0, originalName: "Person")
    let draft = TypeIdentity(introducedIn: 0, originalName: "Draft")
    let history = SchemaHistory(
      base: base,
      versions: [
        Version(1) { Barrier("x", touching: "Draft") { _ in } },
        Version(2) { On("Person") { MakeOptional("email") } },
        Version(3) { On("Person") { Add("y", .optional(.bool)) } },
      ])
    #expect(history.forwardGrade(of: person, since: 0) == .readOnly)
    #expect(history.forwardGrade(of: person, since: 2) == .full)
    #expect(history.forwardGrade(of: draft, since: 0) == .refused)
    #expect(history.forwardGrade(of: draft, since: 1) == .full)
  }

  @Test("A barrier of code says nothing of a new type that is called like it")
  func barrierOfSameName() {
    let added = Version(1) {
      Type("Visit", key: "id") { Field("id", .int64) }
      Barrier("Visit", touching: "Draft") { _ in }
    }
    let plain = Version(1) { Type("Visit", key: "id") { Field("id", .int64) } }
    let visit = TypeIdentity(introducedIn: 1, originalName: "Visit")
    let grades = [plain, added].map { version in
      SchemaHistory(base: base, versions: [version]).forwardGrade(of: visit, since: 0)
    }
    #expect(grades[0] == grades[1])
  }

  @Test("H14: a required member that became optional and was removed later is missed as one")
  func removedInTwoSteps() throws {
    let person = TypeIdentity(introducedIn: 0, originalName: "Person")
    func history(_ loosened: MakeOptional, _ removed: Remove) -> SchemaHistory {
      SchemaHistory(
        base: base,
        versions: [
          Version(1) { On("Person") { loosened } }, Version(2) { On("Person") { Remove("nick") } },
          Version(3) { On("Person") { removed } },
        ])
    }
    let lost = history(MakeOptional("email"), Remove("email"))
    #expect(lost.forwardGrade(of: person, since: 0) == .refused)
    #expect(lost.forwardGrade(of: person, since: 1) == .full)
    for mode in [CompatibilityMode.forward, .full] {
      #expect(
        try lost.check(mode, since: 0).map(\.description) == [
          "optionalityLoosened Person.email (v1/Person/1): Person.email may be nil now, which "
            + "older apps do not know. Keep it required, with a default.",
          "memberRemovedWithoutFallback Person.email (v3/Person/1): Apps of version 0 need a value "
            + "of Person.email, and there is none. Say in readAs: what they read instead, or "
            + "remove it when no such app needs it any more.",
        ])
      #expect(try lost.check(mode, since: 1) == [])
    }
    // What stores recorded of the operations is as it was.
    #expect(lost.operations.map(\.forward.grade) == [.readOnly, .full, .full])
    for kept in [
      history(MakeOptional("email", readAs: ""), Remove("email")),
      history(MakeOptional("email"), Remove("email", readAs: "")),
    ] {
      #expect(kept.forwardGrade(of: person, since: 0) != .refused)
      #expect(
        try !kept.check(.full, since: 0).map(\.code).contains(.memberRemovedWithoutFallback))
    }
  }
}
