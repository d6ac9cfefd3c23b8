import SchemaRegistry
import Testing

/// A history's file reads back as the same history: its values are the same, and so its hashes.
@Suite("History files read back the same")
struct RoundTripTests {
  private static let home = FieldType.object([
    MemberShape("city", .string), MemberShape("zip", .optional(.int32)),
  ])

  private func again(_ operations: [RecordOperation]) throws -> (SchemaHistory, SchemaHistory) {
    let history = SchemaHistory(
      base: Base(0) {
        Type("T", key: "id") {
          Field("id", .int64)
          Field("m", .string)
        }
      }, versions: [Version(number: 1, changes: [.records(type: "T", operations: operations)])])
    return (history, try HistoryFiles.read(HistoryFiles.write(history)))
  }

  @Test(
    "A default that leaves members out, has nil in them, or is a negative zero",
    arguments: [
      (home, .object(["city": "a"])), (home, .object(["city": "a", "zip": .null])),
      (.list(home), .list([.object(["city": "a"]), .object(["city": "a", "zip": 5])])),
      (.double, -0.0), (.float, .float(-0.0)), (.date, .date(-0.0)), (.double, 0.0),
      (.list(.double), .list([-0.0, 0.0, 1.0, .double(-1e300)])), (.int64, 0),
    ] as [(FieldType, Value)])
  func defaults(_ type: FieldType, _ value: Value) throws {
    let (history, again) = try again([
      .add(member: "a", type: type, default: value, meaning: MemberMeaning())
    ])
    #expect(history.issues == [])
    #expect(again.operations == history.operations)
    #expect(try again.fingerprint(at: 1) == history.fingerprint(at: 1))
  }

  @Test(
    "Constants whose elements show different parts of their type",
    arguments: [
      .object([:]), .list([.object([:]), .object([:])]), .object(["a": .object([:])]),
      .list([.list([]), .list([1])]), .list([.null, .list([.null, "a"]), .list([])]),
      .list([.object(["a": 1]), .object(["b": "x"])]), .list([.null, 5, .null]),
      .list([.object(["a": .null]), .object(["a": .list([true])])]),
      .dictionary(["k": .list([]), "l": .list([.object(["z": .double(1)])])]),
      .list([.dictionary([:]), .dictionary(["a": .null]), .dictionary(["b": "x"])]),
      .list([.null]), .dictionary([:]),
    ] as [Value])
  func constants(_ value: Value) throws {
    let (history, again) = try again([
      .derive(
        member: "a", type: .bool, inputs: ["m"],
        computation: .expression(.isEqual(.constant(value), .member("m"))),
        meaning: MemberMeaning())
    ])
    #expect(again.operations == history.operations)
    guard case .records(_, let operations) = again.versions[0].changes[0],
      case .derive(_, _, _, .expression(.isEqual(.constant(let found), _)), _) = operations[0]
    else {
      Issue.record("an expression is expected")
      return
    }
    #expect(found == value)
  }
}
