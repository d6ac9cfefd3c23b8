import LogStoreTesting
import ObjectStore
import Testing

/// The examples of every word in `Documentation/Migrations.md`, as they stand there.
@Suite("Every word that the guide to migrations shows compiles, is valid, and runs")
struct OperationGuideTests {
  static let members = SchemaHistory {
    Base(0) {
      Type("Person", key: "id") {
        Field("id", .int64)
        Field("name", .string)
        Field("fax", .string)
        Field("yearsSinceBirth", .int32)
        Field("tag", .string)
        Field("mails", .list(.string))
        Field("nickname", .optional(.string))
        Field("phone", .string)
        Field("zip", .int64)
        Field("floor", .string)
        Field("street", .string)
        Field("city", .string)
      }
    }
    Version(1) {
      On("Person") {
        Add("email", .optional(.string))
        Add("score", .int64, default: 0)
        Remove("fax")
        Rename("yearsSinceBirth", to: "age")
        Widen("age", to: .int64)
        Widen("tag", to: .list(.string))
        Head("mails", as: .optional(.string))
        Require("nickname", fill: "")
        MakeOptional("phone")
        Convert("zip", to: .string) { (zip: Int) in "\(zip)" }
        Convert("floor", to: .int64, .member("floor").parseInteger.orElse(0))
        Derive("label", from: "name", "age") { (name: String, age: Int) in "\(name), \(age)" }
        Derive("shortName", .string, .member("name").textBefore(" ").orElse(.member("name")))
        Split("name", into: "first", "last", at: " ")
        Merge("address", from: "street", "city", separator: ", ")
      }
    }
  }

  static let embedded = SchemaHistory {
    Base(0) {
      Type("Person", key: "id") {
        Field("id", .int64)
        Field("street", .string)
        Field("zip", .string)
        Field("work", .object([MemberShape("phone", .string), MemberShape("room", .string)]))
        Field("office", .optional(.object([MemberShape("tel", .string)])))
        Field("children", .list(.object([MemberShape("name", .string)])))
      }
      Type("Car", key: "plate") { Field("plate", .string) }
    }
    Version(1) {
      On("Person") {
        MoveInto("home", "street", "zip")
        MoveOut("work", "phone")
        On("office") { Rename("tel", to: "phone") }
        Each("children") { Add("age", .int64, default: 0) }
        Add(
          "rental", .optional(.object([MemberShape("car", .string), MemberShape("days", .int64)])),
          inside: ["car": .linksTo("Car")])
      }
    }
  }

  static let cases = SchemaHistory {
    Base(0) {
      Type("Order", key: "id") {
        Field("id", .uuid)
        Field("status", .string, cases: ["new", "paid", "void"])
        Field("size", .string, cases: ["s", "m"])
      }
    }
    Version(1) {
      On("Order") {
        AddCases("status", ["refunded"], readAs: "paid")
        RenameCase("status", "new", to: "open")
        RemoveCase("status", "void", to: "refunded")
        MapCases("size", of: ["s", "m"], ["s": "small", "m": "medium"])
      }
    }
  }

  static let records = SchemaHistory {
    Base(0) {
      Type("Person", key: "id") {
        Field("id", .int64)
        Field("age", .int64)
        Field("title", .string)
      }
      Type("Visit", key: "id") {
        Field("id", .int64)
        Field("kind", .string)
      }
      Type("Draft", key: "id") { Field("id", .int64) }
    }
    Version(1) {
      On("Person") {
        DropRecords(from: "age") { (age: Int) in age < 0 }
        Add("token", .uuid)
        Rewrite { old, new, context in
          let title: String = try old.value("title")
          new["title"] = .string(title.lowercased())
          new["token"] = .uuid(context.stableUUID("token"))
          return .keep
        }
      }
      On("Visit") { DropRecords(where: .member("kind").isEqual(to: "test")) }
      Type("Pet", key: "id") {
        Field("id", .uuid)
        Field("owner", .optional(.int64), linksTo: "Person")
      }
      RenameType("Visit", to: "Stay")
      RemoveType("Draft")
    }
  }

  static let barriers = SchemaHistory {
    Base(0) {
      Type("Person", key: "id") {
        Field("id", .int64)
        Field("email", .string)
        Field("kind", .string)
        Field("home", .object([MemberShape("street", .string)]))
        Field("photo", .optional(.uuid), linksTo: "Photo")
      }
      Type("Photo", key: "id") {
        Field("id", .uuid)
        Field("bytes", .data)
      }
      Type("Customer", key: "email") {
        Field("email", .string)
        Field("home", .uuid)
        Field("photo", .optional(.object([MemberShape("bytes", .data)])))
        Field("since", .int64)
      }
      Type("Bill", key: "id") {
        Field("id", .int64)
        Field("payer", .optional(.string), linksTo: "Customer")
        Field("seller", .string, linksTo: "Customer")
      }
      Type("Company", key: "name") { Field("name", .string) }
    }
    Version(1) { ExtractType("Address", key: "id", from: MemberPlace("Person", "home")) }
    Version(2) {
      Embed(
        "Photo", into: MemberPlace("Person", "photo"), policy: [.duplicateShared, .deleteOrphans])
    }
    Version(3) { Rekey("Person", to: "email", onDuplicate: .keepLast) }
    Version(4) { Retarget("Bill", "payer", to: "Company") }
    Version(5) { Retarget("Bill", "seller", to: "Company") { key in key } }
    Version(6) {
      Move(
        "Person", to: "Customer", defaults: ["since": 2000], dropping: ["id", "kind"],
        where: .member("kind").isEqual(to: "customer"))
    }
    Version(7) {
      Barrier("no-empty-bills", touching: "Bill") { store in
        try store.forEach("Bill") { old, new in old["id"] == .int(0) ? .drop : .keep }
      }
    }
  }

  @Test(
    "The history of each group is valid, and runs on records that are made up",
    arguments: ["members", "embedded", "cases", "records", "barriers"])
  func group(_ name: String) throws {
    let histories = [
      "members": Self.members, "embedded": Self.embedded, "cases": Self.cases,
      "records": Self.records, "barriers": Self.barriers,
    ]
    let history = try #require(histories[name])
    #expect(history.issues == [])
    #expect(try history.selfTest().isEmpty)
  }
}
