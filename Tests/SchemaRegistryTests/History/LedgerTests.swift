import BinaryCoding
import SchemaRegistry
import StorageTestSupport
import Testing

@Suite("The ledger of operations")
struct LedgerTests {
  private func history(
    _ value: Value = 0, revision: UInt32 = 1, removed: FieldType = .string
  ) -> SchemaHistory {
    SchemaHistory {
      Base(0) {
        Type("Person", key: "id") {
          Field("id", .int64)
          Field("name", .string)
          Field("old", removed)
        }
      }
      Version(1) {
        On("Person") {
          Add("score", .int64, default: value)
          Derive("label", from: "name", revision: revision) { (name: String) in name }
        }
      }
      Version(2) { On("Person") { Remove("old") } }
    }
  }

  @Test("R8: an edited default is an edit, a raised revision is a revision, a lowered one an edit")
  func edits() {
    let ledger = history(revision: 2).ledger(through: 2)
    #expect(history(revision: 2).comparison(with: ledger) == LedgerComparison())
    let edited = history(7, revision: 2).comparison(with: ledger)
    #expect(edited.edited == ["v1/Person/1"])
    #expect(edited.revised == [])
    let revised = history(revision: 3).comparison(with: ledger)
    #expect(revised.edited == [])
    #expect(revised.revised == ["v1/Person/2"])
    #expect(history(revision: 1).comparison(with: ledger).edited == ["v1/Person/2"])
  }

  @Test("H14: two builds that disagree on what was before a version are told apart")
  func pasts() {
    // The same operations, but the member that is gone since was another one.
    let other = history(removed: .int64)
    #expect(other.ledger(through: 2)[2]?.operations == history().ledger(through: 2)[2]?.operations)
    #expect(other.comparison(with: history().ledger(through: 2)).edited == ["v1"])
  }

  @Test("H14, H15: a squashed history agrees with the ledger of the whole one, another does not")
  func squashed() throws {
    let ledger = history().ledger(through: 2)
    #expect(try history().squashed(floor: 1).comparison(with: ledger) == LedgerComparison())
    #expect(try history(7).squashed(floor: 1).comparison(with: ledger).edited.first == "base 1")
  }

  /// An entry with everything that format 2 has.
  private var additions: RecordedVersion {
    let type = TypeIdentity(introducedIn: 0, originalName: "T")
    let member = MemberIdentity(introducedIn: 1, originalName: "m")
    let text = ValueExpression.member("a")
    let expressions: [ValueExpression] = [
      text.textBefore(",").trimmed.lowercased.parseInteger.orElse(1),
      .join(
        [text.textAfter(","), text.textBetween("(", ")").parseDouble.toString], separator: " "),
      .object([ObjectPart("x", text.field("y").setting("z", to: text.first))]),
      .mapped(text, [CaseMapping(from: 1, to: 2)], otherwise: .isEqual(text, text.isNil.not)),
      .mapped(text, [], otherwise: nil),
    ]
    let values: [Value] = [
      .null, true, -7, .float(1.5), .double(.nan), "text", .data([1, 2]), .date(3),
      .uuid(UniqueIdentifier(high: 1, low: 2)), .list([1, "a"]), .dictionary(["k": 1, "j": .null]),
      .object(["b": .list([])]),
    ]
    return RecordedVersion(
      version: 3, fingerprint: ShapeFingerprint(high: 1, low: 2), operations: [],
      grades: [type: .readOnly],
      inverses: expressions.map {
        MemberInverse(
          type: type, member: member, memberType: .optional(.string),
          inputs: [MemberInverse.Input(name: "a", member: member)], expression: $0)
      },
      defaults: values.map { MemberDefault(type: type, member: member, value: $0) })
  }

  @Test("Later formats of an entry are written where they are needed; their bytes stay as they are")
  func goldenBytes() {
    let type = TypeIdentity(introducedIn: 0, originalName: "T")
    let member = MemberIdentity(introducedIn: 1, originalName: "m")
    func entry(
      _ inverses: [MemberInverse], _ defaults: [MemberDefault]?, inside: [MemberDefault] = [],
      inner: [InnerDefault] = []
    ) -> RecordedVersion {
      RecordedVersion(
        version: 3, fingerprint: ShapeFingerprint(high: 1, low: 2), operations: [],
        inverses: inverses, defaults: defaults, embeddedDefaults: inside,
        innerDefaults: inner)
    }
    let start: [UInt8] = [3, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    #expect(entry([], nil).encoded() == [1] + start)
    #expect(entry([], []).encoded() == [2] + start + [0, 1, 0])
    let inverse = MemberInverse(
      type: type, member: member, memberType: .string,
      inputs: [MemberInverse.Input(name: "a", member: member)],
      expression: .orElse(.member("a"), .constant("n")))
    #expect(
      entry([inverse], nil).encoded() == [2] + start + [
        1, 0, 1, 0x54, 1, 1, 0x6D, 5, 1, 1, 0x61, 1, 1, 0x6D, 11, 0, 1, 0x61, 1, 5, 1, 0x6E, 0,
      ])
    #expect(
      entry([], [MemberDefault(type: type, member: member, value: 5)]).encoded() == [2] + start
        + [0, 1, 1, 0, 1, 0x54, 1, 1, 0x6D, 2, 5, 0, 0, 0, 0, 0, 0, 0])
    let inside = MemberDefault(type: type, member: member, value: .object(["z": 5]))
    #expect(
      entry([], [], inside: [inside]).encoded() == [3] + start
        + [0, 1, 0, 1, 0, 1, 0x54, 1, 1, 0x6D, 11, 1, 1, 0x7A, 2, 5, 0, 0, 0, 0, 0, 0, 0])
    let inner = InnerDefault(type: type, member: member, path: ["y", "z"], value: true)
    #expect(
      entry([], [], inner: [inner]).encoded() == [4] + start
        + [0, 1, 0, 0, 1, 0, 1, 0x54, 1, 1, 0x6D, 2, 1, 0x79, 1, 0x7A, 1, 1])
    let reaching = MemberInverse(
      type: type, member: member, memberType: .string,
      inputs: [MemberInverse.Input(name: "a", member: member)],
      expression: .reshaped(.member("a"), [ObjectPart("y", .member("z"))]), initial: ["n": true])
    #expect(
      entry([reaching], nil).encoded() == [5] + start + [
        1, 0, 1, 0x54, 1, 1, 0x6D, 5, 1, 1, 0x61, 1, 1, 0x6D,
        20, 1, 1, 0x79, 0, 1, 0x7A, 0, 1, 0x61, 11, 1, 1, 0x6E, 1, 1, 0, 0, 0,
      ])
  }

  @Test("An expression or value that nests deeper than types do is refused, and no other")
  func depth() throws {
    let type = TypeIdentity(introducedIn: 0, originalName: "T")
    let member = MemberIdentity(introducedIn: 1, originalName: "m")
    func entry(_ expression: ValueExpression, _ value: Value) -> RecordedVersion {
      let inverse = MemberInverse(
        type: type, member: member, memberType: .string, inputs: [], expression: expression)
      return RecordedVersion(
        version: 3, fingerprint: ShapeFingerprint(high: 1, low: 2), operations: [],
        inverses: [inverse], defaults: [MemberDefault(type: type, member: member, value: value)])
    }
    func decoded(_ entry: RecordedVersion) throws -> RecordedVersion {
      try entry.encoded().withUnsafeBytes { try RecordedVersion(decoding: $0) }
    }
    var expression = ValueExpression.member("m")
    var value: Value = 1
    for level in 2...SchemaLimits.depth {
      expression = .trimmed(expression)
      value = level % 2 == 0 ? .list([value]) : .object(["a": value])
    }
    let deepest = entry(expression, value)
    #expect(try decoded(deepest) == deepest)
    for deeper in [
      entry(.trimmed(expression), value), entry(expression, .list([value])),
      entry(expression, .dictionary(["a": value])),
    ] {
      let refusal = #expect(throws: BinaryDecodingError.self) { try decoded(deeper) }
      #expect("\(refusal as Any)".contains("nests deeper than \(SchemaLimits.depth) levels"))
    }
  }

  @Test("An expression that would run without end is refused, written or read")
  func endless() {
    let two = Value.list([.object([:]), .object([:])])
    var expression = ValueExpression.constant(1)
    for _ in 0..<40 {
      expression = .reshaped(.constant(two), [ObjectPart("x", expression)])
    }
    #expect(!expression.isBounded)
    // What mappings give is written, too.
    let some = ValueExpression.mapped(
      .isNil(.member("x")), [CaseMapping(from: true, to: .list([1, 2, 3, 4]))], otherwise: nil)
    var mapped = some
    for _ in 0..<12 { mapped = .reshaped(some, [ObjectPart("x", mapped)]) }
    #expect(!mapped.isBounded)
    #expect(some.depth == 3)
    // Stages run one after the other.
    var stages = ValueExpression.member("m")
    for _ in 0..<12 { stages = .reshaped(stages, [ObjectPart("x", .constant(two))]) }
    #expect(stages.isBounded)
    let type = TypeIdentity(introducedIn: 0, originalName: "T")
    let member = MemberIdentity(introducedIn: 1, originalName: "m")
    let entry = RecordedVersion(
      version: 3, fingerprint: ShapeFingerprint(high: 1, low: 2), operations: [],
      inverses: [
        MemberInverse(
          type: type, member: member, memberType: .string, inputs: [], expression: expression)
      ])
    let decoded = entry.encoded().withUnsafeBytes { try? RecordedVersion(decoding: $0) }
    #expect(decoded == nil)
    let history = SchemaHistory {
      Base(0) {
        Type("T", key: "id") {
          Field("id", .int64)
          Field("m", .string)
        }
      }
      Version(1) { On("T") { Convert("m", to: .string, expression) } }
    }
    #expect(history.issues.contains { $0.problem.contains("within each other") })
  }

  @Test("Entries come back from their bytes; every truncation and most flips are refused")
  func coding() throws {
    let inside = RecordedVersion(
      version: 4, fingerprint: ShapeFingerprint(high: 1, low: 2), operations: [], defaults: [],
      embeddedDefaults: additions.defaults ?? [])
    let inner = RecordedVersion(
      version: 4, fingerprint: ShapeFingerprint(high: 1, low: 2), operations: [], defaults: [],
      innerDefaults: (additions.defaults ?? []).map {
        InnerDefault(type: $0.type, member: $0.member, path: ["a", "b"], value: $0.value)
      })
    let reaching = RecordedVersion(
      version: 4, fingerprint: ShapeFingerprint(high: 1, low: 2), operations: [],
      inverses: additions.inverses.map {
        MemberInverse(
          type: $0.type, member: $0.member, memberType: $0.memberType, inputs: $0.inputs,
          expression: .setting(
            .reshaped(
              .member("a"), [ObjectPart("x", $0.expression), ObjectPart("y", .member("b"))]),
            "z", $0.expression), initial: ["k": .object(["j": .null])])
      })
    for entry in history().ledger(through: 2).values + [additions, inside, inner, reaching] {
      let bytes = entry.encoded()
      #expect(
        try bytes.withBytes { (bytes) throws(BinaryDecodingError) in
          try RecordedVersion(decoding: bytes)
        } == entry)
      var accepted = 0
      for length in 0..<bytes.count {
        let cut = Array(bytes[..<length])
        let entry = cut.withUnsafeBytes { try? RecordedVersion(decoding: $0) }
        if entry != nil { accepted += 1 }
      }
      #expect(accepted == 0)
      for index in bytes.indices {
        var flipped = bytes
        flipped[index] ^= 0x80
        let other = flipped.withUnsafeBytes { try? RecordedVersion(decoding: $0) }
        if other == entry { Issue.record("byte \(index) is not looked at") }
      }
    }
  }
}
