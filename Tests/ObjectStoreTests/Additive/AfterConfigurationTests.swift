import FileIO
import Testing

@testable import ObjectStore

@Suite("A store of configurations is opened with evolution: .additive once it was migrated")
struct AfterConfigurationTests {
  @Test("Until then the error names the configuration, and no history that there never was")
  func refused() throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, RequiredAgainTests.Bare(id: 1))
    try RenamedOntoMemberTests.put(fileSystem, 2, RequiredAgainTests.Three(id: 2, rank: 1))
    func open() throws -> Store {
      try Store.open(
        at: "/people", models: [RequiredAgainTests.Three.self], evolution: .additive,
        configuration: MigrationOnceTests.settings, fileSystem: fileSystem)
    }
    #expect(
      throws: StoreError.conflictingSettings(
        "there are objects of version 0, and version 2 is one of a configuration; open the store "
          + "with that, and call migrate(), before it is opened with evolution: .additive")
    ) { try open().close() }
    var store = try MigrationOnceTests.open(
      fileSystem, [RequiredAgainTests.Three.self], 2, .onRead)
    #expect(try store.migrate().isFinished)
    try store.close()
    store = try open()
    #expect(try ChangedKeyTests.all(store, RequiredAgainTests.Three.self).map(\.rank) == [3, 1])
    try store.close()
  }
}
