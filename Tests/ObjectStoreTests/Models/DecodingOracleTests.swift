import BinaryCoding
import Foundation
import StorageTestSupport
import Testing

@testable import ObjectStore
@testable import SchemaRegistry

/// Reading a payload straight into an object, against reading it by the names of its members.
@Suite struct DecodingOracleTests {
  struct Place: EmbeddedObject, Equatable {
    var street = ""
    var floor: Int?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("street", &street)
      try visitor.member("floor", &floor)
    }
  }

  enum Mood: String, StorableValue { case calm, cross }

  /// A model whose members, and their order, are those that the test says.
  struct Anything: StorableObject {
    @TaskLocal static var visited = [0]
    static let memberCount = 22
    static let primaryKey = "id"
    var id = 0
    var flag = false
    var small = Int32(0)
    var large = Int64(0)
    var single = Float(0)
    var double = 0.0
    var text = ""
    var bytes = Data()
    var date = Date()
    var other = UUID()
    var tiny = UInt8(0)
    var mood = Mood.calm
    var place = Place()
    var maybeFlag: Bool?
    var maybeNumber: Int?
    var maybeDouble: Double?
    var maybeText: String?
    var maybeDate: Date?
    var maybePlace: Place?
    var list: [String] = []
    var gaps: [Int?] = []
    var places: [Place] = []

    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      for member in Self.visited { try visit(member, &visitor) }
    }

    private mutating func visit<Visitor: MemberVisitor>(
      _ member: Int, _ visitor: inout Visitor
    ) throws(StoreError) {
      switch member {
      case 0: try visitor.member("id", &id)
      case 1: try visitor.member("flag", &flag)
      case 2: try visitor.member("small", &small)
      case 3: try visitor.member("large", &large)
      case 4: try visitor.member("single", &single)
      case 5: try visitor.member("double", &double)
      case 6: try visitor.member("text", &text)
      case 7: try visitor.member("bytes", &bytes)
      case 8: try visitor.member("date", &date)
      case 9: try visitor.member("other", &other)
      case 10: try visitor.member("tiny", &tiny)
      case 11: try visitor.member("mood", &mood)
      case 12: try visitor.member("place", &place)
      case 13: try visitor.member("maybeFlag", &maybeFlag)
      case 14: try visitor.member("maybeNumber", &maybeNumber)
      case 15: try visitor.member("maybeDouble", &maybeDouble)
      case 16: try visitor.member("maybeText", &maybeText)
      case 17: try visitor.member("maybeDate", &maybeDate)
      case 18: try visitor.member("maybePlace", &maybePlace)
      case 19: try visitor.member("list", &list)
      case 20: try visitor.member("gaps", &gaps)
      default: try visitor.member("places", &places)
      }
    }
  }

  @Test(
    "a payload read straight into an object, whole or damaged, is what its members are by name",
    arguments: 0..<40 as Range<UInt64>)
  func readsAsByName(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let others = (1..<Anything.memberCount).shuffled(using: &random)
    let chosen = others.prefix(Int.random(in: 0..<Anything.memberCount, using: &random))
    try Anything.$visited.withValue((chosen + [0]).shuffled(using: &random)) {
      let members = try ShapeVisitor.members(of: Anything.self)
      let shape = try TypeShape(
        name: "Anything", identity: TypeIdentity(introducedIn: 0, originalName: "Anything"),
        keyMember: "id", members: members.map { MemberShape($0.name, $0.type) })
      let binding = try ModelBinding(Anything.self, shape: shape)
      try #require(binding.isInOrder)
      for _ in 0..<10 {
        let values = shape.members.map { Self.value($0.type, of: $0.name, &random) }
        let key = values[shape.keyIndex]
        let payload = try RecordPayload.encode(values, shape: shape)
        let whole = Self.read(payload, key, binding, byName: false)
        try check(whole == payload, "seed \(seed): \(values) came back as \(whole ?? [])")
        for _ in 0..<20 {
          let damaged = Self.damaged(payload, &random)
          let key = Int.random(in: 0..<50, using: &random) == 0 ? .string("other") : key
          let straight = Self.read(damaged, key, binding, byName: false)
          let byName = Self.read(damaged, key, binding, byName: true)
          try check(straight == byName, "seed \(seed), \(shape): \(damaged)")
        }
      }
    }
  }

  @Test(
    "A dictionary whose keys are not in order is refused, as by who reads values",
    arguments: [
      ["a", "b"], ["b", "a"], ["a", "a"], ["\u{E9}", "e\u{301}"], ["e\u{301}", "\u{E9}"],
    ])
  func dictionaryOrder(_ keys: [String]) throws {
    var writer = ByteWriter()
    PayloadPrimitives.writeCount(keys.count, to: &writer)
    for key in keys {
      PayloadPrimitives.writeString(key, to: &writer)
      PayloadPrimitives.writeInt64(1, to: &writer)
    }
    let bytes = writer.array()
    func failure(_ read: (inout ByteReader) throws -> Void) -> String? {
      bytes.withUnsafeBytes { bytes in
        var reader = ByteReader(bytes)
        do { try read(&reader) } catch { return "\(error)" }
        return nil
      }
    }
    let typed = failure { _ = try [String: Int64].decode(from: &$0) }
    let untyped = failure { _ = try ValueCoding.read(.dictionary(.int64), from: &$0) }
    #expect(typed == untyped)
    #expect((typed == nil) == (keys == ["a", "b"]))
  }

  /// The object as bytes again; nothing where it cannot be read.
  private static func read(
    _ payload: [UInt8], _ key: Value, _ binding: ModelBinding, byName: Bool
  ) -> [UInt8]? {
    try? payload.withBytes { (bytes: UnsafeRawBufferPointer) throws(StoreError) in
      var object = Anything()
      if byName {
        try binding.decodeByName(key: key, payload: bytes, into: &object)
      } else {
        try binding.decode(key: key, payload: bytes, into: &object)
      }
      return try binding.encode(object).payload
    }
  }

  private static func damaged(
    _ payload: [UInt8], _ random: inout SeededGenerator
  ) -> [UInt8] {
    var bytes = payload
    switch Int.random(in: 0..<4, using: &random) {
    case 0: bytes = bytes.dropLast(Int.random(in: 1...4, using: &random))
    case 1: bytes += random.bytes(Int.random(in: 1...4, using: &random))
    default:
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        guard let place = bytes.indices.randomElement(using: &random) else { break }
        bytes[place] = random.bytes(1)[0]
      }
    }
    return bytes
  }

  private static func value(
    _ type: FieldType, of member: String, _ random: inout SeededGenerator
  ) -> Value {
    let count = Int.random(in: 0...18, using: &random)
    switch type {
    case .bool: return .bool(.random(using: &random))
    case .int32: return .int(.random(in: 0...200, using: &random))
    case .int64: return .int(Int64(bitPattern: random.next() >> UInt64(3 * count)))
    case .float: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: random.next())))
    case .double: return .double(Double(bitPattern: random.next()))
    case .date: return .date(Double(bitPattern: random.next()))
    case .uuid: return .uuid(UniqueIdentifier(high: random.next(), low: random.next()))
    case .data: return .data(random.bytes(count))
    case .string where member == "mood": return .string(count < 9 ? "calm" : "cross")
    case .string:
      let letters = Array(count.isMultiple(of: 2) ? "abc" : "aäb緑c🟢")
      return .string(String((0..<count).compactMap { _ in letters.randomElement(using: &random) }))
    case .optional(let wrapped):
      return count < 5 ? .null : value(wrapped, of: member, &random)
    case .list(let element):
      return .list((0..<count % 5).map { _ in value(element, of: member, &random) })
    case .dictionary: return .dictionary([:])
    case .object(let members):
      var values: [String: Value] = [:]
      for inner in members { values[inner.name] = value(inner.type, of: inner.name, &random) }
      return .object(values)
    }
  }
}
