import FileIO
import Testing

@testable import ObjectStore

/// Members that code made another type, beside others that have their names, or had them.
@Suite("R19, R24: what code makes of one member is never another one's value")
struct RetypedReuseTests {
  typealias Timing = Store.Configuration.MigrationTiming

  struct Named: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["age": ["name"]]
    var id = 0
    var age: Int? = 3
    var name = "none"
  }

  struct More: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["age": ["name"]]
    var id = 0
    var age: Int? = 3
    var name = "none"
    var more = 0
  }

  struct Told: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["age": ["name"]]
    var id = 0
    var age = ""
    var name = "none"
    var more = 0
  }

  @Test(
    "What has the former name of a member by its identity stays itself when code changes the other",
    arguments: SeedExampleTests.timings)
  func reused(timing: Timing) throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 1, Named(id: 1, age: 40, name: "Ada"))
    try RenamedOntoMemberTests.put(fileSystem, 2, More(id: 2, age: 50, name: "Bo"))
    let store = try MigrationOnceTests.open(fileSystem, [Told.self], 3, timing) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        new?["age"] = "\(old?["age"] as? Int ?? 0)"
      }
    }
    #expect(
      try ChangedKeyTests.all(store, Told.self) == [
        Told(id: 1, age: "40", name: "Ada"), Told(id: 2, age: "50", name: "Bo"),
      ])
    try store.close()
  }

  struct Bare: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
  }

  struct Counted: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var count: Int? = 7
  }

  struct Worded: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var count: String? = "x"
  }

  /// Makes the number a text; for objects that never had one, too, when it `isWhole`.
  private static func wording(isWhole: Bool) -> Store.Configuration.MigrationClosure {
    { migration, version in
      migration.enumerateObjects(ofType: "Person") { old, new in
        if version > 0 {
          new?["count"] = (old?["count"] as? Int).map { "\($0)" }
        } else if isWhole {
          new?["count"] = "7"
        }
      }
    }
  }

  @Test(
    "A member that came as another type is what code makes of it in objects that never had it",
    arguments: SeedExampleTests.timings)
  func neverHad(timing: Timing) throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, Bare(id: 1))
    try RenamedOntoMemberTests.put(fileSystem, 1, Counted(id: 2, count: 8))
    #expect {
      let store = try MigrationOnceTests.open(
        fileSystem, [Worded.self], 2, timing, Self.wording(isWhole: false))
      defer { try? store.close() }
      _ = try ChangedKeyTests.all(store, Worded.self)
    } throws: { error in
      "\(error)".contains("Person.count") && "\(error)".contains("did not set it")
    }
    if timing == .onRead {
      try RenamedOntoMemberTests.put(
        fileSystem, 2, Worded(id: 3, count: "9"), Self.wording(isWhole: true))
      // Who drops the code while objects need it is told so.
      #expect {
        try MigrationOnceTests.open(fileSystem, [Worded.self], 3, timing).close()
      } throws: { error in
        if case .migrationNeeded? = error as? StoreError { true } else { false }
      }
    }
    let store = try MigrationOnceTests.open(
      fileSystem, [Worded.self], 3, timing, Self.wording(isWhole: true))
    #expect(try ChangedKeyTests.all(store, Worded.self).prefix(2).map(\.count) == ["7", "8"])
    try store.close()
  }

  @Test("The same where the version between has no objects any more, before and after a write")
  func neverHadBehindEmpty() throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, Bare(id: 1))
    let between = try MigrationOnceTests.open(fileSystem, [Counted.self], 1, .onRead)
    try between.write { try $0.put(Counted(id: 2, count: 8)) }
    try between.write { try $0.delete(Counted.self, 2) }
    try between.close()
    for key in [3, 4] {
      let store = try MigrationOnceTests.open(
        fileSystem, [Worded.self], 2, .onRead, Self.wording(isWhole: false))
      #expect {
        _ = try store.snapshot().get(Worded.self, 1)
      } throws: { error in
        "\(error)".contains("did not set it")
      }
      try store.write { try $0.put(Worded(id: key, count: "9")) }
      try store.close()
    }
  }

  struct Priced: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var price = 100
  }

  struct Amount: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["amount": ["price"]]
    var id = 0
    var amount = 100
  }

  struct Text: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["amount": ["price"]]
    var id = 0
    var amount = "1"
  }

  private static func setting(_ value: any Sendable) -> Store.Configuration.MigrationClosure {
    { migration, _ in
      migration.enumerateObjects(ofType: "Person") { _, new in new?["amount"] = value }
    }
  }

  @Test("R24: what code made another type and back is not read raw, whatever versions have objects")
  func backAgain() throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 1, Priced(id: 1, price: 250))
    var store = try MigrationOnceTests.open(fileSystem, [Amount.self], 2, .onRead)
    try store.write { try $0.put(Amount(id: 2)) }
    try store.write { try $0.delete(Amount.self, 2) }
    try store.close()
    store = try MigrationOnceTests.open(fileSystem, [Text.self], 3, .onRead, Self.setting("2"))
    try store.write { try $0.put(Text(id: 3)) }
    try store.write { try $0.delete(Text.self, 3) }
    try store.close()
    #expect {
      try MigrationOnceTests.open(fileSystem, [Amount.self], 4, .onRead) { migration, version in
        if version == 3 { try Self.setting(2)(migration, version) }
      }.close()
    } throws: { error in
      if case .migrationNeeded? = error as? StoreError { true } else { false }
    }
  }

  struct Point: Codable, Equatable { var a = 0 }
  struct Spot: Codable, Equatable {
    var a = 0
    var b = 0
  }
  struct GeoHome: Codable, Equatable {
    var street = ""
    var geo = Point()
  }
  struct SpotHome: Codable, Equatable {
    var street = ""
    var spot = Spot()
  }

  struct AtHome: CodableObject {
    static let typeName = "Owner"
    static let primaryKey = "id"
    var id = 0
    var home = GeoHome()
  }

  struct AtBoth: CodableObject {
    static let typeName = "Owner"
    static let primaryKey = "id"
    static let formerNames = ["address": ["home"]]
    var id = 0
    var address = GeoHome()
    var home = SpotHome()
  }

  struct AtPlace: CodableObject {
    static let typeName = "Owner"
    static let primaryKey = "id"
    static let formerNames = ["place": ["home"]]
    var id = 0
    var place = SpotHome()
  }

  @Test(
    "R23: an embedded object that was given up does not come back under another one's name",
    arguments: [false, true])
  func givenUp(compacts: Bool) throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, AtHome(id: 1, home: GeoHome(street: "s")))
    try RenamedOntoMemberTests.put(fileSystem, 1, AtBoth(id: 2))
    if compacts {
      let store = try MigrationOnceTests.open(fileSystem, [AtBoth.self], 1, .onRead)
      try store.compact()
      try store.close()
    }
    let store = try MigrationOnceTests.open(fileSystem, [AtPlace.self], 2, .onRead)
    #expect(try ChangedKeyTests.all(store, AtPlace.self).map(\.place.street) == ["", ""])
    try store.close()
  }

  struct Person<Age: Codable & Equatable>: Codable, Equatable {
    var street = ""
    var age: Age
  }

  struct OpenHome: CodableObject {
    static let typeName = "Owner"
    static let primaryKey = "id"
    var id = 0
    var home = Person<Int?>(age: nil)
  }

  struct FullHome: CodableObject {
    static let typeName = "Owner"
    static let primaryKey = "id"
    var id = 0
    var home = Person<Int>(age: 0)
  }

  struct FullAddress: CodableObject {
    static let typeName = "Owner"
    static let primaryKey = "id"
    static let formerNames = ["address": ["home"]]
    var id = 0
    var address = Person<Int>(age: 0)
  }

  @Test(
    "An embedded object that code narrowed is followed when it is called otherwise afterwards",
    arguments: SeedExampleTests.timings)
  func narrowed(timing: Timing) throws {
    func setting(_ member: String) -> Store.Configuration.MigrationClosure {
      { migration, _ in
        migration.enumerateObjects(ofType: "Owner") { _, new in
          new?[member] = ["street": "r", "age": 4] as [String: Any?]
        }
      }
    }
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, OpenHome(id: 1))
    try RenamedOntoMemberTests.put(fileSystem, 1, FullHome(id: 2), setting("home"))
    let store = try MigrationOnceTests.open(
      fileSystem, [FullAddress.self], 2, timing, setting("address"))
    #expect(try ChangedKeyTests.all(store, FullAddress.self).map(\.address.street) == ["r", "r"])
    try store.close()
  }

  struct OpenSpotHome: Codable, Equatable {
    var street = ""
    var geo: Point?
  }

  struct AtAddress: CodableObject {
    static let typeName = "Owner"
    static let primaryKey = "id"
    static let formerNames = ["address": ["home"]]
    var id = 0
    var address = OpenSpotHome()
    var home = ""
  }

  struct Addressed: CodableObject {
    static let typeName = "Owner"
    static let primaryKey = "id"
    var id = 0
    var address = OpenSpotHome()
  }

  struct NoHome: CodableObject {
    static let typeName = "Owner"
    static let primaryKey = "id"
    var id = 0
  }

  @Test(
    "R24: what becomes optional inside of an embedded object needs no code, and is one member",
    arguments: SeedExampleTests.timings)
  func optionalInside(timing: Timing) throws {
    // A version says what became of the stored one, though the model says it no more.
    let renamed = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(renamed, 0, AtHome(id: 1, home: GeoHome(street: "s")))
    try RenamedOntoMemberTests.put(renamed, 1, AtAddress(id: 2))
    var store = try MigrationOnceTests.open(renamed, [Addressed.self], 2, timing)
    #expect(try ChangedKeyTests.all(store, Addressed.self).map(\.address.street) == ["s", ""])
    try store.close()
    // Where no object can have it, nothing is asked.
    let added = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(added, 0, NoHome(id: 1))
    try RenamedOntoMemberTests.put(added, 1, AtHome(id: 2, home: GeoHome(street: "t")))
    store = try MigrationOnceTests.open(added, [AtAddress.self], 2, timing)
    #expect(try ChangedKeyTests.all(store, AtAddress.self).map(\.address.street) == ["", "t"])
    try store.close()
  }
}
