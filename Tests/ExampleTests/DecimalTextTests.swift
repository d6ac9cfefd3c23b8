import Foundation
import LogStoreTesting
import ObjectStore
import Testing

/// The recipe of `Documentation/Models.md` for members that were texts, as it stands there.
@Suite("Texts of decimal numbers that something else wrote are rewritten by a Convert")
struct DecimalTextTests {
  struct Bill: StorableObject {
    static let primaryKey = "id"
    var id = 0
    var price = Decimal()
    var refund: Decimal?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("price", &price)
      try visitor.member("refund", &refund)
    }
  }

  static let history = SchemaHistory {
    Base(0) {
      Type("Bill", key: "id") {
        Field("id", .int64)
        Field("price", .string)
        Field("refund", .optional(.string))
      }
    }
    Version(1) {
      On("Bill") {
        Convert("price", to: .string) { (text: String) in
          Decimal(storedText: text)?.storedText ?? text
        }
        Convert("refund", to: .optional(.string)) { (text: String) in
          Decimal(storedText: text)?.storedText ?? text
        }
      }
    }
  }

  @Test("The history is valid, and gives one text for each number; other texts and nil stay")
  func texts() throws {
    #expect(Self.history.issues == [])
    #expect(try Self.history.selfTest().isEmpty)
    let fixture = MigrationFixture(Self.history)
    try fixture.write(
      "Bill", version: 0,
      [
        ["id": 1, "price": "12.50", "refund": "1.0"], ["id": 2, "price": "7", "refund": .null],
        ["id": 3, "price": "about 7", "refund": "none"],
      ])
    let expected: [(Value, Value, Value)] = [
      (1, "12.5", "1"), (2, "7", .null), (3, "about 7", "none"),
    ]
    for (key, price, refund) in expected {
      #expect(
        try fixture.differences("Bill", key: key, from: ["price": price, "refund": refund]) == [])
    }
  }

  @Test("Look-ups find the numbers then, in a required member and in an optional one")
  func lookups() throws {
    let fixture = MigrationFixture(Self.history)
    try fixture.write("Bill", version: 0, [["id": 1, "price": "12.50", "refund": "1.0"]])
    let store = try fixture.openLatest(models: [Bill.self])
    let snapshot = store.snapshot()
    #expect(
      try snapshot.objects(Bill.self, where: "price", equals: Decimal(12.5)).all().map(\.id) == [1])
    #expect(
      try snapshot.objects(Bill.self, where: "refund", equals: Decimal(1)).all().map(\.id) == [1])
    try store.close()
  }
}
