import FileIO
import LogStore
import SchemaRegistry
import StorageTestSupport
import Testing

@testable import ObjectStore

/// One description of a version is lost with its copy, the others are not.
@Suite("P20: a salvaged store is opened without a description that its app gives anew")
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

  @Test("Without the schema of a version: its app describes it again, and reads its objects")
  func lostSchema() throws {
    let fileSystem = try Self.salvaged(
      try Self.makeStore(), "/people", without: Self.key(1, 2))
    try Store.open(
      at: "/saved", configuration: MigrationOnceTests.settings, fileSystem: fileSystem
    ).close()
    var store = try Self.open(fileSystem, [Reused.self], 2, "/saved")
    for id in 1...3 {
      #expect(try store.snapshot().get(Reused.self, id) == Self.old[id - 1])
    }
    try store.write { try $0.put(Reused(id: 5, b: "B5", a: "A5")) }
    let objects = Self.old + [Reused(id: 4, b: "B", a: "new"), Reused(id: 5, b: "B5", a: "A5")]
    #expect(try ChangedKeyTests.all(store, Reused.self) == objects)
    try store.close()
    store = try Self.open(fileSystem, [Reused.self], 3, "/saved")
    #expect(try ChangedKeyTests.all(store, Reused.self) == objects)
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

  @Test("R21: without the version before one that added inside, its values are known all the same")
  func lostBase() throws {
    func open(
      _ fileSystem: any FileSystem, _ path: String, _ members: [String],
      _ body: (Store) throws -> Void
    ) throws {
      let home = FieldType.object(members.map { MemberShape($0, .string) })
      let initial = Value.object(Dictionary(uniqueKeysWithValues: members.map { ($0, "?") }))
      var settings = StoreConfiguration.quiet
      settings.log.compression = .none
      try ClientModel.$members.withValue([AdditiveTests.member("home", home, initial)]) {
        let store = try Store.open(
          at: path, models: [ClientModel.self], evolution: .additive, configuration: settings,
          fileSystem: fileSystem)
        try body(store)
        try store.close()
      }
    }
    let whole = SimulatedFileSystem()
    try open(whole, "/s", ["street"]) { (store) throws in
      try store.write { try $0.put(ClientModel(["id": 1, "home": .object(["street": "a"])])) }
    }
    try open(whole, "/s", ["city", "street"]) { (store) throws in
      let home = Value.object(["city": "b", "street": "a"])
      try store.write { try $0.put(ClientModel(["id": 1, "home": home])) }
    }
    let fileSystem = try Self.salvaged(whole, "/s", without: Self.key(1, 0))
    try open(fileSystem, "/saved", ["street"]) { (store) throws in
      try store.write { try $0.put(ClientModel(["id": 2, "home": .object(["street": "c"])])) }
    }
    try open(fileSystem, "/saved", ["city", "street"]) { (store) throws in
      #expect(
        try store.snapshot().get(ClientModel.self, 1)?.values["home"]
          == .object(["city": "b", "street": "a"]))
      #expect(
        try store.snapshot().get(ClientModel.self, 2)?.values["home"]
          == .object(["city": "?", "street": "c"]))
    }
  }
}
