import ObjectStore

/// Fifty operations over ten versions, none of them a closure.
enum LongHistory {
  private static let first = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("name", .string)
      Field("street", .string)
      Field("town", .string)
      Field("nick", .optional(.string))
      Field("age", .int32)
      Field("points", .int32)
      Field("note", .optional(.string))
      Field("old", .string)
    }
  }

  static let base = SchemaHistory { first }

  static let whole = SchemaHistory {
    first
    Version(1) {
      On("Person") {
        Rename("town", to: "place0")
        Rename("points", to: "points0")
        Remove("old")
        Add("email", .optional(.string))
        Add("score", .int32, default: 5)
        Widen("age", to: .int64)
        Add("extra0", .string, default: "extra")
      }
    }
    for round in 1...7 {
      Version(SchemaVersion(UInt64(round + 1))) {
        On("Person") {
          Rename("place\(round - 1)", to: "place\(round)")
          Rename("points\(round - 1)", to: "points\(round)")
          Add("extra\(round)", .string, default: "extra")
          Remove("extra\(round - 1)")
          round % 2 == 1
            ? RecordOperation.require(member: "nick", fill: "none") : .makeOptional(member: "nick")
        }
      }
    }
    Version(9) {
      On("Person") {
        Rename("place7", to: "city")
        Rename("points7", to: "points")
        Rename("extra7", to: "title")
        MakeOptional("score")
        Require("nick", fill: "none")
      }
    }
    Version(10) {
      On("Person") {
        Require("score", fill: 0)
        Add("draft", .bool, default: false)
        Remove("draft")
      }
    }
  }

  static let oldValues: [String: Value] = [
    "id": 0, "name": "Ada Lovelace", "street": "St James's Square 12", "town": "London",
    "nick": "Countess", "age": 36, "points": 1843, "note": "notes on the engine", "old": "gone",
  ]

  static let currentValues: [String: Value] = [
    "id": 0, "name": "Ada Lovelace", "street": "St James's Square 12", "city": "London",
    "nick": "Countess", "age": 36, "points": 1843, "note": "notes on the engine", "score": 5,
    "title": "extra",
  ]

  /// The type as it is after the last version.
  struct Person: StorableObject, Equatable {
    static let primaryKey = "id"
    var id = 0
    var name = ""
    var street = ""
    var city = ""
    var nick = ""
    var age = 0
    var points: Int32 = 0
    var note: String?
    var email: String?
    var score: Int32 = 0
    var title = ""

    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("name", &name)
      try visitor.member("street", &street)
      try visitor.member("city", &city)
      try visitor.member("nick", &nick)
      try visitor.member("age", &age)
      try visitor.member("points", &points)
      try visitor.member("note", &note)
      try visitor.member("email", &email)
      try visitor.member("score", &score)
      try visitor.member("title", &title)
    }

    static func expected(_ id: Int) -> Person {
      Person(
        id: id, name: "Ada Lovelace", street: "St James's Square 12", city: "London",
        nick: "Countess", age: 36, points: 1843, note: "notes on the engine", email: nil, score: 5,
        title: "extra")
    }
  }
}
