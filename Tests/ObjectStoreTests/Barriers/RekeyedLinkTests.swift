import FileIO
import Foundation
import ObjectStore
import Testing

/// Links that only the models know, and barriers that change what their keys mean.
@Suite struct RekeyedLinkTests {
  struct Part: StorableObject {
    static let primaryKey = "num"
    var num = 0
    var id = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("num", &num)
      try visitor.member("id", &id)
    }
  }

  struct Source: EmbeddedObject {
    var parts: [Link<Part>] = []
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("parts", &parts) }
  }

  struct Order: StorableObject {
    static let primaryKey = "id"
    var id = 0
    var part: Link<Part>?
    var source = Source()
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("part", &part)
      try visitor.member("source", &source)
    }
  }

  struct CodedSource: Codable { var parts: [Link<Part>] = [] }

  /// The same order, and its members in types that are `Codable` alone.
  struct CodedOrder: CodableObject {
    static let typeName = "Order"
    static let primaryKey = "id"
    var id = 0
    var part: Link<Part>?
    var source = CodedSource()
  }

  struct CodedBox: CodableObject {
    static let primaryKey = "id"
    struct Marked: Codable {
      var part = Link<Part>(key: 0)
      init() {}
      init(from decoder: any Decoder) throws {
        part = try decoder.singleValueContainer().decode(Link<Part>.self)
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(part)
      }
    }
    enum Kind: String, Codable, CaseIterable { case small, large }
    var id = 0
    var kind = Kind.small
    var marked = Marked()
    var sources: [CodedSource]? = []
    var named: [String: Marked] = [:]
  }

  /// Another type whose parts are gone to `Part`, or the other way round.
  struct Spare: StorableObject {
    static let primaryKey = "id"
    var id = 0
    var num = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("num", &num)
    }
  }

  static let source = FieldType.object([MemberShape("parts", .list(.int64))])

  static func base(key: FieldType = .int64) -> Base {
    Base(0) {
      Type("Part", key: "id") {
        Field("id", key)
        Field("num", .int64)
      }
      Type("Order", key: "id") {
        Field("id", .int64)
        Field("part", .optional(.int64))
        Field("source", source)
      }
    }
  }

  /// What opening says of links, line by line; nothing when it opens.
  static func refusals(
    base: Base = Self.base(), models: [any StorableObject.Type] = [Part.self, Order.self],
    _ versions: Version...
  ) throws -> [String] {
    let history = SchemaHistory(base: base, versions: versions)
    try #require(history.issues == [])
    do throws(StoreError) {
      try Store.open(
        at: "/s", models: models, history: history, configuration: .quiet,
        fileSystem: InMemoryFileSystem()
      ).close()
      return []
    } catch {
      return error.description.split(separator: "\n").map(String.init)
    }
  }

  static let rekeyed = Version(1) { Rekey("Part", to: "num") }

  @Test("R34: a Rekey of a type that a model links to is refused, and nothing is redirected")
  func redirected() throws {
    let fileSystem = InMemoryFileSystem()
    let original = SchemaHistory(base: Self.base())
    var store = try Store.open(
      at: "/s", models: [Order.self], history: original, configuration: .quiet,
      fileSystem: fileSystem)
    try store.write { transaction in
      for (id, num) in [(1, 2), (2, 1)] as [(Int64, Int64)] {
        try transaction.put(
          transaction.makeObject(ofType: "Part", ["id": .int(id), "num": .int(num)]))
      }
      try transaction.put(
        transaction.makeObject(
          ofType: "Order",
          ["id": 1, "part": 1, "source": .object(["parts": .list([2])])]))
    }
    try store.close()
    #expect(throws: StoreError.self) {
      try Store.open(
        at: "/s", models: [Part.self, Order.self],
        history: SchemaHistory(base: Self.base(), versions: [Self.rekeyed]),
        configuration: .quiet, fileSystem: fileSystem)
    }
    store = try Store.open(
      at: "/s", models: [Order.self], history: original, configuration: .quiet,
      fileSystem: fileSystem)
    #expect(try store.snapshot().object(ofType: "Part", key: 1)?["num"] == 2)
    try store.close()
  }

  @Test("R34: every link that a Rekey would redirect is named, with the operation and the remedy")
  func named() throws {
    let lines = try Self.refusals(Self.rekeyed)
    let remedy =
      "or Convert it to the new key, in this version or before; where that has shipped, in a new "
      + "one: a Convert that keeps the values says that they are new keys."
    #expect(
      lines == [
        "Members of models link to types whose keys the history changes:",
        "  v1/Part/1 (Order.part): Order.part links to Part by the key that it had before. Remove "
          + "Order.part \(remedy)",
        "  v1/Part/1 (Order.source.parts): Order.source.parts links to Part by the key that it "
          + "had before. Remove Order.source.parts \(remedy)",
      ])
  }

  @Test("R34: links of Codable types are known, at whatever depth")
  func coded() throws {
    let visited = try Self.refusals(Self.rekeyed)
    #expect(try Self.refusals(models: [Part.self, CodedOrder.self], Self.rekeyed) == visited)
    let box = Base(0) {
      Type("Part", key: "id") {
        Field("id", .int64)
        Field("num", .int64)
      }
      Type("CodedBox", key: "id") {
        Field("id", .int64)
        Field("kind", .string)
        Field("marked", .int64)
        Field("sources", .optional(.list(Self.source)))
        Field("named", .dictionary(.int64))
      }
    }
    let models: [any StorableObject.Type] = [Part.self, CodedBox.self]
    let lines = try Self.refusals(base: box, models: models, Self.rekeyed)
    let members = lines.dropFirst().compactMap { $0.split(separator: ":").first }
    #expect(
      members == ["marked", "sources.parts", "named"].map { "  v1/Part/1 (CodedBox.\($0))" })
  }

  @Test("R34: links that were made after the Rekey, or converted with it, are right")
  func converted() throws {
    let source = ValueExpression.object([ObjectPart("parts", .constant(.list([])))])
    func converting(_ number: SchemaVersion, with: Bool) -> Version {
      Version(number) {
        if with { Rekey("Part", to: "num") }
        On("Order") {
          Convert("part", to: .optional(.int64), .member("part"))
          Convert("source", to: Self.source, source)
        }
      }
    }
    #expect(try Self.refusals(converting(1, with: true)) == [])
    #expect(try Self.refusals(Self.rekeyed, converting(2, with: false)) == [])
    #expect(
      try Self.refusals(
        Self.rekeyed,
        Version(2) {
          On("Order") {
            Remove("part")
            Remove("source")
          }
        },
        Version(3) {
          On("Order") {
            Add("part", .optional(.int64))
            Add("source", Self.source, default: .object(["parts": .list([])]))
          }
        }) == [])
  }

  @Test("R34: a link is followed through other names, also inside of embedded objects")
  func followed() throws {
    let base = Base(0) {
      Type("Piece", key: "id") {
        Field("id", .int64)
        Field("num", .int64)
      }
      Type("Deal", key: "id") {
        Field("id", .int64)
        Field("piece", .int64)
        Field("origin", .object([MemberShape("old", .list(.int64)), MemberShape("x", .bool)]))
      }
    }
    let lines = try Self.refusals(
      base: base, Version(1) { Rekey("Piece", to: "num") },
      Version(2) {
        RenameType("Piece", to: "Part")
        RenameType("Deal", to: "Order")
        On("Order") {
          Rename("piece", to: "part", as: .optional(.int64))
          Rename("origin", to: "source")
          On("source") {
            Remove("x")
            Rename("old", to: "parts")
          }
        }
      })
    #expect(lines.count == 3)
    #expect(lines.dropFirst().allSatisfy { $0.contains("v1/Piece/1 (Order.") }, "\(lines)")
  }

  @Test("R34: values of another type than the old key had cannot have been links")
  func otherKeyType() throws {
    #expect(
      try Self.refusals(
        base: Self.base(key: .string),
        Version(1) {
          Rekey("Part", to: "num")
          On("Order") { Add("note", .optional(.string)) }
        },
        Version(2) {
          On("Order") { Remove("note") }
          On("Part") { Convert("id", to: .int64, .constant(0)) }
        }) == [])
  }

  @Test(
    "R34: a Move of objects that a model links to is refused, unless the links are brought along")
  func moved() throws {
    let base = Base(0) {
      Type("Part", key: "num") {
        Field("num", .int64)
        Field("id", .int64)
      }
      Type("Spare", key: "id") {
        Field("id", .int64)
        Field("num", .int64)
      }
      Type("Order", key: "id") {
        Field("id", .int64)
        Field("part", .optional(.int64))
        Field("source", Self.source)
      }
    }
    let move = Move(
      "Part", to: "Spare", defaults: ["num": 0], dropping: ["id"],
      where: .member("id").isEqual(to: 0))
    let models: [any StorableObject.Type] = [Part.self, Order.self, Spare.self]
    let lines = try Self.refusals(base: base, models: models, Version(1) { move })
    #expect(
      lines.dropFirst().first
        == "  v1/Part/1 (Order.part): Order.part links to Part, of which objects go to Spare. "
        + "Retarget, Remove or Convert Order.part, in this version or before; where that has "
        + "shipped, in a new one: a Convert that keeps the values says that none of them went.")
    #expect(lines.count == 3)
    let others: [any StorableObject.Type] = [Part.self, Spare.self]
    #expect(try Self.refusals(base: base, models: others, Version(1) { move }) == [])
  }

  @Test("R34: what another type brought along by Move or ExtractType are the links that it had")
  func brought() throws {
    let base = Base(0) {
      Type("Part", key: "id") {
        Field("id", .int64)
        Field("num", .int64)
      }
      Type("Draft", key: "id") {
        Field("id", .int64)
        Field("part", .optional(.int64))
        Field("source", Self.source)
      }
    }
    let lines = try Self.refusals(
      base: base, Self.rekeyed,
      Version(2) {
        Type("Order", key: "id") {
          Field("id", .int64)
          Field("part", .optional(.int64))
          Field("source", Self.source)
        }
        Move("Draft", to: "Order", where: .constant(true))
      },
      Version(3) { RemoveType("Draft") })
    #expect(lines.count == 3)
    struct Sheet: StorableObject {
      static let primaryKey = "key"
      var key = UUID()
      var parts: [Link<Part>] = []
      mutating func visitMembers<Visitor: MemberVisitor>(
        _ visitor: inout Visitor
      ) throws(StoreError) {
        try visitor.member("key", &key)
        try visitor.member("parts", &parts)
      }
    }
    let extracted = try Self.refusals(
      base: Self.base(), models: [Part.self, Sheet.self], Self.rekeyed,
      Version(2) { ExtractType("Sheet", key: "key", from: MemberPlace("Order", "source")) })
    #expect(extracted.count == 2)
    #expect(extracted.last?.contains("(Sheet.parts)") == true, "\(extracted)")
  }
}
