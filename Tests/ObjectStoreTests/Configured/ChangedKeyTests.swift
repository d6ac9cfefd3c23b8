import FileIO
import StorageTestSupport
import Testing

@testable import ObjectStore

@Suite("A configuration cannot change a primary key")
struct ChangedKeyTests {
  typealias Timing = Store.Configuration.MigrationTiming
  typealias Models = TodoModels

  static func fill() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try MigrationOnceTests.open(fileSystem, [Models.First.self], 0)
    try store.write { transaction in
      for id in 0..<3 { try transaction.put(Models.First(id: id, title: "t")) }
    }
    try store.close()
    return fileSystem
  }

  static func all<Model: StorableObject>(_ store: Store, _ model: Model.Type) throws -> [Model] {
    let cursor = try store.snapshot().objects(model)
    var found: [Model] = []
    while let object = try cursor.next() { found.append(object) }
    return found
  }

  static let changes: [(any StorableObject.Type, String, FieldType)] = [
    (Models.OtherKey.self, "other", .int64), (Models.TitleKey.self, "title", .string),
    (Models.TextKey.self, "id", .string),
  ]

  @Test(
    "H4: another member or another type as the key is refused, whatever the block does",
    arguments: SeedExampleTests.timings, [true, false])
  func refused(timing: Timing, hasCode: Bool) throws {
    for (model, key, type) in Self.changes {
      let fileSystem = try Self.fill()
      let block: Store.Configuration.MigrationClosure = { migration, _ in
        if hasCode { migration.enumerateObjects(ofType: "Todo") { _, _ in } }
      }
      #expect(
        throws: StoreError.primaryKeyChanged(
          type: "Todo", from: "id", held: .int64, to: key, holds: type, version: 0)
      ) { try MigrationOnceTests.open(fileSystem, [model], 1, timing, block).close() }
      // Nothing was written, and all is there.
      let store = try MigrationOnceTests.open(fileSystem, [Models.First.self], 0)
      #expect(store.reader.catalog.highestVersion == 0)
      #expect(try Self.all(store, Models.First.self).map(\.id) == [0, 1, 2])
      try store.close()
    }
  }

  @Test("H4: a key that is called otherwise stays the key", arguments: SeedExampleTests.timings)
  func renamed(timing: Timing) throws {
    let fileSystem = try Self.fill()
    let store = try MigrationOnceTests.open(fileSystem, [Models.RenamedKey.self], 1, timing)
    try store.write { try $0.put(Models.RenamedKey(number: 1, title: "new")) }
    #expect(
      try Self.all(store, Models.RenamedKey.self) == [
        Models.RenamedKey(number: 0, title: "t"), Models.RenamedKey(number: 1, title: "new"),
        Models.RenamedKey(number: 2, title: "t"),
      ])
    try store.close()
  }

  @Test("H4: a block that renames the key names the same one")
  func renamedByBlock() throws {
    let fileSystem = try Self.fill()
    let store = try MigrationOnceTests.open(fileSystem, [Models.NumberKey.self], 1, .onRead) {
      migration, _ in migration.renameProperty(onType: "Todo", from: "id", to: "number")
    }
    #expect(try Self.all(store, Models.NumberKey.self).map(\.number) == [0, 1, 2])
    #expect(try store.snapshot().get(Models.NumberKey.self, 2)?.title == "t")
    try store.close()
  }
}
