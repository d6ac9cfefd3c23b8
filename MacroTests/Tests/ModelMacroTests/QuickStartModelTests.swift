import Foundation
import ObjectStore
import Testing

/// The model of the quick start in README.md as `@Model` writes it.
@Suite("The quick start's model is the same with the macro")
struct QuickStartModelTests {
  @Model struct Person {
    @PrimaryKey var id: Int
    var fullName: String
    var email: String?
  }

  @Test func itIsWhatTheHistoryLeadsTo() throws {
    let path = NSTemporaryDirectory() + "quick-start-\(UUID()).logstore"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let history = SchemaHistory {
      Base(0) {
        Type("Person", key: "id") {
          Field("id", .int64)
          Field("fullName", .string)
          Field("email", .optional(.string))
        }
      }
    }
    let store = try Store.open(at: path, models: [Person.self], history: history)
    try store.write { transaction in
      try transaction.put(Person(id: 1, fullName: "Ada Lovelace", email: nil))
    }
    #expect(try store.snapshot().get(Person.self, 1)?.fullName == "Ada Lovelace")
    try store.close()
  }
}
