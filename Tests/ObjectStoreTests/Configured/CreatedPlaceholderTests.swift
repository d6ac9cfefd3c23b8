import FileIO
import Testing

@testable import ObjectStore

@Suite("What a block creates may be set after that, also of a Codable type without an init()")
struct CreatedPlaceholderTests {
  struct Titled: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id: Int
    var home: CodablePeople.Home
    var title: String
    var mood: CodablePeople.Mood
    var nick: String?
  }

  @Test("Placeholders stand in for what is set later, and optionals are nil")
  func created() throws {
    let fileSystem = InMemoryFileSystem()
    try CodableInitialValueTests.put(
      .configured, CodablePeople.First.named(1), version: 0, fileSystem)
    let configuration = Store.Configuration(
      path: "/s", models: [Titled.self], schemaVersion: 1,
      migrationBlock: { migration, _ in
        migration.enumerateObjects(ofType: "Person") { _, new in
          new?["title"] = "t"
          new?["mood"] = "cross"
        }
        let made = migration.create("Person", value: ["id": 9])
        made?["title"] = "x"
      }, migrationTiming: .atOpen)
    let store = try Store.open(configuration, path: "/s", fileSystem: fileSystem)
    let home = CodablePeople.Home(street: "")
    #expect(
      try store.snapshot().get(Titled.self, 9)
        == Titled(id: 9, home: home, title: "x", mood: .calm, nick: nil))
    #expect(
      try store.snapshot().get(Titled.self, 1)
        == Titled(id: 1, home: CodablePeople.Home(street: "a"), title: "t", mood: .cross, nick: nil)
    )
    try store.close()
  }

  @Test("One without a key fails, and so does setting the key later", arguments: [true, false])
  func withoutKey(setsKey: Bool) throws {
    let fileSystem = InMemoryFileSystem()
    try CodableInitialValueTests.put(
      .configured, CodablePeople.First.named(1), version: 0, fileSystem)
    let configuration = Store.Configuration(
      path: "/s", models: [Titled.self], schemaVersion: 1,
      migrationBlock: { migration, _ in
        let made = migration.create("Person", value: setsKey ? ["id": 8] : [:])
        if setsKey { made?["id"] = 9 }
      }, migrationTiming: .atOpen)
    #expect(throws: StoreError.self) {
      try Store.open(configuration, path: "/s", fileSystem: fileSystem).close()
    }
  }
}
