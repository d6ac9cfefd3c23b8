import BinaryCoding
import Foundation
import Testing

@testable import ObjectStore
@testable import SchemaRegistry

/// Members that cannot be read do not throw while they are visited: the read does, when it is
/// through.
@Suite struct MemberFailureTests {
  /// Goes on whatever happens to its members.
  struct Careless: StorableObject {
    static let primaryKey = "id"
    var id = 0
    var first = "begins"
    var second = "begins"
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try? visitor.member("id", &id)
      try? visitor.member("first", &first)
      try? visitor.member("second", &second)
    }
  }

  /// Two types of which not every text and number is a value.
  struct Measured: StorableObject {
    static let primaryKey = "id"
    var id = 0
    var price = Decimal(0)
    var level: Int8 = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("price", &price)
      try visitor.member("level", &level)
    }
  }

  /// The same members in another order, by which they are read by name.
  struct Turned: StorableObject {
    static let typeName = "Measured"
    static let primaryKey = "id"
    var id = 0
    var price = Decimal(0)
    var level: Int8 = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("level", &level)
      try visitor.member("price", &price)
      try visitor.member("id", &id)
    }
  }

  /// What reading an object throws whose members lie in the order of `names`.
  private static func failure<Model: StorableObject>(
    _ model: Model.Type, _ names: [String], _ payload: [UInt8]
  ) throws -> StoreError? {
    let types: [String: FieldType] = ["id": .int64, "price": .string, "level": .int32]
    let shape = try TypeShape(
      name: "Measured", identity: TypeIdentity(introducedIn: 0, originalName: "Measured"),
      keyMember: "id", members: names.map { MemberShape($0, types[$0] ?? .int64) })
    let binding = try ModelBinding(model, shape: shape)
    do throws(StoreError) { _ = try binding.decode(model, key: .int(7), payload: payload) } catch {
      return error
    }
    return nil
  }

  @Test(
    "a value that a type refuses is told alike where members are read in order and by name",
    arguments: [
      // "abc" is no decimal number, and 300 no integer of 8 bits.
      (["id", "price", "level"], [3, 0x61, 0x62, 0x63, 0], "price"),
      (["id", "price", "level"], [1, 0x31, 0xD8, 0x04], "level"),
      (["level", "price", "id"], [0xD8, 0x04, 1, 0x31], "level"),
    ] as [([String], [UInt8], String)])
  func refusedAlike(_ order: [String], _ payload: [UInt8], _ member: String) throws {
    let failures = [
      try Self.failure(Measured.self, order, payload),
      try Self.failure(Turned.self, order, payload),
    ]
    let reasons = failures.map { failure -> String in
      guard case .schema(.malformedPayload("Measured", "7", let reason))? = failure else {
        Issue.record("\(String(describing: failure)) was thrown")
        return ""
      }
      return reason
    }
    // Bytes have a place, and values that are read by name have that.
    let byName = reasons.filter { $0.hasPrefix("\(member): ") }
    #expect(byName.count == 1 && !byName[0].contains("offset"), "\(reasons)")
    #expect(reasons.filter { $0.contains("offset") }.count == 1, "\(reasons)")
  }

  private static func read(
    _ payload: [UInt8], key: Value = .int(7), into object: inout Careless
  ) throws {
    let members = try ShapeVisitor.members(of: Careless.self)
    let shape = try TypeShape(
      name: "Careless", identity: TypeIdentity(introducedIn: 0, originalName: "Careless"),
      keyMember: "id", members: members.map { MemberShape($0.name, $0.type) })
    let binding = try ModelBinding(Careless.self, shape: shape)
    try payload.withBytes { (bytes: UnsafeRawBufferPointer) throws(StoreError) in
      try binding.decode(key: key, payload: bytes, into: &object)
    }
  }

  @Test("a whole object is read")
  func whole() throws {
    var object = Careless()
    try Self.read([1, 0x61, 1, 0x62], into: &object)
    #expect([object.first, object.second] == ["a", "b"])
    #expect(object.id == 7)
  }

  @Test(
    "the first member that cannot be read is what the read throws, and no other is read",
    arguments: [
      ([1, 0xFF, 1, 0x62], BinaryDecodingError.invalidUTF8(offset: 0), "begins"),
      ([1, 0xFF, 9], .invalidUTF8(offset: 0), "begins"),
      ([1, 0x61, 9], .endOfBytes(offset: 2, needed: 9, available: 0), "a"),
      ([1, 0x61, 1, 0x62, 0], .trailingBytes(offset: 4, count: 1), "a"),
    ] as [([UInt8], BinaryDecodingError, String)])
  func firstFailure(_ payload: [UInt8], _ cause: BinaryDecodingError, _ first: String) {
    var object = Careless()
    let expected = StoreError.schema(
      .malformedPayload(type: "Careless", keyText: "7", reason: "\(cause)"))
    let error = #expect(throws: StoreError.self) { try Self.read(payload, into: &object) }
    #expect(error.map { "\($0)" } == "\(expected)")
    #expect(object.first == first)
    #expect(object.second == (payload.count == 5 ? "b" : "begins"))
  }

  @Test("a key of another type is what the read throws")
  func keyOfAnotherType() {
    var object = Careless()
    let error = #expect(throws: StoreError.self) {
      try Self.read([1, 0xFF, 9], key: .string("seven"), into: &object)
    }
    let expected = StoreError.keyTypeMismatch(type: "Careless", expected: .int64)
    #expect(error.map { "\($0)" } == "\(expected)")
  }
}
