import ObjectStore

/// The object of the typed benchmarks, in the shape of the last version of its history.
struct Account: StorableObject {
  static let primaryKey = "id"

  var id = 0
  var name = ""
  var email = ""
  var city = ""
  var balance = 0

  mutating func visitMembers<Visitor: MemberVisitor>(
    _ visitor: inout Visitor
  ) throws(StoreError) {
    try visitor.member("id", &id)
    try visitor.member("name", &name)
    try visitor.member("email", &email)
    try visitor.member("city", &city)
    try visitor.member("balance", &balance)
  }

  /// What the first version wrote.
  static let base = Base(0) {
    Type("Account", key: "id") {
      Field("id", .int64)
      Field("firstName", .string)
      Field("lastName", .string)
      Field("town", .string)
      Field("balance", .int32)
    }
  }

  /// Five versions: the last four change what the first one wrote.
  static let history = SchemaHistory {
    base
    Version(1) {
      On("Account") {
        Derive("name", from: "firstName", "lastName") { (first: String, last: String) in
          "\(first) \(last)"
        }
        Remove("firstName")
        Remove("lastName")
      }
    }
    Version(2) { On("Account") { Rename("town", to: "city") } }
    Version(3) { On("Account") { Widen("balance", to: .int64) } }
    Version(4) { On("Account") { Add("email", .string, default: "none") } }
  }

  static func sample(_ number: Int) -> Account {
    Account(
      id: number, name: "Ada Lovelace \(number)", email: "ada\(number)@example.org",
      city: "London", balance: number)
  }
}
