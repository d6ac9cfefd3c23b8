import BinaryCoding
import SchemaRegistry
import Testing

@Suite("Upgrade plans")
struct UpgradePlanTests {
  private struct Refusal: Error, CustomStringConvertible {
    var description: String { "refused by the test" }
  }

  private let twoTypes = SchemaHistory {
    Base(0) {
      Type("Person", key: "id") {
        Field("id", .string)
        Field("age", .int32)
        Field("name", .optional(.string))
      }
      Type("Pet", key: "id") { Field("id", .int64) }
    }
    Version(1) { On("Pet") { Add("name", .string, default: .string("")) } }
    Version(2) {}
    Version(3) { On("Person") { Rename("name", to: "nick") } }
    Version(4) { On("Person") { Widen("age", to: .int64) } }
    Version(5) { On("Person") { Remove("nick") } }
  }

  private func failing(_ code: @escaping @Sendable (String) throws -> String) -> SchemaHistory {
    SchemaHistory {
      Base(0) {
        Type("Person", key: "id") {
          Field("id", .string)
          Field("name", .string)
        }
      }
      Version(1) { On("Person") { Convert("name", to: .string, code) } }
    }
  }

  @Test("No step, an untouched type, a rename and an equal encoding are identities (R16)")
  func identity() throws {
    let people = Upgrading(history: twoTypes)
    #expect(try people.plan(from: 0, to: 2).isIdentity)
    #expect(try people.plan(from: 2, to: 2).isIdentity)
    #expect(try people.plan(from: 0, to: 3).isIdentity)
    #expect(try people.plan(from: 0, to: 4).isIdentity)
    #expect(try !people.plan(from: 0, to: 5).isIdentity)
    #expect(try !Upgrading(history: twoTypes, typeName: "Pet").plan(from: 0, to: 1).isIdentity)
    let record: [String: Value] = ["id": .string("k"), "age": .int(-3), "name": .null]
    #expect(
      try people.run(record, from: 0, to: 4)
        == ["id": .string("k"), "age": .int(-3), "nick": .null])
  }

  @Test("An identity hands out bytes it does not look at (R16)")
  func identityBytes() throws {
    let bytes: [UInt8] = [0xFF, 0xFF]
    let plan = try Upgrading(history: twoTypes).plan(from: 0, to: 2)
    #expect(try plan.upgrade(bytes, key: [1], committedAt: 0) == bytes)
  }

  @Test("Stored and declared shapes may order members in their own way")
  func orders() throws {
    let source = try #require(try twoTypes.shape(at: 0).type(named: "Person"))
    let target = try #require(try twoTypes.shape(at: 4).type(named: "Person"))
    func reversed(_ shape: TypeShape) throws -> TypeShape {
      try TypeShape(
        name: shape.name, identity: shape.identity, keyMember: shape.keyMember,
        members: shape.members.reversed())
    }
    let plan = try twoTypes.upgradePlan(
      for: source.identity, from: 0, source: reversed(source), to: 4, target: target)
    #expect(!plan.isIdentity)
    let payload = try RecordPayload.encode(
      [.string("x"), .int(5), .string("k")], shape: reversed(source))
    let upgraded = try #require(try plan.upgrade(payload, key: [0x6B], committedAt: 0))
    #expect(upgraded == (try plan.upgradeStepwise(payload, key: [0x6B], committedAt: 0)))
    #expect(
      try RecordPayload.decode(upgraded, key: .string("k"), shape: target)
        == [.string("k"), .int(5), .string("x")])
  }

  @Test("A step that throws names type, key, version and operation; the writer stays (R19)")
  func throwingStep() throws {
    let plan = try Upgrading(history: failing { _ in throw Refusal() }).plan(from: 0)
    let payload: [UInt8] = [1, 0x41]
    var writer = ByteWriter()
    writer.writeByte(7)
    let expected = SchemaError.migrationFailed(
      type: "Person", keyText: "ada", fromVersion: 0, operationID: "v1/Person/1",
      underlying: "refused by the test")
    #expect(throws: expected) {
      try payload.withUnsafeBytes { bytes in
        _ = try Array("ada".utf8).withUnsafeBytes { key in
          try plan.upgrade(bytes, key: key, committedAt: 0, to: &writer)
        }
      }
    }
    #expect(writer.array() == [7])
    #expect(throws: expected) {
      try plan.upgradeStepwise(payload, key: Array("ada".utf8), committedAt: 0)
    }
    let mended = try Upgrading(history: failing { $0 + "!" }).plan(from: 0)
    #expect(try mended.upgrade(payload, key: [0x61], committedAt: 0) == [2, 0x41, 0x21])
  }

  @Test("Unknown members in the old or the new record fail, naming member and step (R12)")
  func unknownMembers() throws {
    func message(
      _ body: @escaping @Sendable (RecordView, inout RecordDraft) throws -> StepOutcome
    ) throws -> String {
      let history = SchemaHistory {
        Base(0) { Type("Person", key: "id") { Field("id", .int64) } }
        Version(1) {
          On("Person") {
            Add("name", .string, default: .string(""))
            Rewrite(body)
          }
        }
      }
      do {
        _ = try Upgrading(history: history).run(["id": .int(1)], from: 0)
        return ""
      } catch { return "\(error)" }
    }
    let old = try message { old, _ in old["name"].isNull ? .keep : .drop }
    #expect(old.contains("v1/Person/2") && old.contains("old record has no member name"))
    let new = try message { _, new in
      new["nmae"] = .null
      return .drop
    }
    #expect(new.contains("v1/Person/2") && new.contains("new record has no member nmae"))
    let key = try message { _, new in
      new["id"] = .int(5)
      return .keep
    }
    #expect(key.contains("primary key"))
  }

  @Test("A whole-record step sees old in its shape and new with every surviving member (R12)")
  func wholeRecord() throws {
    let history = SchemaHistory {
      Base(0) {
        Type("Person", key: "id") {
          Field("id", .int64)
          Field("a", .string)
          Field("b", .int32)
        }
      }
      Version(1) { On("Person") { Rename("a", to: "x") } }
      Version(2) {
        On("Person") {
          Add("c", .int64, default: .int(10))
          Rename("x", to: "y")
          Remove("b")
          Rewrite { old, new in
            guard old.memberNames == ["b", "id", "x"] else { throw Refusal() }
            let before: Int = try old.value("b")
            let added: Int = try new.value("c")
            new.set("c", to: before + added)
            new["y"] = .string("\(try old.value("x", as: String.self))\(new["y"] == old["x"])")
            return .keep
          }
        }
      }
      Version(3) { On("Person") { Widen("c", to: .optional(.int64)) } }
    }
    #expect(
      try Upgrading(history: history, checksPurity: true).run(
        ["id": .int(1), "a": .string("A"), "b": .int(5)], from: 0)
        == ["id": .int(1), "y": .string("Atrue"), "c": .int(15)])
  }

  @Test("The context of a step depends on record, operation and label only (R14, H2)")
  func context() throws {
    func run(_ key: Int64, from: SchemaVersion = 0) throws -> [String: Value] {
      let history = SchemaHistory {
        Base(0) { Type("Person", key: "id") { Field("id", .int64) } }
        Version(1) {
          On("Person") {
            Add("a", .optional(.uuid))
            Add("b", .optional(.uuid))
            Add("when", .optional(.int64))
            Rewrite { _, new, context in
              new["a"] = .uuid(context.stableUUID("a"))
              new["b"] = .uuid(context.stableUUID("b"))
              new.set("when", to: Int(context.committedAt))
              return context.keyText == "\(key)" && context.fromVersion == 0 ? .keep : .drop
            }
          }
        }
      }
      return try #require(try Upgrading(history: history).run(["id": .int(key)], from: 0))
    }
    let first = try run(1)
    #expect(try run(1) == first)
    #expect(first["a"] != first["b"])
    #expect(try run(2)["a"] != first["a"])
    #expect(first["when"] == .int(1000))
  }

  @Test("A failing step whose result nobody needs is not run")
  func unneeded() throws {
    let history = SchemaHistory {
      Base(0) {
        Type("Person", key: "id") {
          Field("id", .int64)
          Field("a", .string)
        }
      }
      Version(1) {
        On("Person") { Convert("a", to: .int64) { (_: String) -> Int in throw Refusal() } }
      }
      Version(2) { On("Person") { Remove("a") } }
    }
    let plan = try Upgrading(history: history).plan(from: 0)
    #expect(try plan.upgrade([0], key: [UInt8](repeating: 0, count: 8), committedAt: 0) == [])
  }

  @Test("Damaged payloads are refused with the record's key")
  func damage() throws {
    let plan = try Upgrading(history: twoTypes).plan(from: 0, to: 5)
    #expect {
      try plan.upgrade([9, 9, 9], key: Array("ada".utf8), committedAt: 0)
    } throws: { "\($0)".contains("Person ada") }
  }

  @Test("A plan refuses shapes that are not the history's")
  func wrongShapes() throws {
    let source = try #require(try twoTypes.shape(at: 0).type(named: "Person"))
    let pet = try #require(try twoTypes.shape(at: 0).type(named: "Pet"))
    #expect(throws: SchemaError.self) {
      try twoTypes.upgradePlan(
        for: source.identity, from: 0, source: pet, to: 4, target: source)
    }
    #expect(throws: SchemaError.self) {
      try twoTypes.upgradePlan(
        for: source.identity, from: 0, source: source, to: 4, target: source)
    }
    #expect(throws: SchemaError.storeIsNewer(stored: 4, requested: 0)) {
      try twoTypes.upgradePlan(
        for: source.identity, from: 4, source: source, to: 0, target: source)
    }
    #expect(throws: SchemaError.self) {
      try twoTypes.upgradePlan(
        for: TypeIdentity(introducedIn: 9, originalName: "No"), from: 0, source: source, to: 0,
        target: source)
    }
  }
}
