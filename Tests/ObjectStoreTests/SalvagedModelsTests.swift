import FileIO
import LogStore
import SchemaRegistry
import StorageTestSupport
import Testing

@testable import ObjectStore

/// One description of a version is lost with its copy, the others are not.
@Suite("P20: of a salvaged store nothing is guessed that a lost description said")
struct SalvagedModelsTests {
  static func key(_ kind: UInt8, _ version: UInt8) -> [UInt8] {
    [kind, 0, 0, 0, 0, 0, 0, 0, version]
  }

  /// What a salvage makes of a store in which every record of that payload lost a bit.
  static func salvaged(
    _ whole: SimulatedFileSystem, _ path: String, without key: [UInt8]
  ) throws -> SimulatedFileSystem {
    let fileSystem = whole.pristineCopy()
    let log = try Log.open(at: path, fileSystem: whole.pristineCopy())
    let payload = try #require(try log.snapshot().record(for: key, in: .catalog)).payload
    try log.close()
    for (name, bytes) in fileSystem.snapshotOfFiles(in: path) where name.hasSuffix(".log") {
      for place in bytes.indices where bytes[place...].starts(with: payload) {
        fileSystem.flipBit(0, of: name, in: path, at: place + payload.count / 2)
      }
    }
    _ = try LogSalvage.salvage(path, to: "/saved", fileSystem: fileSystem)
    let saved = try Log.open(at: "/saved", fileSystem: fileSystem)
    #expect(try saved.snapshot().record(for: key, in: .catalog) == nil)
    try saved.close()
    return fileSystem
  }

  static func open(
    _ fileSystem: any FileSystem, _ models: [any StorableObject.Type], _ version: UInt64,
    _ path: String = "/people", _ block: Store.Configuration.MigrationClosure? = nil
  ) throws -> Store {
    var configuration = Store.Configuration(
      path: path, models: models, schemaVersion: version, migrationBlock: block,
      migrationTiming: .onRead)
    configuration.compaction = .off
    var settings = MigrationOnceTests.settings
    settings.log.compression = .none
    return try Store.open(
      configuration, path: path, fileSystem: fileSystem, settings: settings)
  }

  typealias Named = RenamedOntoMemberTests.Named
  typealias Reused = RenamedOntoMemberTests.Reused

  /// Objects 1 to 3 of version 1; `b` is what `a` was since version 2, of which object 4 is.
  static func makeStore() throws -> SimulatedFileSystem {
    let fileSystem = SimulatedFileSystem()
    var store = try open(fileSystem, [Named.self], 1)
    for id in 1...3 { try store.write { try $0.put(Named(id: id, a: "A\(id)")) } }
    try store.close()
    store = try open(fileSystem, [Reused.self], 2)
    try store.write { try $0.put(Reused(id: 4, b: "B", a: "new")) }
    // Closing it would make copies.
    let whole = fileSystem.pristineCopy()
    try store.close()
    return whole
  }

  static let old = (1...3).map { Reused(id: $0, b: "A\($0)", a: "") }

  @Test("Without the schema of a version: its app is told, and other objects can be read")
  func lostSchema() throws {
    let fileSystem = try Self.salvaged(
      try Self.makeStore(), "/people", without: Self.key(1, 2))
    for version in [1, 2, 3] as [UInt64] {
      #expect {
        try Self.open(
          fileSystem, version == 1 ? [Named.self] : [Reused.self], version, "/saved"
        ).close()
      } throws: { error in
        guard case .malformedCatalog(let reason)? = error as? StoreError else { return false }
        return reason.contains("schema of version 2") && reason.contains("logstore dump")
      }
    }
    var settings = MigrationOnceTests.settings
    settings.log.access = .readOnly
    let store = try Store.open(at: "/saved", configuration: settings, fileSystem: fileSystem)
    for id in 1...3 {
      let found = try store.snapshot().object(ofType: "Person", key: .int(Int64(id)))
      #expect(found?.members["a"] == .string("A\(id)"))
    }
    try store.close()
  }

  @Test("Decision 143: without the record of models nobody knows what members of a version were")
  func lostModels() throws {
    let fileSystem = try Self.salvaged(
      try Self.makeStore(), "/people", without: Self.key(4, 2))
    #expect(
      throws: StoreError.migrationNeeded(
        type: "Person", member: "b", from: nil, to: .string, version: 1)
    ) { try Self.open(fileSystem, [Reused.self], 3, "/saved").close() }
    let store = try Self.open(fileSystem, [Reused.self], 3, "/saved") { migration, version in
      guard version == 1 else { return }
      migration.enumerateObjects(ofType: "Person") { old, new in
        new?["b"] = old?["a"]
        new?["a"] = ""
      }
    }
    #expect(
      try ChangedKeyTests.all(store, Reused.self) == Self.old + [Reused(id: 4, b: "B", a: "new")])
    try store.close()
  }
}
