import FileIO
import Testing

@testable import ObjectStore

/// Members that got another name in one version and, by code, another type in another one.
@Suite("R19, R24: renames and changes of type, one after another, ask for code and lose nothing")
struct RetypedRenameTests {
  typealias Timing = Store.Configuration.MigrationTiming
  typealias Named = ReusedNameTests.Named
  typealias Full = ReusedNameTests.Full
  typealias Numbered = ReusedNameTests.Numbered

  struct FullNumber: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["fullName": ["name"]]
    var id = 0
    var fullName = 0
  }

  struct Label: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["label": ["fullName", "name"]]
    var id = 0
    var label = 0
  }

  struct Measured: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var name = 0.0
  }

  struct Length: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["length": ["name"]]
    var id = 0
    var length = 0.0
  }

  /// Code that makes a member, which old objects have, too, a number.
  static func counting(_ member: String) -> Store.Configuration.MigrationClosure {
    { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        let count = "\(old?[member] ?? "")".count
        new?[member] = new?[member] is Double ? Double(count) as Any : count
      }
    }
  }

  @Test("A member that was renamed, and became another type", arguments: SeedExampleTests.timings)
  func renamedFirst(timing: Timing) throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, Named(id: 1, name: "Ada"))
    try RenamedOntoMemberTests.put(fileSystem, 1, Full(id: 2, fullName: "Bo"))
    #expect(throws: StoreError.self) {
      try MigrationOnceTests.open(fileSystem, [FullNumber.self], 2, timing).close()
    }
    try RenamedOntoMemberTests.put(
      fileSystem, 2, FullNumber(id: 3, fullName: 9), Self.counting("fullName"))
    // Whoever drops the code while objects need it is told so, whatever the member is called.
    for model in [FullNumber.self, Label.self] as [any StorableObject.Type] {
      #expect {
        try MigrationOnceTests.open(fileSystem, [model], 3, timing).close()
      } throws: { error in
        if case .migrationNeeded? = error as? StoreError { true } else { false }
      }
    }
    let store = try MigrationOnceTests.open(
      fileSystem, [FullNumber.self], 3, timing, Self.counting("fullName"))
    let found = try ChangedKeyTests.all(store, FullNumber.self).map(\.fullName)
    #expect(found.prefix(2) == [3, 2])
    try store.close()
  }

  @Test(
    "A member that became another type twice, and was renamed", arguments: SeedExampleTests.timings)
  func retypedTwice(timing: Timing) throws {
    let fileSystem = InMemoryFileSystem()
    let touch: Store.Configuration.MigrationClosure = { migration, _ in
      migration.enumerateObjects(ofType: "Person") { _, new in new?["length"] = 3.0 }
    }
    try RenamedOntoMemberTests.put(fileSystem, 0, Numbered(id: 1, name: 7))
    try RenamedOntoMemberTests.put(
      fileSystem, 1, Named(id: 2, name: "Bo"),
      { migration, _ in
        migration.enumerateObjects(ofType: "Person") { _, new in new?["name"] = "x" }
      })
    try RenamedOntoMemberTests.put(fileSystem, 2, Measured(id: 3, name: 2), Self.counting("name"))
    #expect {
      try MigrationOnceTests.open(fileSystem, [Length.self], 3, timing).close()
    } throws: { error in
      if case .migrationNeeded? = error as? StoreError { true } else { false }
    }
    let store = try MigrationOnceTests.open(fileSystem, [Length.self], 3, timing, touch)
    #expect(try ChangedKeyTests.all(store, Length.self).map(\.length) == [3, 3, 3])
    try store.close()
  }

  @Test(
    "An embedded object that code changed, and that is called otherwise afterwards",
    arguments: SeedExampleTests.timings)
  func embedded(timing: Timing) throws {
    typealias Place = EmbeddedInsideTests.Addressed<TodoModels.RoadHome>
    typealias Owner = EmbeddedRecordedTests.Owner
    func setting(_ member: String) -> Store.Configuration.MigrationClosure {
      { migration, _ in
        migration.enumerateObjects(ofType: "Owner") { _, new in
          new?[member] = ["country": "DE", "road": "r", "zip": nil] as [String: Any?]
        }
      }
    }
    let fileSystem = InMemoryFileSystem()
    let housed = Owner(id: 1, home: TodoModels.Home(street: "s"))
    try RenamedOntoMemberTests.put(fileSystem, 0, housed)
    try RenamedOntoMemberTests.put(
      fileSystem, 1, Owner<TodoModels.RoadHome>(id: 2), setting("home"))
    let store = try MigrationOnceTests.open(
      fileSystem, [Place.self], 2, timing, setting("address"))
    #expect(try ChangedKeyTests.all(store, Place.self).map(\.address.road) == ["r", "r"])
    try store.close()
  }

  struct Two: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var name = 0
    var other = 0
  }

  struct Three: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["third": ["other"]]
    var id = 0
    var name = ""
    var third = 0
    var other = ""
  }

  struct Last: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["third": ["other"]]
    var id = 0
    var third = 0
    var other = ""
  }

  @Test(
    "A member that code changed may go, beside one that was renamed in that version",
    arguments: SeedExampleTests.timings)
  func besideRenamed(timing: Timing) throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, Two(id: 1, name: 4, other: 5))
    try RenamedOntoMemberTests.put(
      fileSystem, 1, Three(id: 2, third: 6),
      { migration, _ in
        migration.enumerateObjects(ofType: "Person") { _, new in new?["name"] = "x" }
      })
    let store = try MigrationOnceTests.open(fileSystem, [Last.self], 2, timing)
    #expect(try ChangedKeyTests.all(store, Last.self).map(\.third) == [5, 6])
    try store.close()
  }
}
