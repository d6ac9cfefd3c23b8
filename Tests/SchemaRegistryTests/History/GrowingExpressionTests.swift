import Testing

@testable import SchemaRegistry

/// Expressions of a few bytes that double what they read, time after time.
@Suite("Expressions that grow")
struct GrowingExpressionTests {
  private static let object = FieldType.object([MemberShape("a", .string)])
  private static let base = Base(0) {
    Type("T", key: "id") {
      Field("id", .int64)
      Field("o", object)
      Field("m", .string)
    }
  }
  private static func doubled(_ name: String) -> ValueExpression {
    .join([.member(name), .member(name)], separator: "")
  }

  @Test("A text that doubles in every stage makes the expression fail, and not the process")
  func stages() throws {
    var stages = ValueExpression.member("o")
    for _ in 0..<28 { stages = .reshaped(stages, [ObjectPart("a", Self.doubled("a"))]) }
    // No other value is taken for it, though it is in an orElse.
    let expression = stages.field("a").orElse("")
    var room = ExpressionRoom(byteCount: 1 << 16)
    let error = #expect(throws: ExpressionFailure.self) {
      try expression.evaluate(&room) { _ in .object(["a": "x"]) }
    }
    #expect(error?.description.contains("more than") == true, "\(String(describing: error))")
  }

  @Test("What makes no text longer has room for the largest record, however often it is done")
  func largeTexts() throws {
    var expression = ValueExpression.member("m")
    for _ in 0..<10 { expression = expression.trimmed.lowercased }
    var room = ExpressionRoom(byteCount: 1000)
    let text = String(repeating: "a", count: 900)
    #expect(try expression.evaluate(&room) { _ in .string(" " + text) } == .string(text))
    #expect(throws: ExpressionFailure.self) {
      try Self.doubled("m").evaluate(&room) { _ in .string(text) }
    }
  }

  @Test("So do ways back of many versions, one on top of the other")
  func waysBack() throws {
    let history = SchemaHistory(
      base: Self.base,
      versions: (1...28).map { number in
        Version(SchemaVersion(UInt64(number))) {
          On("T") {
            Convert("m", to: .string, ValueExpression.member("m"), inverse: Self.doubled("m"))
          }
        }
      })
    let type = TypeIdentity(introducedIn: 0, originalName: "T")
    let known = try #require(try history.shape(at: 0).type(type))
    let projection = try Projection(
      known: known, stored: try #require(try history.shape(at: 28).type(type)), version: 28,
      inverses: history.inverses(of: type, after: 0, through: 28), expressionByteCount: 1 << 16)
    let payload = try RecordPayload.encode([1, .object(["a": "x"]), "x"], shape: known)
    let error = #expect(throws: SchemaError.self) { try projection.read(payload, key: 1) }
    #expect(error?.description.contains("more than") == true, "\(String(describing: error))")
  }

  @Test("Comparing what doubles inside of itself ends")
  func comparisons() throws {
    func tree(_ depth: Int) -> ValueExpression {
      var stages = ValueExpression.member("o")
      for _ in 0..<depth {
        stages = .reshaped(
          stages,
          [
            ObjectPart(
              "a", .object([ObjectPart("l", .member("a")), ObjectPart("r", .member("a"))]))
          ])
      }
      return stages
    }
    func areEqual(_ depth: Int) throws(ExpressionFailure) -> Value {
      var room = ExpressionRoom(byteCount: 1 << 16)
      return try ValueExpression.isEqual(tree(depth), tree(depth)).evaluate(&room) { _ in
        .object(["a": "x"])
      }
    }
    #expect(try areEqual(5) == true)
    #expect(throws: ExpressionFailure.self) { try areEqual(18) }
  }

  @Test("P14: an empty separator, which only bytes from a store can have, fails and traps nothing")
  func emptySeparator() {
    let text = ValueExpression.member("m")
    for expression in [
      ValueExpression.textBefore(text, separator: ""), .textAfter(text, separator: ""),
      .textBetween(text, start: "", end: ")"), .textBetween(text, start: "a", end: ""),
    ] {
      for value in ["", "a", "abc"] {
        var room = ExpressionRoom()
        #expect(throws: ExpressionFailure.self) {
          try expression.evaluate(&room) { _ in .string(value) }
        }
      }
    }
  }

  @Test("P14: a separator that nearly occurs everywhere is searched once through the text")
  func nearlyEverywhere() throws {
    // Byte by byte from each place on: some 10^10 comparisons.
    let text = String(repeating: "a", count: 1 << 18)
    let separator = String(repeating: "a", count: 1 << 17) + "b"
    let member = ValueExpression.member("m")
    var room = ExpressionRoom()
    #expect(throws: ExpressionFailure.self) {
      try ValueExpression.textBefore(member, separator: separator).evaluate(&room) { _ in
        .string(text)
      }
    }
    let found = ValueExpression.textAfter(member, separator: separator)
    #expect(
      try found.evaluate(&room) { _ in .string(text + separator + "end") } == .string("end"))
  }

  @Test("The first separator is found, wherever texts and separators repeat themselves")
  func firstSeparator() throws {
    func texts(_ count: Int) -> [String] {
      (0..<(1 << count)).map { bits in
        String((0..<count).map { bits >> $0 & 1 == 0 ? "a" : "b" } as [Character])
      }
    }
    for separator in (1...4).flatMap(texts) {
      for text in (0...7).flatMap(texts) {
        let expected = text.firstRange(of: separator).map { String(text[..<$0.lowerBound]) }
        var room = ExpressionRoom()
        let before = try? ValueExpression.textBefore(.member("m"), separator: separator)
          .evaluate(&room) { _ in .string(text) }
        #expect(before == expected.map { Value.string($0) }, "\(separator) in \(text)")
      }
    }
  }

  @Test("P14: reading a text of the ledger for each element of a list ends")
  func readOften() throws {
    let name = String(repeating: "a", count: 1000)
    let constant = ValueExpression.constant(.string(name))
    func each(_ value: ValueExpression) -> ValueExpression {
      .reshaped(.member("o"), [ObjectPart("a", value)])
    }
    let elements = Value.list([Value](repeating: .object(["a": "x"]), count: 1000))
    let expressions = [
      constant.trimmed.isNil, constant.lowercased.isNil,
      ValueExpression.textAfter(constant, separator: "b").orElse(""),
    ]
    // What reads no text takes steps.
    let empty = [ValueExpression](repeating: .constant(""), count: 100)
    let steps: [ValueExpression] = [
      .join(empty, separator: ""), .member(name), .field(.constant(.object([:])), name),
      .setting(.constant(.object([:])), name, .constant(1)).isNil,
      .object([ObjectPart(name, .constant(1))]).isNil,
      .reshaped(.constant(.dictionary([name: .null])), []).isNil,
      (0..<50).reduce(.member("a")) { inner, _ in inner.isNil.not.orElse(true) },
    ]
    for expression in (expressions + steps).map(each) {
      var room = ExpressionRoom(byteCount: 10_000)
      let error = #expect(throws: ExpressionFailure.self) {
        try expression.evaluate(&room) { _ in elements }
      }
      #expect(error?.reason.contains("reads more") == true, "\(String(describing: error))")
      var whole = ExpressionRoom()
      _ = try expression.evaluate(&whole) { _ in elements }
    }
  }

  @Test(
    "P14: values that hold nothing count, and there is room for as many as a record has bytes",
    arguments: [Value.null, .list([]), .dictionary([:]), .object([:])])
  func emptyValues(_ value: Value) throws {
    // Each but an object without members stores a byte, and their number two.
    let elements = Value.list([Value](repeating: value, count: 1000))
    let reshaped = ValueExpression.reshaped(.member("o"), [])
    var room = ExpressionRoom(byteCount: 4 * 1002)
    #expect(try reshaped.evaluate(&room) { _ in elements } == elements)
    let parts = (0..<10).map { ObjectPart("p\($0)", reshaped) }
    var small = ExpressionRoom(byteCount: 10_000)
    let error = #expect(throws: ExpressionFailure.self) {
      try ValueExpression.object(parts).evaluate(&small) { _ in elements }
    }
    #expect(error?.reason.contains("makes more") == true, "\(String(describing: error))")
  }

  @Test("P14: texts that parts of an object hold count where they were made, and else do not")
  func heldTexts() throws {
    let text = Value.string(String(repeating: "A", count: 1000))
    let member = ValueExpression.member("m")
    func object(_ count: Int, _ value: ValueExpression) -> ValueExpression {
      .object((0..<count).map { ObjectPart("p\($0)", value) })
    }
    func set(_ count: Int, _ value: ValueExpression) -> ValueExpression {
      (0..<count).reduce(.constant(.object([:]))) { .setting($0, "p\($1)", value) }
    }
    for many in [object, set] {
      var room = ExpressionRoom(byteCount: 10_000)
      let error = #expect(throws: ExpressionFailure.self) {
        try many(20, member.lowercased.orElse("")).evaluate(&room) { _ in text }
      }
      #expect(error?.reason.contains("makes more") == true, "\(String(describing: error))")
      for (count, value) in [(20, member), (4, member.lowercased)] {
        var room = ExpressionRoom(byteCount: 10_000)
        _ = try many(count, value).evaluate(&room) { _ in text }
      }
    }
  }

  @Test("A way back finds each of many inputs, and the first of those that are called alike")
  func manyInputs() throws {
    let type = TypeIdentity(introducedIn: 0, originalName: "T")
    let members = (0..<20).map { MemberIdentity(introducedIn: 0, originalName: "m\($0)") }
    let target = MemberIdentity(introducedIn: 0, originalName: "all")
    for count in [3, 20] {
      let inputs = members[..<count].map {
        MemberInverse.Input(name: "the \($0.originalName)", member: $0)
      }
      let again = MemberInverse.Input(name: "the m1", member: members[0])
      let parts = (inputs.map(\.name) + ["none"]).map(ValueExpression.member)
      let inverse = MemberInverse(
        type: type, member: target, memberType: .string, inputs: inputs + [again],
        expression: .join(parts, separator: " "))
      var record: [MemberIdentity: Value] = [:]
      for (index, member) in members.enumerated() { record[member] = .string("\(index)") }
      var room = ExpressionRoom()
      try inverse.run(on: &record, &room)
      #expect(record[target] == .string((0..<count).map { "\($0)" }.joined(separator: " ")))
    }
  }

  @Test("P14: the members that an expression reads are told once, in order, however many there are")
  func manyNames() {
    let names = (0..<100_000).map { "m\($0)" }
    let parts = (names + names.reversed()).map(ValueExpression.member)
    let told = ValueExpression.join(parts, separator: "").memberNames
    let isSame = told == names
    #expect(isSame, "\(told.count) names")
  }

  @Test("P14: cases that a value is compared with count, and so do the bytes of long ones")
  func mappedCases() throws {
    func evaluate(
      _ text: String, _ cases: [CaseMapping], _ byteCount: Int
    ) throws(ExpressionFailure) -> Value {
      var room = ExpressionRoom(byteCount: byteCount)
      return try ValueExpression.mapped(.member("m"), cases, otherwise: .constant("other"))
        .evaluate(&room) { _ in .string(text) }
    }
    let many = (0..<1000 as Range<Int64>).map { number in
      CaseMapping(from: .string("case \(number)"), to: .int(number))
    }
    #expect(try evaluate("case 999", many, 1 << 16) == 999)
    #expect(try evaluate("none", many, 1 << 16) == "other")
    #expect(throws: ExpressionFailure.self) { try evaluate("none", many, 1 << 10) }
    #expect(try evaluate("case 1", many, 1 << 10) == 1)
    let long = String(repeating: "a", count: 64_000)
    let longCases = (0..<10 as Range<Int64>).map { number in
      CaseMapping(from: .string(long + "\(number)"), to: .int(number))
    }
    #expect(try evaluate(long + "9", longCases, 1 << 16) == 9)
    #expect(throws: ExpressionFailure.self) { try evaluate(long + "9", longCases, 1 << 14) }
  }

  @Test("P14: looking for the long keys of a dictionary counts, too")
  func comparedKeys() throws {
    let long = String(repeating: "a", count: 64_000)
    func dictionary(_ number: Int) -> Value { .dictionary([long + "\(number)": true]) }
    let cases = (0..<10).map { CaseMapping(from: dictionary($0), to: .bool(true)) }
    func evaluate(_ byteCount: Int) throws(ExpressionFailure) -> Value {
      var room = ExpressionRoom(byteCount: byteCount)
      return try ValueExpression.mapped(.member("m"), cases, otherwise: nil).evaluate(&room) { _ in
        dictionary(9)
      }
    }
    #expect(try evaluate(1 << 16) == true)
    #expect(throws: ExpressionFailure.self) { try evaluate(1 << 14) }
  }

  @Test("P14: so do members that only one of two objects has, and the bytes of long names")
  func comparedMembers() throws {
    func areAlike(
      _ value: Value, _ other: Value, _ byteCount: Int
    ) throws(ExpressionFailure) -> Bool {
      var room = ExpressionRoom(byteCount: byteCount)
      return try room.compares(value, other)
    }
    var absent: [String: Value] = [:]
    for number in 0..<10_000 { absent["m\(number)"] = .null }
    let (none, many) = (Value.object([:]), Value.object(absent))
    let long = Value.object([String(repeating: "a", count: 640_000): true])
    let pairs: [(Value, Value, areAlike: Bool)] = [
      (none, many, true), (many, none, true), (many, many, true), (none, long, false),
      (long, none, false), (long, long, true),
    ]
    for (value, other, expected) in pairs {
      #expect(try areAlike(value, other, 1 << 16) == expected)
      #expect(throws: ExpressionFailure.self) { try areAlike(value, other, 1 << 14) }
    }
  }

  /// Twice what `name` is.
  private static func pair(_ name: String) -> ValueExpression {
    .object([ObjectPart("l", .member(name)), ObjectPart("r", .member(name))])
  }

  @Test(
    "P14: a type that doubles with every member is an issue, and nothing walks what it would be",
    arguments: [20, 40])
  func doubledMembers(_ count: Int) throws {
    // As a file has it, which need not say the type.
    func derive(_ name: String, _ expression: ValueExpression) -> RecordOperation {
      .derive(
        member: name, type: nil, inputs: expression.memberNames,
        computation: .expression(expression), meaning: MemberMeaning())
    }
    let operations = (1...count).map { derive("d\($0)", Self.pair("d\($0 - 1)")) }
    let history = SchemaHistory(
      base: Self.base,
      versions: [
        Version(
          number: 1,
          changes: [
            .records(type: "T", operations: [derive("d0", .member("o"))] + operations)
          ])
      ])
    let issue = try #require(history.issues.first)
    #expect(issue.problem.contains("more than the limit of 65536"), "\(issue)")
    // The type as a whole has no room for the one before either.
    #expect(["v1/T/16", "v1/T/17"].contains(issue.operationID), "\(issue)")
  }

  @Test("P14: so is one that doubles within an expression, whose type is written")
  func doubledParts() throws {
    var reshaped = ValueExpression.member("o")
    for _ in 0..<30 {
      reshaped = .reshaped(reshaped, [ObjectPart("a", Self.pair("a"))])
    }
    for expression in [reshaped, .reshaped(.member("o"), [ObjectPart("a", Self.pair("a"))])] {
      let history = SchemaHistory {
        Self.base
        Version(1) { On("T") { Derive("d", .string, expression) } }
      }
      let problem = try #require(history.issues.first).problem
      #expect(problem.contains("65536") == (expression == reshaped), "\(problem)")
    }
  }

  @Test("P14: a type is as large as all of its members together, with a room of its own for each")
  func wholeType() throws {
    func members(_ count: Int) -> [MemberShape] {
      (0..<count).map { MemberShape("m\($0)", .bool) }
    }
    func type(of count: Int) throws(SchemaError) -> TypeShape {
      try TypeShape(
        name: "T", identity: TypeIdentity(introducedIn: 0, originalName: "T"), keyMember: "id",
        members: [MemberShape("id", .int64)]
          + (0..<count).map { MemberShape("o\($0)", .object(members(4095))) })
    }
    // 1 + 15 × 4096 and 1 + 16 × 4096 members.
    #expect(try type(of: 15).members.count == 16)
    let error = #expect(throws: SchemaError.self) { try type(of: 16) }
    #expect(error?.description.contains("o15: the members") == true, "\(String(describing: error))")
    #expect(FieldType.object([MemberShape("o", .object(members(4096)))]).problem == nil)
  }
}
