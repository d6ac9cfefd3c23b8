import FileIO
import Foundation
import SchemaRegistry
import Testing

@testable import ObjectStore

@Suite("What a block sets is stored as the member's type writes it (R37, R38)")
struct SetSpellingTests {
  typealias Timing = VaryingValueTests.Timing

  struct Offer: EmbeddedObject {
    var price = Decimal()
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("price", &price) }
  }

  struct Priced: StorableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    static let indexes: [IndexDeclaration] = [.unique("price")]
    var id = 0
    var price = Decimal()
    var former: Decimal?
    var prices: [Decimal] = []
    var named: [String: Decimal] = [:]
    var address: URL?
    var tags: Set<String> = []
    var offer: Offer?
    init() {}
    init(id: Int, price: Decimal) { (self.id, self.price) = (id, price) }
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("price", &price)
      try visitor.member("former", &former)
      try visitor.member("prices", &prices)
      try visitor.member("named", &named)
      try visitor.member("address", &address)
      try visitor.member("tags", &tags)
      try visitor.member("offer", &offer)
    }
  }

  /// The same when the price was any text.
  struct Spelt: CodableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    static let indexes: [IndexDeclaration] = [.unique("price")]
    var id = 0
    var price = ""
  }

  struct CodedPriced: CodableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var price = Decimal()
    var former: Decimal?
    var prices: [Decimal] = []
    var named: [String: Decimal] = [:]
    var address: URL?
    var tags: Set<String> = []
  }

  @Test(
    "A text becomes the one that the type has for its value, in collections, too",
    arguments: SeedExampleTests.timings,
    [Priced.self, CodedPriced.self] as [any StorableObject.Type])
  func spelling(timing: Timing, model: any StorableObject.Type) throws {
    let address = try #require(URL(string: "http://a.b/c d"))
    for (member, given, stored) in [
      ("price", "12.50", .string("12.5")), ("price", "NaN", .string("NaN")),
      ("former", "007", .string("7")),
      ("prices", ["2.0", "1.5"], .list([.string("2"), .string("1.5")])),
      ("named", ["a": "3.10"], .dictionary(["a": .string("3.1")])),
      ("address", "http://a.b/c d", .string(address.absoluteString)),
      ("tags", ["b", "a", "b"], .list([.string("a"), .string("b")])),
    ] as [(String, any Sendable, Value)] {
      let told = try SetValueTests.set(model, timing, member) { _ in given }
      #expect(told == "\(stored)", "\(member)")
    }
  }

  @Test("Inside of embedded objects, too", arguments: SeedExampleTests.timings)
  func inside(timing: Timing) throws {
    let told = try SetValueTests.set(Priced.self, timing, "offer") { _ in ["price": "5.50"] }
    #expect(told == "\(Value.object(["price": .string("5.5")]))")
  }

  @Test(
    "R37, R38: it is found by its value, and no other object may have that",
    arguments: SeedExampleTests.timings)
  func found(timing: Timing) throws {
    let price = try #require(Decimal(string: "12.5"))
    let fileSystem = try VaryingValueTests.fill([Spelt(id: 1, price: "12.50")])
    let store = try MigrationOnceTests.open(fileSystem, [Priced.self], 1, timing) { migration, _ in
      migration.enumerateObjects(ofType: "Item") { old, new in new?["price"] = old?["price"] }
    }
    for isBuilt in [false, true] {
      if isBuilt { #expect(try store.buildIndexes().conflicts == []) }
      let cursor = try store.snapshot().objects(Priced.self, where: "price", equals: price)
      #expect(try cursor.all().map(\.id) == [1])
      #expect(throws: StoreError.notUnique(type: "Item", member: "price", keyText: "1")) {
        try store.write { try $0.put(Priced(id: 2, price: price)) }
      }
    }
    try store.close()
  }

  @Test("R32: what a block creates, too")
  func created() throws {
    let price = try #require(Decimal(string: "12.5"))
    let fileSystem = try VaryingValueTests.fill([SetValueTests.Plain(id: 1)])
    let store = try MigrationOnceTests.open(fileSystem, [Priced.self], 1) { migration, _ in
      migration.enumerateObjects(ofType: "Item") { _, new in new?["price"] = "1" }
      migration.create("Item", value: ["id": 2, "price": "12.50"])
    }
    let cursor = try store.snapshot().objects(Priced.self, where: "price", equals: price)
    #expect(try cursor.all().map(\.id) == [2])
    try store.close()
  }
}
