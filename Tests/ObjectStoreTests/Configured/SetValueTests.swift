import FileIO
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
}
