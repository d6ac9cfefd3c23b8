import BinaryCoding
import FileIO
import Foundation
import ObjectStore
import Testing

/// Each Swift type of a member, at the edges of its range, in bytes that never change.
@Suite("Members of every Swift type")
struct MemberTypeTests {
  enum Mood: String, StorableValue, CaseIterable { case calm, cross }
  enum Level: UInt8, StorableKey {
    case low = 1
    case high = 200
  }

  struct Point: EmbeddedObject, Hashable {
    var x = 0
    var label: String?
    var y = 0.0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("x", &x)
      try visitor.member("label", &label)
      try visitor.member("y", &y)
    }
  }

  struct Shape: EmbeddedObject, Hashable {
    var corners: [Point] = []
    var named: [String: Point?] = [:]
    var center: Point?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("corners", &corners)
      try visitor.member("named", &named)
      try visitor.member("center", &center)
    }
  }

  struct Owner: StorableObject {
    static let primaryKey = "code"
    var name = ""
    var code: Int32 = 0
    var best: Link<Owner>?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("name", &name)
      try visitor.member("code", &code)
      try visitor.member("best", &best)
    }
  }

  /// The bytes of a value, which must read back, from bytes and as a dynamic value.
  static func bytes<Member: StorableValue & Equatable>(_ value: Member) throws -> [UInt8] {
    var writer = ByteWriter()
    value.encode(to: &writer)
    let bytes = writer.array()
    let read = try bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      let read = try Member.decode(from: &reader)
      try reader.expectEnd()
      return read
    }
    #expect(read == value)
    #expect(Member(dynamicValue: value.dynamicValue) == value)
    #expect(value.dynamicValue.isValid(for: Member.memberType))
    return bytes
  }

  static func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + text.utf8 }

  @Test("Integers of every width are stored as zigzag numbers")
  func integers() throws {
    #expect(try Self.bytes(Int8.min) == [0xFF, 0x01])
    #expect(try Self.bytes(Int8.max) == [0xFE, 0x01])
    #expect(try Self.bytes(Int16.min) == [0xFF, 0xFF, 0x03])
    #expect(try Self.bytes(UInt8.max) == [0xFE, 0x03])
    #expect(try Self.bytes(UInt16.max) == [0xFE, 0xFF, 0x07])
    #expect(try Self.bytes(UInt32.max) == [0xFE, 0xFF, 0xFF, 0xFF, 0x1F])
    #expect(try Self.bytes(UInt64(1)) == [0x02])
    #expect(try Self.bytes(UInt64.max) == [0x01])
    #expect(try Self.bytes(UInt.max) == [0x01])
    #expect(try Self.bytes(UInt64(1) << 63) == [UInt8](repeating: 0xFF, count: 9) + [0x01])
    #expect(Int8.memberType == .int32 && UInt16.memberType == .int32)
    #expect(UInt32.memberType == .int64 && UInt64.memberType == .int64)
  }

  @Test("A number that does not fit the type is an error, not another number")
  func outOfRange() throws {
    #expect(throws: BinaryDecodingError.self) { try Self.read(Int8.self, [0x80, 0x02]) }
    #expect(throws: BinaryDecodingError.self) { try Self.read(UInt8.self, [0x01]) }
    #expect(throws: BinaryDecodingError.self) { try Self.read(UInt32.self, [0x01]) }
    #expect(UInt8(dynamicValue: .int(-1)) == nil)
  }

  static func read<Member: StorableValue>(_ type: Member.Type, _ bytes: [UInt8]) throws -> Member {
    try bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      return try Member.decode(from: &reader)
    }
  }

  @Test(
    "Decimal numbers are stored as their shortest text",
    arguments: [
      ("0", "0"), ("-0", "0"), ("1.50", "1.5"), ("100", "100"), ("-12.5", "-12.5"), ("3.0", "3"),
      ("0.00000000000000000000000000000000000001", "0.00000000000000000000000000000000000001"),
      (
        "99999999999999999999999999999999999999", "99999999999999999999999999999999999999"
      ),
    ])
  func decimals(written: String, stored: String) throws {
    let number = try #require(Decimal(string: written))
    #expect(try Self.bytes(number) == Self.text(stored))
  }

  @Test("Extreme decimal numbers read back, and other text is refused")
  func extremeDecimals() throws {
    _ = try Self.bytes(Decimal.greatestFiniteMagnitude)
    _ = try Self.bytes(Decimal.leastFiniteMagnitude)
    _ = try Self.bytes(Decimal.leastNonzeroMagnitude)
    #expect(try Self.read(Decimal.self, Self.text("NaN")).isNaN)
    for text in ["", "x", "1x", "--1", "1 ", ".", "-", "1.2.3", "1..2", "5.", "1.299.00"] {
      #expect(throws: BinaryDecodingError.self, "\(text)") {
        try Self.read(Decimal.self, Self.text(text))
      }
    }
  }

  @Test("URLs are stored as their absolute text")
  func urls() throws {
    for text in ["https://example.com/a?b=c#d", "file:///tmp/a%20b", "mailto:a@example.com"] {
      #expect(try Self.bytes(try #require(URL(string: text))) == Self.text(text))
    }
    // Of a text Foundation makes none without parts.
    let empty = try #require(URLComponents().url)
    #expect(try Self.bytes(empty) == Self.text(""))
    #expect(try Self.read(URL.self, Self.text("")) == empty)
    #expect(URL(dynamicValue: .string("")) == empty)
  }

  @Test("Equal sets have equal bytes, and lists are read as sets")
  func sets() throws {
    #expect(try Self.bytes(Set(["b", "a", ""])) == [3, 0, 1, 0x61, 1, 0x62])
    #expect(try Self.bytes(Set<Int?>([nil, 1])) == [2, 0, 1, 2])
    #expect(try Self.read(Set<Int>.self, [3, 2, 4, 2]) == [1, 2])
    #expect(Set<String>.memberType == .list(.string))
  }

  @Test("Enumerations are stored as their raw values")
  func enumerations() throws {
    #expect(try Self.bytes(Mood.cross) == Self.text("cross"))
    #expect(try Self.bytes(Level.high) == [0x90, 0x03])
    #expect(try Self.bytes([Mood.calm]) == [1] + Self.text("calm"))
    #expect(throws: BinaryDecodingError.self) { try Self.read(Mood.self, Self.text("merry")) }
    #expect(Mood(dynamicValue: .string("merry")) == nil)
  }

  @Test("Embedded objects are presence bits and values, at any depth")
  func embedded() throws {
    let point = Point(x: 1, label: "a", y: 2)
    let bare = Point(x: -1, label: nil, y: 0)
    #expect(
      try Self.bytes(point) == [0x01, 0x02, 0x01, 0x61, 0, 0, 0, 0, 0, 0, 0, 0x40])
    #expect(try Self.bytes(bare) == [0x00, 0x01, 0, 0, 0, 0, 0, 0, 0, 0])
    let shape = Shape(corners: [point, bare], named: ["a": nil, "b": bare], center: point)
    let same = try SchemaEncoding.payload(of: shape.dynamicValue, as: Shape.memberType)
    #expect(try Self.bytes(shape) == same)
    #expect(
      Shape.memberType.description
        == "(corners: [(x: int64, label: string?, y: double)], "
        + "named: {string: (x: int64, label: string?, y: double)?}, "
        + "center: (x: int64, label: string?, y: double)?)")
    for length in 0..<same.count {
      #expect(throws: BinaryDecodingError.self) {
        try Self.read(Shape.self, Array(same.prefix(length)))
      }
    }
  }

  @Test("Links are the keys of what they mean, also in circles")
  func links() throws {
    let link = Link<Owner>(key: Int32(-3))
    #expect(try Self.bytes(link) == [0x05])
    #expect(Link<Owner>.memberType == .int32)
    #expect(try Self.bytes([link, link]) == [2, 5, 5])
    #expect(Link(to: Owner(name: "a", code: -3)) == link)
    #expect(Link<Owner>(dynamicValue: .string("a")) == nil)
    #expect(Link<Owner>(dynamicValue: .int(1 << 40)) == nil)
  }

  @Test("Members of an embedded object that lie in another order are read by name")
  func otherOrder() throws {
    struct Holder: StorableObject {
      static let primaryKey = "id"
      var id = 0
      var point = Point()
      mutating func visitMembers<Visitor: MemberVisitor>(
        _ visitor: inout Visitor
      ) throws(StoreError) {
        try visitor.member("id", &id)
        try visitor.member("point", &point)
      }
    }
    let history = SchemaHistory {
      Base(0) {
        Type("Holder", key: "id") {
          Field("id", .int64)
          Field(
            "point",
            .object([
              MemberShape("y", .double), MemberShape("label", .optional(.string)),
              MemberShape("x", .int64),
            ]))
        }
      }
    }
    let fileSystem = InMemoryFileSystem()
    let tool = try Store.open(
      at: "/store", history: history, configuration: .quiet, fileSystem: fileSystem)
    try tool.write { transaction in
      try transaction.put(
        transaction.makeObject(
          ofType: "Holder",
          ["id": 1, "point": .object(["y": .double(2), "label": "a", "x": 7])]))
    }
    try tool.close()
    let store = try Store.open(
      at: "/store", models: [Holder.self], history: history, configuration: .quiet,
      fileSystem: fileSystem)
    let found = try #require(try store.snapshot().get(Holder.self, 1))
    #expect(found.point == Point(x: 7, label: "a", y: 2))
    try store.write { try $0.put(Holder(id: 2, point: found.point)) }
    #expect(try store.snapshot().get(Holder.self, 2)?.point == found.point)
    try store.close()
  }
}
