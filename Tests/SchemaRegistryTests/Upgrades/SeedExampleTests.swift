import SchemaRegistry
import Testing

/// The examples of the Realm guides: full names, a renamed age, and an email that came back.
@Suite("The guides' examples")
struct SeedExampleTests {
  private let history = SchemaHistory {
    Base(0) {
      Type("Person", key: "id") {
        Field("id", .int64)
        Field("firstName", .string)
        Field("lastName", .string)
        Field("yearsSinceBirth", .int32)
        Field("email", .string)
      }
    }
    Version(1) {
      On("Person") {
        Derive("fullName", from: "firstName", "lastName") { (first: String, last: String) in
          "\(first) \(last)"
        }
        Remove("firstName")
        Remove("lastName")
      }
    }
    Version(2) { On("Person") { Remove("email") } }
    Version(3) {
      On("Person") {
        Add("email", .string, default: .string(""))
        Rename("yearsSinceBirth", to: "age")
      }
    }
  }

  private let old: [String: Value] = [
    "id": .int(1), "firstName": .string("Ada"), "lastName": .string("Lovelace"),
    "yearsSinceBirth": .int(36), "email": .string("old@example.com"),
  ]

  @Test("First and last name become a full name; the age stays")
  func fullName() throws {
    let person = try Upgrading(history: history).run(old, from: 0, to: 1)
    #expect(
      person == [
        "id": .int(1), "fullName": .string("Ada Lovelace"), "yearsSinceBirth": .int(36),
        "email": .string("old@example.com"),
      ])
  }

  @Test("A renamed member keeps its value: yearsSinceBirth becomes age (R24)")
  func renamed() throws {
    let person = try Upgrading(history: history).run(old, from: 0)
    #expect(person?["age"] == .int(36))
    #expect(person?["yearsSinceBirth"] == nil)
  }

  @Test(
    "An email that was deleted and introduced again starts empty, from every version (R23, H10)",
    arguments: [0, 1] as [SchemaVersion])
  func reintroduced(_ version: SchemaVersion) throws {
    let upgrading = Upgrading(history: history)
    let record = version == 0 ? old : try #require(try upgrading.run(old, from: 0, to: version))
    let person = try upgrading.run(record, from: version)
    #expect(person?["email"] == .string(""))
    #expect(person?["fullName"] == .string("Ada Lovelace"))
    let first = try history.shape(at: 0).type(named: "Person")?.members.last?.identity
    let last = try history.shape(at: 3).type(named: "Person")?.members.last?.identity
    #expect(first != last)
  }

  @Test("A record that was upgraded at every version equals one that skipped them (R12, H9)")
  func skipping() throws {
    let upgrading = Upgrading(history: history)
    var record: [String: Value]? = old
    for version in 0..<3 {
      record = try upgrading.run(
        try #require(record), from: SchemaVersion(UInt64(version)),
        to: SchemaVersion(UInt64(version + 1)))
    }
    #expect(try record == upgrading.run(old, from: 0))
  }

  @Test("The same as whole-record code, in the shape of a migration block")
  func migrationBlock() throws {
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
          Add("fullName", .string)
          Remove("firstName")
          Remove("lastName")
          Rewrite { old, new in
            let first: String = try old.value("firstName")
            let last: String = try old.value("lastName")
            new["fullName"] = .string("\(first) \(last)")
            return .keep
          }
        }
      }
    }
    let person = try Upgrading(history: history).run(
      ["id": .int(1), "firstName": .string("Ada"), "lastName": .string("Lovelace")], from: 0)
    #expect(person == ["id": .int(1), "fullName": .string("Ada Lovelace")])
  }
}
