import BinaryCoding
import FileIO
import SchemaRegistry
import Testing

@testable import ObjectStore

@Suite("A number that a block sets is the one that was given, or is refused")
struct SetNumberTests {
  typealias Timing = VaryingValueTests.Timing

  /// The first number that no signed integer of 64 bits is.
  static let half: UInt64 = 1 << 63

  struct Counted: StorableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var count = 0
    var small: Int32?
    var wide: UInt64 = 0
    var ratio = 0.0
    var thin: Float = 0
    var ratios: [Double] = []
    var wides: [UInt64] = []
    var numbers: [String: Int] = [:]
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("count", &count)
      try visitor.member("small", &small)
      try visitor.member("wide", &wide)
      try visitor.member("ratio", &ratio)
      try visitor.member("thin", &thin)
      try visitor.member("ratios", &ratios)
      try visitor.member("wides", &wides)
      try visitor.member("numbers", &numbers)
    }
  }

  struct CodedCounted: CodableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var count = 0
    var small: Int32?
    var wide: UInt64 = 0
    var ratio = 0.0
    var thin: Float = 0
    var ratios: [Double] = []
    var wides: [UInt64] = []
    var numbers: [String: Int] = [:]
  }

  static let models = [Counted.self, CodedCounted.self] as [any StorableObject.Type]

  @Test(
    "One from 2^63 on stays it where the member can hold it",
    arguments: SeedExampleTests.timings, models)
  func unsigned(timing: Timing, model: any StorableObject.Type) throws {
    for (member, given, stored) in [
      ("wide", UInt64.max, .int(-1)), ("wide", UInt.max, .int(-1)),
      ("ratio", Self.half, .double(0x1p63)), ("thin", Self.half, .float(0x1p63)),
      ("ratios", [Self.half, 1], .list([.double(0x1p63), .double(1)])),
      ("ratios", [Self.half] as Set<UInt64>, .list([.double(0x1p63)])),
      ("wides", [UInt64.max, 1], .list([.int(-1), .int(1)])),
      ("count", UInt64(1), .int(1)), ("ratio", -1, .double(-1)),
    ] as [(String, any Sendable, Value)] {
      let told = try SetValueTests.set(model, timing, member) { _ in given }
      #expect(told == "\(stored)", "\(member)")
    }
  }

  @Test(
    "One from 2^63 on is refused where the member cannot, and is no negative one",
    arguments: SeedExampleTests.timings, models)
  func refused(timing: Timing, model: any StorableObject.Type) throws {
    for (member, given) in [
      ("count", UInt64.max), ("count", UInt.max), ("count", Self.half), ("small", UInt64.max),
      ("ratio", UInt64.max), ("thin", UInt64.max), ("ratios", [UInt64.max]),
      ("numbers", ["a": UInt64.max]),
    ] as [(String, any Sendable)] {
      let told = try SetValueTests.set(model, timing, member) { _ in given }
      #expect(told.contains("Item.\(member) is "), "\(told)")
      #expect(told.contains("or to a number that it cannot hold exactly"), "\(told)")
    }
  }

  struct Flags: RawRepresentable, StorableValue {
    let rawValue: UInt64
  }

  struct Place: EmbeddedObject {
    var hash: UInt64 = 0
    var count: Int?
    init() {}
    init(hash: UInt64) { self.hash = hash }
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("hash", &hash)
      try visitor.member("count", &count)
    }
  }

  struct Placed: StorableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var count = 0
    var flags = Flags(rawValue: 0)
    var place = Place()
    var places: [String: Place] = [:]
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("count", &count)
      try visitor.member("flags", &flags)
      try visitor.member("place", &place)
      try visitor.member("places", &places)
    }
  }

  private static let wide: [String: UInt64] = ["hash": 1, "count": .max]

  @Test(
    "So it is with raw values, and inside of embedded objects", arguments: SeedExampleTests.timings)
  func inside(timing: Timing) throws {
    for (member, given) in [
      ("flags", UInt64.max), ("flags", Flags(rawValue: .max)), ("place", ["hash": UInt64.max]),
      ("place", Place(hash: .max)), ("places", ["a": ["hash": UInt64.max]]),
      ("places", ["a": Place(hash: .max)]),
    ] as [(String, any Sendable)] {
      let told = try SetValueTests.set(Placed.self, timing, member) { _ in given }
      #expect(told.contains("int(-1)"), "\(told)")
    }
    for (member, given) in [
      ("count", Flags(rawValue: .max)), ("place", Self.wide), ("places", ["a": Self.wide]),
    ] as [(String, any Sendable)] {
      let told = try SetValueTests.set(Placed.self, timing, member) { _ in given }
      #expect(told.contains("or to a number that it cannot hold exactly"), "\(told)")
    }
  }

  /// What a `Codable` type holds that is no storable value.
  struct Mark: Codable, Equatable {
    var hash: UInt64 = 0
    var count = 0
  }

  struct Marked: CodableObject, Equatable {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var mark = Mark()
    var several: [Mark] = []
    var maybe: Mark?
    @CodableWrapperTests.Plain var hash: UInt64 = 0
    @CodableWrapperTests.Plain var count: Int = 0
  }

  private static let hashed: [String: UInt64] = ["hash": .max, "count": 1]

  @Test(
    "So it is in and inside of types that are only Codable", arguments: SeedExampleTests.timings)
  func coded(timing: Timing) throws {
    let fileSystem = try VaryingValueTests.fill([SetValueTests.Plain(id: 1)])
    let store = try MigrationOnceTests.open(fileSystem, [Marked.self], 1, timing) { migration, _ in
      migration.enumerateObjects(ofType: "Item") { _, new in
        new?["mark"] = Self.hashed
        new?["several"] = [Self.hashed]
        new?["maybe"] = Self.hashed
        new?["hash"] = UInt64.max
        new?["count"] = -1
      }
    }
    let found = try #require(try store.snapshot().get(Marked.self, 1))
    let mark = Mark(hash: .max, count: 1)
    #expect(
      found == Marked(id: 1, mark: mark, several: [mark], maybe: mark, hash: .max, count: -1))
    try store.close()
    for (member, given) in [
      ("count", UInt64.max), ("mark", Self.wide), ("several", [Self.wide]), ("maybe", Self.wide),
    ] as [(String, any Sendable)] {
      let told = try SetValueTests.set(Marked.self, timing, member) { _ in given }
      #expect(told.contains("or to a number that it cannot hold exactly"), "\(told)")
    }
  }

  /// Does not tell what the integers mean that it is stored as.
  struct Own: StorableValue {
    static let memberType = FieldType.int64
    var bits: UInt64 = 0
    var dynamicValue: Value { bits.dynamicValue }
    init() {}
    init?(dynamicValue: Value) {
      guard let bits = UInt64(dynamicValue: dynamicValue) else { return nil }
      self.bits = bits
    }
    func encode(to writer: inout ByteWriter) { bits.encode(to: &writer) }
    static func decode(from reader: inout ByteReader) throws(BinaryDecodingError) -> Own {
      var own = Own()
      own.bits = try UInt64.decode(from: &reader)
      return own
    }
  }

  struct Owning: StorableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var own = Own()
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("own", &own)
    }
  }

  @Test(
    "Where nobody knows what the integers mean, its bits are stored",
    arguments: SeedExampleTests.timings)
  func unknown(timing: Timing) throws {
    #expect(try SetValueTests.set(Owning.self, timing, "own") { _ in UInt64.max } == "int(-1)")
    // As for types without a model.
    #expect(Value(swiftValue: UInt64.max, for: .int64) == .int(-1))
    #expect(Value(swiftValue: UInt64.max, for: .int64, of: { .signed }) == nil)
    #expect(Value(swiftValue: UInt64.max, for: .int32) == nil)
  }

  struct Size: EmbeddedObject {
    var width = 0.0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("width", &width) }
  }

  struct Sized: StorableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var ratios: [String: Double] = [:]
    var size = Size()
    var sizes: [String: Size] = [:]
    var parts: [Size] = []
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("ratios", &ratios)
      try visitor.member("size", &size)
      try visitor.member("sizes", &sizes)
      try visitor.member("parts", &parts)
    }
  }

  @Test(
    "Integers become numbers with a point inside of dictionaries and objects as in lists",
    arguments: SeedExampleTests.timings)
  func integers(timing: Timing) throws {
    let size = Value.object(["width": .double(2)])
    for (member, given, stored) in [
      ("ratios", ["a": 1], .dictionary(["a": .double(1)])), ("size", ["width": 2], size),
      ("sizes", ["a": ["width": 2]], .dictionary(["a": size])),
      ("parts", [["width": 2]], .list([size])),
    ] as [(String, any Sendable, Value)] {
      let told = try SetValueTests.set(Sized.self, timing, member) { _ in given }
      #expect(told == "\(stored)", "\(member)")
    }
    let lost = try SetValueTests.set(Sized.self, timing, "size") { _ in ["width": (1 << 53) + 1] }
    #expect(lost.contains("or to a number that it cannot hold exactly"), "\(lost)")
    let other = try SetValueTests.set(Sized.self, timing, "size") { _ in ["length": 2] }
    #expect(other.contains("was set to a value of another type"), "\(other)")
  }

  struct Linked: StorableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var next: Link<Linked> = .placeholder
    var maybe: Link<Linked>?
    var several: [Link<Linked>] = []
    var named: [String: Link<Linked>] = [:]
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("next", &next)
      try visitor.member("maybe", &maybe)
      try visitor.member("several", &several)
      try visitor.member("named", &named)
    }
  }

  struct CodedLinked: CodableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var next: Link<CodedLinked> = .placeholder
    var maybe: Link<CodedLinked>?
    var several: [Link<CodedLinked>] = []
    var named: [String: Link<CodedLinked>] = [:]
  }

  @Test(
    "One from 2^63 on is no link to a negative key",
    arguments: SeedExampleTests.timings,
    [Linked.self, CodedLinked.self] as [any StorableObject.Type])
  func links(timing: Timing, model: any StorableObject.Type) throws {
    for (member, given) in [
      ("next", UInt64.max), ("next", UInt.max), ("maybe", Self.half), ("several", [UInt64.max]),
      ("named", ["a": UInt64.max]),
    ] as [(String, any Sendable)] {
      let told = try SetValueTests.set(model, timing, member) { _ in given }
      #expect(told.contains("Item.\(member) is "), "\(told)")
      #expect(told.contains("or to a number that it cannot hold exactly"), "\(told)")
    }
    for (member, given, stored) in [
      ("next", -1, .int(-1)), ("next", UInt64(7), .int(7)),
      ("next", Link<Linked>(key: -1), .int(-1)), ("maybe", Int64.min, .int(.min)),
      ("several", [-1], .list([.int(-1)])), ("named", ["a": -1], .dictionary(["a": .int(-1)])),
    ] as [(String, any Sendable, Value)] {
      let told = try SetValueTests.set(model, timing, member) { _ in given }
      #expect(told == "\(stored)", "\(member)")
    }
  }
}
