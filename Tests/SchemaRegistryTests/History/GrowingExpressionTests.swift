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
}
