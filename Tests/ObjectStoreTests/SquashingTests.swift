import FileIO
import LogStore
import ObjectStore
import StorageTestSupport
import Testing

/// Versions are taken out of a history only when no store and no backup needs them.
@Suite("Squashing asks stores and backups")
struct SquashingTests {
  static func open(
    _ fileSystem: some FileSystem, _ history: SchemaHistory, at path: String = "/store"
  ) throws -> Store {
    try Store.open(
      at: path, history: history, configuration: MigrationTests.configuration,
      fileSystem: fileSystem)
  }

  static func put(
    _ type: String, _ ids: Range<Int64>, _ fileSystem: some FileSystem, _ history: SchemaHistory
  ) throws {
    let store = try open(fileSystem, history)
    try store.write { transaction in
      for id in ids {
        try transaction.put(transaction.makeObject(ofType: type, ["id": .int(id)]))
      }
    }
    try store.close()
  }

  static func obstacles(
    _ history: SchemaHistory, _ floor: SchemaVersion, _ paths: [String],
    _ fileSystem: some FileSystem
  ) throws -> [FloorObstacle] {
    do {
      let squashed = try history.squashed(
        floor: floor, askingStoresAt: paths, fileSystem: fileSystem)
      #expect(squashed.base.version == floor)
      return []
    } catch StoreError.floorTooHigh(let refused, let obstacles) {
      #expect(refused == floor)
      return obstacles
    }
  }

  @Test("H15: a backup from before the migration is named, and passes when it is migrated")
  func backup() throws {
    let files = try MigrationTests.makeStore()
    let history = MigrationTests.latest
    let store = try Self.open(files, history)
    _ = try store.backup(to: "/backup", fileSystem: files)
    try store.migrate()
    let expected = try MigrationTests.all(store)
    let paths = ["/store", "/backup"]
    // Beside the app that has the store open.
    let found = try Self.obstacles(history, 2, paths, files)
    #expect(found.map(\.path) == ["/backup"])
    #expect(found.first?.version == 0)
    #expect(found.first?.objects.map(\.type) == ["Reading"])
    #expect(found.first?.objects.map(\.count) == [1000])
    #expect(found.first?.objects.map(\.oldestVersion) == [0])
    #expect(found.first?.barrierIDs == [])
    #expect(found.first?.highestFloor == 0)
    try store.close()
    #expect(try Self.obstacles(history, 0, paths, files) == [])
    #expect(try Store.info(at: "/backup", fileSystem: files).floor == 0)
    let backup = try Self.open(files, history, at: "/backup")
    try backup.migrate()
    try backup.close()
    let squashed = try history.squashed(floor: 2, askingStoresAt: paths, fileSystem: files)
    for path in paths {
      let store = try Self.open(files, squashed, at: path)
      #expect(try MigrationTests.all(store) == expected)
      try store.close()
    }
  }

  @Test("H15: a floor passes just when the squashed history opens the store; asking writes nothing")
  func everyFloor() throws {
    let last = EveryOperationTests.steps.count
    let history = EveryOperationTests.history(through: last)
    var failures: [String] = []
    for version in stride(from: 0, through: last, by: 3) {
      let files = try OperationCrashTests.makeFiles(version)
      for floor in 0...last {
        let fileSystem = SimulatedFileSystem(files: files, in: "/s")
        let squashed = try history.squashed(floor: SchemaVersion(UInt64(floor)))
        let found = try Self.obstacles(
          history, SchemaVersion(UInt64(floor)), ["/s"], fileSystem)
        if fileSystem.snapshotOfFiles(in: "/s") != files { failures.append("written to") }
        var opens = true
        do {
          let store = try OperationCrashTests.open(fileSystem, squashed)
          try store.close()
        } catch StoreError.schema(.chainIncomplete) { opens = false }
        if opens != found.isEmpty { failures.append("version \(version), floor \(floor)") }
        if let found = found.first, found.highestFloor?.rawValue != UInt64(version) {
          failures.append("version \(version) allows \(found)")
        }
      }
    }
    #expect(failures == [])
  }

  @Test("H15: objects of one type are told together, under its name at the floor")
  func renamed() throws {
    let history = SchemaHistory {
      Base(0) { Type("Thing", key: "id") { Field("id", .int64) } }
      Version(1) { On("Thing") { Add("size", .optional(.int64)) } }
      Version(2) { RenameType("Thing", to: "Item") }
      Version(3) { On("Item") { Remove("size") } }
    }
    let fileSystem = InMemoryFileSystem()
    try Self.put("Thing", 0..<5, fileSystem, history.prefix(through: 0))
    try Self.put("Thing", 5..<8, fileSystem, history.prefix(through: 1))
    try Self.put("Item", 8..<10, fileSystem, history.prefix(through: 3))
    let found = try Self.obstacles(history, 2, ["/store"], fileSystem)
    #expect(
      found.map(\.description) == ["/store, version 3: 8 objects of Item, the oldest of version 0"])
    let older = try Self.obstacles(history, 1, ["/store"], fileSystem)
    #expect(older.first?.objects.map(\.count) == [5])
  }

  @Test("H15: a barrier that has not run keeps the floor down, also in a store without objects")
  func barriers() throws {
    let base = Base(0) { Type("Thing", key: "id") { Field("id", .int64) } }
    let original = SchemaHistory { base }
    let history = SchemaHistory {
      base
      Version(1) {
        Barrier("first", touching: "Thing") { store in try store.create("Thing", ["id": 1]) }
      }
      Version(2) {}
    }
    let fileSystem = InMemoryFileSystem()
    // Nothing was ever written to this one: it has nothing behind it, and passes none.
    try Self.open(fileSystem, original).close()
    #expect(try Self.obstacles(history, 2, ["/store"], fileSystem) == [])
    try Self.put("Thing", 0..<1, fileSystem, original)
    let store = try Self.open(fileSystem, original)
    try store.write { try $0.delete(ofType: "Thing", key: 0) }
    try store.close()
    let found = try Self.obstacles(history, 2, ["/store"], fileSystem)
    #expect(found.map(\.description) == ["/store, version 0: v1/barrier:first did not run"])
    #expect(found.map(\.highestFloor) == [0])
    try Self.open(fileSystem, history).close()
    #expect(try Self.obstacles(history, 1, ["/store"], fileSystem) == [])
  }

  @Test("H15, R28: objects of a type that was removed before the floor need no step")
  func removedType() throws {
    let history = SchemaHistory {
      Base(0) {
        Type("Thing", key: "id") { Field("id", .int64) }
        Type("Gone", key: "id") { Field("id", .int64) }
      }
      Version(1) { RemoveType("Gone") }
      Version(2) { On("Thing") { Add("size", .optional(.int64)) } }
    }
    let fileSystem = InMemoryFileSystem()
    try Self.put("Gone", 0..<5, fileSystem, history.prefix(through: 0))
    #expect(try Self.obstacles(history, 2, ["/store"], fileSystem) == [])
    try Self.open(fileSystem, try history.squashed(floor: 2)).close()
    try Self.put("Thing", 0..<1, fileSystem, history.prefix(through: 1))
    #expect(try Self.obstacles(history, 2, ["/store"], fileSystem).map(\.highestFloor) == [1])
  }

  @Test("H15: objects of a type that is removed behind the floor: the floor from which none counts")
  func typeRemovedBehindTheFloor() throws {
    let history = SchemaHistory {
      Base(0) {
        Type("Thing", key: "id") { Field("id", .int64) }
        Type("Gone", key: "id") { Field("id", .int64) }
      }
      Version(1) { On("Thing") { Add("size", .optional(.int64)) } }
      Version(2) { On("Gone") { Add("size", .optional(.int64)) } }
      Version(3) { RemoveType("Gone") }
    }
    let fileSystem = InMemoryFileSystem()
    try Self.put("Gone", 0..<5, fileSystem, history.prefix(through: 0))
    try Self.put("Thing", 0..<1, fileSystem, history)
    let found = try Self.obstacles(history, 2, ["/store"], fileSystem)
    #expect(found.first?.objects.map(\.removedIn) == [3])
    #expect(
      found.first?.description == "/store, version 3: 5 objects of Gone, the oldest of version 0, "
        + "which no floor from 3 on needs, and which migrate() drops with the whole history")
    #expect(try Self.obstacles(history, 3, ["/store"], fileSystem) == [])
    try Self.open(fileSystem, try history.squashed(floor: 3)).close()
    // A migration drops them, and then none counts.
    let store = try Self.open(fileSystem, history)
    #expect(try store.migrate().droppedCount == 5)
    try store.close()
    #expect(try Self.obstacles(history, 2, ["/store"], fileSystem) == [])
  }

  @Test("H15: a store that cannot be read is named, and the others are asked all the same")
  func unreadable() throws {
    let files = try MigrationTests.makeStore()
    let store = try Self.open(files, MigrationTests.latest)
    _ = try store.backup(to: "/backup", fileSystem: files)
    try store.close()
    let backup = try files.openDirectory(at: "/backup", create: false)
    for name in try backup.list().compactMap(FileName.init) {
      let file = try backup.open(name, .readWrite)
      try [UInt8](repeating: 7, count: 16).withUnsafeBytes { try file.write([$0], at: 0) }
    }
    let found = try Self.obstacles(MigrationTests.latest, 2, ["/backup", "/store"], files)
    #expect(found.map(\.path) == ["/backup", "/store"])
    #expect(found.first?.failure != nil && found.first?.highestFloor == nil)
    #expect(found.first?.description.contains("cannot be read") == true)
    #expect(found.last?.objects.map(\.count) == [1000])
    #expect(throws: StoreError.self) {
      try MigrationTests.latest.squashed(floor: 2, askingStoresAt: ["/none"], fileSystem: files)
    }
  }

  @Test("H15: a store of another history is named; an edit is told at opening and refuses nothing")
  func otherHistories() throws {
    let fileSystem = InMemoryFileSystem()
    func history(_ type: String, default value: Value) -> SchemaHistory {
      SchemaHistory {
        Base(0) { Type(type, key: "id") { Field("id", .int64) } }
        Version(1) { On(type) { Add("size", .int64, default: value) } }
      }
    }
    let own = history("Thing", default: 1)
    let store = try Self.open(fileSystem, own)
    try store.write { transaction in
      try transaction.put(transaction.makeObject(ofType: "Thing", ["id": 1, "size": 1]))
    }
    try store.close()
    #expect(try Self.obstacles(own, 1, ["/store"], fileSystem) == [])
    #expect(try Self.obstacles(history("Thing", default: 2), 1, ["/store"], fileSystem) == [])
    let other = try Self.obstacles(history("Other", default: 1), 1, ["/store"], fileSystem)
    guard case .schema(.unknownType(type: "Thing", version: 1))? = other.first?.failure else {
      Issue.record("\(other)")
      return
    }
    #expect(other.map(\.highestFloor) == [nil])
    #expect(other.first?.description.contains("it is not a store of this history") == true)
  }

  @Test("R8, H15: what a store that was asked met is no edit, though nobody could guess it")
  func revisionsAreDates() throws {
    func history(_ revision: UInt32) -> SchemaHistory {
      SchemaHistory {
        Base(0) {
          Type("Note", key: "id") {
            Field("id", .int64)
            Field("text", .string)
          }
        }
        Version(1) {
          On("Note") {
            Derive("label", from: "text", revision: revision) { (text: String) in text }
          }
        }
      }
    }
    let files = SimulatedFileSystem()
    let before = try Self.open(files, history(2024_01_01))
    try before.write { transaction in
      let note: [String: Value] = [
        "id": .int(1), "text": .string("a"), "label": .string("a"),
      ]
      try transaction.put(transaction.makeObject(ofType: "Note", note))
    }
    try before.close()
    let now = history(2024_05_01)
    var refusing = MigrationTests.configuration
    refusing.editedHistory = .refused
    for asked in [[], ["/store"]] {
      let squashed = try now.squashed(floor: 1, askingStoresAt: asked, fileSystem: files)
      func open() throws {
        try Store.open(
          at: "/store", history: squashed, configuration: refusing, fileSystem: files
        ).close()
      }
      // Without asking nobody knows it.
      if asked.isEmpty { #expect(throws: StoreError.self) { try open() } } else { try open() }
    }
  }
}

extension SchemaHistory {
  /// The history as it was when `version` was its last.
  fileprivate func prefix(through version: SchemaVersion) -> SchemaHistory {
    SchemaHistory(base: base, versions: versions.filter { $0.number <= version })
  }
}
