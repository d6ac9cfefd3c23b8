import ObjectStore

/// What the app keeps now. The first release had a first and a last name instead.
struct Person: StorableObject {
  static let primaryKey = "id"
  var id = 0
  var fullName = ""
  var email: String?

  mutating func visitMembers<Visitor: MemberVisitor>(
    _ visitor: inout Visitor
  ) throws(StoreError) {
    try visitor.member("id", &id)
    try visitor.member("fullName", &fullName)
    try visitor.member("email", &email)
  }
}

/// Every change since the first release; shipped versions are never edited.
let history = SchemaHistory {
  Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("firstName", .string)
      Field("lastName", .string)
    }
  }
  Version(1) {
    On("Person") {
      Derive("fullName", from: "firstName", "lastName") {
        (first: String, last: String) -> String in "\(first) \(last)"
      }
      Remove("firstName")
      Remove("lastName")
    }
  }
  Version(2) { On("Person") { Add("email", .optional(.string)) } }
}

func greet(storeAt path: String) throws {
  let store = try Store.open(at: path, models: [Person.self], history: history)
  try store.write { transaction in
    try transaction.put(Person(id: 1, fullName: "Ada Lovelace", email: nil))
  }
  let ada = try store.read { snapshot in try snapshot.get(Person.self, 1) }
  print("Hello, \(ada?.fullName ?? "nobody")")
  let report = try store.compact()  // makes upgrades permanent and gives space back
  print("\(report.upgradedCount) records upgraded, \(report.byteCountAfter) bytes on disk")
  try store.close()
}
