import FileIO
import Foundation
import Testing

@testable import ObjectStore

@Suite("What a block sets arrives as it was, or is refused")
struct SetValueTests {
  struct Numbers: CodableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var big = 0
    var wide = 0.0
  }

  struct Narrow: CodableObject, Equatable {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var big = 0.0
    var wide: Float = 0
  }

  /// The object after its numbers were handed over, or the error.
  static func handOver(_ timing: VaryingValueTests.Timing, _ big: Int, _ wide: Double) throws
    -> Result<Narrow?, any Error>
  {
    let fileSystem = try VaryingValueTests.fill([Numbers(id: 1, big: big, wide: wide)])
    return Result {
      let store = try MigrationOnceTests.open(fileSystem, [Narrow.self], 1, timing) {
        migration, _ in
        migration.enumerateObjects(ofType: "Item") { old, new in
          new?["big"] = old?["big"]
          new?["wide"] = old?["wide"]
        }
      }
      defer { try? store.close() }
      return try store.snapshot().get(Narrow.self, 1)
    }
  }

  @Test(
    "A number that the member cannot hold is refused; digits of a fraction may go",
    arguments: SeedExampleTests.timings)
  func numbers(timing: VaryingValueTests.Timing) throws {
    #expect(
      try Self.handOver(timing, 1 << 53, 0.1).get() == Narrow(id: 1, big: 0x1p53, wide: 0.1))
    #expect(try Self.handOver(timing, -3, .infinity).get()?.wide == .infinity)
    #expect(try Self.handOver(timing, 0, .nan).get()?.wide.isNaN == true)
    for (big, wide, name) in [(1 << 53 + 1, 0, "big"), (0, 1e300, "wide"), (0, -1e300, "wide")]
      as [(Int, Double, String)]
    {
      guard case .failure(let error) = try Self.handOver(timing, big, wide) else {
        Issue.record("\(big), \(wide)")
        continue
      }
      #expect("\(error)".contains("Item.\(name) is"))
      #expect("\(error)".contains("or to a number that it cannot hold exactly"))
    }
  }

  struct Home: EmbeddedObject, Equatable {
    var street = ""
    var zip: Int?
    init() {}
    init(street: String, zip: Int? = nil) { (self.street, self.zip) = (street, zip) }
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("street", &street)
      try visitor.member("zip", &zip)
    }
  }

  struct Housed: StorableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var home: Home?
    init() {}
    init(id: Int, home: Home?) { (self.id, self.home) = (id, home) }
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("home", &home)
    }
  }

  struct Flat: CodableObject, Equatable {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var zip: Int? = 1
  }

  @Test(
    "Nil that was taken out of an embedded object is nil", arguments: SeedExampleTests.timings)
  func nilInside(timing: VaryingValueTests.Timing) throws {
    let fileSystem = try VaryingValueTests.fill([
      Housed(id: 1, home: Home(street: "s", zip: 4)), Housed(id: 2, home: Home(street: "s")),
      Housed(id: 3, home: nil),
    ])
    let store = try MigrationOnceTests.open(fileSystem, [Flat.self], 1, timing) { migration, _ in
      migration.enumerateObjects(ofType: "Item") { old, new in
        let home = old?["home"] as? [String: Any]
        new?["zip"] = home?["zip"]
      }
    }
    #expect(try ChangedKeyTests.all(store, Flat.self).map(\.zip) == [4, nil, nil])
    try store.close()
  }

  struct Plain: CodableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    struct Home: Codable { var zip = 8000 }
    var id = 0
    var number = 0
    var text = ""
    var home = Home()
    var homes = [Home()]
    var counts = ["a": 1]
    var marks: [Int?] = [1, nil]
  }

  struct Held: StorableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var small: Int8 = 0
    var wide: UInt64 = 0
    var maybe: UInt?
    var address: URL?
    var told = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("small", &small)
      try visitor.member("wide", &wide)
      try visitor.member("maybe", &maybe)
      try visitor.member("address", &address)
      try visitor.member("told", &told)
    }
  }

  struct CodedHeld: CodableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var small: Int8 = 0
    var wide: UInt64 = 0
    var maybe: UInt?
    var address: URL?
    var told = ""
  }

  /// What a step gives for an object of which a block sets one member; the first error otherwise.
  static func set(
    _ model: any StorableObject.Type, _ timing: VaryingValueTests.Timing, _ member: String,
    _ value: @escaping @Sendable (MigrationObject) -> Any?
  ) throws -> String {
    let fileSystem = try VaryingValueTests.fill([Plain(id: 1, number: -5, text: "http://a b")])
    do {
      let store = try MigrationOnceTests.open(fileSystem, [model], 1, timing) { migration, _ in
        migration.enumerateObjects(ofType: "Item") { old, new in
          if let old { new?[member] = value(old) }
        }
      }
      defer { try? store.close() }
      let found = try #require(try store.snapshot().object(ofType: "Item", key: 1))
      return found[member].map { "\($0)" } ?? "nil"
    } catch { return "\(error)" }
  }

  @Test(
    "A value that the Swift type of the member cannot hold is refused, and nothing is changed",
    arguments: SeedExampleTests.timings,
    [Held.self, CodedHeld.self] as [any StorableObject.Type])
  func held(timing: VaryingValueTests.Timing, model: any StorableObject.Type) throws {
    for (member, type, value) in [
      ("small", "Int8", 300), ("address", "URL", "http://["),
    ] as [(String, String, any Sendable)] {
      let told = try Self.set(model, timing, member) { _ in value }
      #expect(told.contains("Item.\(member) is "), "\(told)")
      #expect(told.contains(type) && told.contains("cannot hold what it was set to"), "\(told)")
    }
    #expect(try Self.set(model, timing, "wide") { _ in UInt64.max } == "int(-1)")
    // As a block sees it where it was stored.
    #expect(try Self.set(model, timing, "wide") { _ in -1 } == "int(-1)")
    #expect(try Self.set(model, timing, "maybe") { _ in Int64.min } == "int(\(Int64.min))")
    #expect(try Self.set(model, timing, "small") { _ in -128 } == "int(-128)")
    #expect(try Self.set(model, timing, "maybe") { _ in nil as Int? } == "null")
    #expect(
      try Self.set(model, timing, "address") { _ in "http://a.b" } == "string(\"http://a.b\")")
  }

  struct Place: EmbeddedObject {
    var street = ""
    var zip: Int8?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("street", &street)
      try visitor.member("zip", &zip)
    }
  }

  struct Placed: StorableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var place = Place()
    var places: [Place]?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("place", &place)
      try visitor.member("places", &places)
    }
  }

  @Test(
    "Optional members of embedded objects may be left out, and others have to fit",
    arguments: SeedExampleTests.timings)
  func embedded(timing: VaryingValueTests.Timing) throws {
    let left = try Self.set(Placed.self, timing, "place") { _ in ["street": "a"] }
    #expect(left.hasPrefix("object("), "\(left)")
    let inside = try Self.set(Placed.self, timing, "places") { _ in [["street": "a"]] }
    #expect(inside.hasPrefix("list("), "\(inside)")
    let wide = try Self.set(Placed.self, timing, "place") { _ in ["street": "a", "zip": 300] }
    #expect(wide.contains("Item.place is Place, which cannot hold"), "\(wide)")
  }

  @Test(
    "Inside of lists, dictionaries and objects values are told as they are",
    arguments: SeedExampleTests.timings)
  func told(timing: VaryingValueTests.Timing) throws {
    let told = try Self.set(Held.self, timing, "told") { old in
      let home = old["home"] as? [String: Any] ?? [:]
      let homes = old["homes"] as? [[String: Any]] ?? []
      let counts = old["counts"] as? [String: Any] ?? [:]
      let marks = old["marks"] as? [Any] ?? []
      let typed = (old["counts"] as? [String: Int], old["marks"] as? [Int?])
      guard typed.0 == ["a": 1], typed.1 == [1, nil] else { return "casts" }
      return "\(home["zip"]!) \(homes[0]["zip"]!) \(counts["a"]!) \(marks[0])"
    }
    #expect(told == "string(\"8000 8000 1 1\")")
  }
}
