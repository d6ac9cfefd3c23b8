import FileIO
import LogStore
import Testing

@testable import ObjectStore

@Suite("Stores that grow by additions alone")
struct AdditiveTests {
  static func open(
    _ fileSystem: InMemoryFileSystem, _ members: [ClientModel.Member],
    _ body: (Store) throws -> Void
  ) throws {
    try ClientModel.$members.withValue(members) {
      let store = try AdditiveModelTests.open(fileSystem)
      try body(store)
      try store.close()
    }
  }

  static func member(
    _ name: String, _ type: FieldType, _ initial: Value
  ) -> ClientModel.Member { ClientModel.Member(name: name, type: type, initial: initial) }

  static let first = [member("name", .string, ""), member("age", .int64, 18)]

  static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    try open(fileSystem, first) { (store) throws in
      try store.write { try $0.put(ClientModel(["id": 1, "name": "Ada", "age": 36])) }
    }
    return fileSystem
  }

  @Test("Additions are made by themselves, and older objects have the value of who added them")
  func additions() throws {
    let fileSystem = try Self.makeStore()
    let added =
      Self.first + [
        Self.member("email", .optional(.string), .null), Self.member("rank", .int64, 7),
      ]
    try Self.open(fileSystem, added) { (store) throws in
      #expect(store.schemaVersion == 1)
      #expect(try store.snapshot().get(ClientModel.self, 1)?.values["rank"] == 7)
      try store.write { try $0.put(ClientModel(["id": 2, "name": "B", "age": 1, "rank": 8])) }
    }
    try Self.open(fileSystem, Self.first + [Self.member("rank", .int64, 99)]) { (store) throws in
      #expect(store.schemaVersion == 1)
      #expect(try store.snapshot().get(ClientModel.self, 1)?.values["rank"] == 7)
    }
  }

  @Test("P20: the number of a version whose description is lost is not given to other additions")
  func lostVersion() throws {
    let fileSystem = try Self.makeStore()
    let others = Self.first + [Self.member("note", .string, "")]
    try Self.open(fileSystem, others) { (store) throws in
      try store.write {
        try $0.put(ClientModel(["id": 2, "name": "B", "age": 1, "note": "a note"]))
      }
    }
    // As after a salvage that found neither the description nor its copy.
    let whole = try Log.open(at: "/s", fileSystem: fileSystem)
    let thing = try #require(
      whole.liveByVersion.keys.first { $0.schemaVersion == 1 && !$0.collection.isReserved })
    let records = try whole.snapshot().records(in: thing.collection)
    let salvaged = try Self.makeStore()
    let log = try Log.open(at: "/s", fileSystem: salvaged)
    while let (key, record) = try records.next() {
      guard record.schemaVersion == 1 else { continue }
      try log.put(key, in: thing.collection, schemaVersion: 1, payload: record.payload)
    }
    try log.close()
    try whole.close()
    let error = #expect(throws: StoreError.self) {
      let members = Self.first + [Self.member("label", .string, "")]
      try Self.open(salvaged, members) { (store) throws in
        #expect(try store.snapshot().get(ClientModel.self, 2)?.values["label"] != "a note")
      }
    }
    #expect("\(error as Any)".contains("version 1"), "\(error as Any)")
  }

  @Test("What a model lacks is kept, and new objects get the value of who added it")
  func removals() throws {
    let fileSystem = try Self.makeStore()
    try Self.open(fileSystem, [Self.member("name", .string, "")]) { (store) throws in
      let seen = try store.snapshot().get(ClientModel.self, 1)
      #expect(seen?.values == ["id": 1, "name": "Ada"])
      try store.write { transaction in
        try transaction.put(ClientModel(["id": 1, "name": "Ada K"]))
        try transaction.put(ClientModel(["id": 2, "name": "New"]))
      }
      #expect(store.schemaVersion == 0)
      _ = try store.compact()
    }
    try Self.open(fileSystem, Self.first) { (store) throws in
      let snapshot = store.snapshot()
      #expect(
        try snapshot.get(ClientModel.self, 1)?.values == ["id": 1, "name": "Ada K", "age": 36])
      #expect(try snapshot.get(ClientModel.self, 2)?.values == ["id": 2, "name": "New", "age": 18])
    }
  }

  @Test("Everything but additions and removals is refused with the whole list, and nothing changes")
  func modifications() throws {
    let fileSystem = try Self.makeStore()
    let changed = [
      Self.member("name", .optional(.string), .null), Self.member("age", .string, ""),
    ]
    #expect(
      throws: StoreError.schema(
        .notAdditive(
          changes: [
            .madeOptional(type: "Thing", member: "name"),
            .memberTypeChanged(type: "Thing", member: "age", from: .int64, to: .string),
          ], withoutDefault: []))
    ) {
      try Self.open(fileSystem, changed) { _ in }
    }
    try Self.open(fileSystem, Self.first) { (store) throws in
      #expect(store.schemaVersion == 0)
      #expect(try store.snapshot().get(ClientModel.self, 1) != nil)
    }
  }

  struct Clocked: StorableObject {
    static let typeName = "Thing"
    static let primaryKey = "id"
    var id = 0
    var when = SystemTimeSource().monotonicNanoseconds()
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("when", &when)
    }
  }

  @Test("A required addition needs an initial value that is always the same")
  func withoutDefault() throws {
    let fileSystem = try Self.makeStore()
    #expect(
      throws: StoreError.schema(.notAdditive(changes: [], withoutDefault: ["Thing.when"]))
    ) {
      try Store.open(
        at: "/s", models: [Clocked.self], evolution: .additive, configuration: .quiet,
        fileSystem: fileSystem)
    }
  }

  @Test("Migration blocks are refused, and versions are not looked at")
  func configuration() throws {
    try ClientModel.$members.withValue(Self.first) {
      var configuration = Store.Configuration(
        inMemoryIdentifier: "additive", models: [ClientModel.self], schemaVersion: 9)
      configuration.evolution = .additive
      let store = try Store(configuration: configuration)
      #expect(store.schemaVersion == 0)
      try store.close()
      configuration.migrationBlock = { _, _ in }
      #expect(throws: StoreError.self) { try Store(configuration: configuration) }
    }
  }

  @Test("A store of a history is taken over once no object needs that, and not before")
  func takingOver() throws {
    let fileSystem = InMemoryFileSystem()
    let base = Base(0) {
      Type("Thing", key: "id") {
        Field("id", .int64)
        Field("title", .string)
        Field("age", .int64)
      }
    }
    let history = SchemaHistory {
      base
      Version(1) { On("Thing") { Rename("title", to: "name") } }
    }
    var store = try Store.open(
      at: "/s", history: SchemaHistory { base }, configuration: .quiet, fileSystem: fileSystem)
    try store.write {
      try $0.put($0.makeObject(ofType: "Thing", ["id": 1, "title": "Ada", "age": 36]))
    }
    try store.close()
    store = try Store.open(
      at: "/s", history: history, configuration: .quiet, fileSystem: fileSystem)
    try store.write {
      try $0.put($0.makeObject(ofType: "Thing", ["id": 2, "name": "B", "age": 1]))
    }
    try store.close()
    #expect(throws: StoreError.self) { try Self.open(fileSystem, Self.first) { _ in } }
    store = try Store.open(
      at: "/s", history: history, configuration: .quiet, fileSystem: fileSystem)
    try store.migrate()
    try store.close()
    try Self.open(fileSystem, Self.first + [Self.member("x", .optional(.bool), .null)]) {
      (store) throws in
      #expect(try store.snapshot().get(ClientModel.self, 1)?.values["name"] == "Ada")
      #expect(store.schemaVersion == 2)
    }
  }

  @Test("Objects of types that a history removed or never touched are no obstacle to taking over")
  func foreignTypes() throws {
    let fileSystem = InMemoryFileSystem()
    let base = Base(0) {
      Type("Thing", key: "id") {
        Field("id", .int64)
        Field("title", .string)
        Field("age", .int64)
      }
      Type("Junk", key: "id") { Field("id", .int64) }
      Type("Quiet", key: "id") { Field("id", .int64) }
    }
    let history = SchemaHistory {
      base
      Version(1) {
        On("Thing") { Rename("title", to: "name") }
        RemoveType("Junk")
      }
    }
    var store = try NewerStoreTests.open(fileSystem, SchemaHistory { base })
    try NewerStoreTests.put(store, "Thing", ["id": 1, "title": "Ada", "age": 36])
    for type in ["Junk", "Quiet"] { try NewerStoreTests.put(store, type, ["id": 1]) }
    try store.close()
    let note = try TypeShape(
      name: "Note", identity: TypeIdentity(introducedIn: 0, originalName: "Note"),
      keyMember: "id", members: [MemberShape("id", .int64)])
    store = try Store.open(at: "/s", adding: [note], configuration: .quiet, fileSystem: fileSystem)
    try NewerStoreTests.put(store, "Note", ["id": 1])
    try store.close()
    store = try NewerStoreTests.open(fileSystem, history)
    try NewerStoreTests.put(store, "Thing", ["id": 1, "name": "Ada", "age": 36])
    try store.close()
    for round in 0..<2 {
      let members = Self.first + [Self.member("x", .optional(.bool), .null)]
      try Self.open(fileSystem, members) { (store) throws in
        #expect(try store.snapshot().get(ClientModel.self, 1)?.values["name"] == "Ada")
        for type in ["Note", "Quiet"] {
          #expect(try NewerStoreTests.get(store, type, 1)?.members == ["id": 1])
        }
        try store.write { try $0.put(ClientModel(["id": 2, "name": "B", "age": 1])) }
        if round == 1 { _ = try store.compact() }
        #expect(try NewerStoreTests.get(store, "Quiet", 1) != nil)
      }
    }
  }

  @Test("What a model lacks is in new objects what a configuration recorded before")
  func recordedDefaults() throws {
    let fileSystem = InMemoryFileSystem()
    try ClientModel.$members.withValue(Self.first) {
      var configuration = Store.Configuration(path: "/s", models: [ClientModel.self])
      configuration.compaction = .off
      let store = try Store.open(configuration, path: "/s", fileSystem: fileSystem)
      try store.write { try $0.put(ClientModel(["id": 1, "name": "Ada", "age": 36])) }
      try store.close()
    }
    try Self.open(fileSystem, [Self.member("name", .string, "")]) { (store) throws in
      try store.write { try $0.put(ClientModel(["id": 2, "name": "New"])) }
    }
    try Self.open(fileSystem, Self.first) { (store) throws in
      #expect(try store.snapshot().get(ClientModel.self, 2)?.values["age"] == 18)
    }
  }

  @Test("Additive: a recorded value that a history made impossible does not block poorer apps")
  func convertedDefaults() throws {
    let fileSystem = InMemoryFileSystem()
    let home = FieldType.object([MemberShape("street", .string), MemberShape("zip", .int64)])
    let members = [
      Self.member("name", .string, ""), Self.member("age", .int64, 18),
      Self.member("note", .optional(.string), .null),
      Self.member("home", home, .object(["street": "s", "zip": 7])),
    ]
    try Self.open(fileSystem, members) { (store) throws in
      try store.write { try $0.put(ClientModel()) }
    }
    let base = Base(0) {
      Type("Thing", key: "id") {
        Field("id", .int64)
        for member in members { Field(member.name, member.type) }
      }
    }
    let history = SchemaHistory {
      base
      Version(1) {
        On("Thing") {
          Convert("age", to: .string) { (age: Int) in "\(age)" }
          Require("note", fill: "none")
          On("home") { Convert("zip", to: .string) { (zip: Int) in "\(zip)" } }
        }
      }
    }
    let store = try NewerStoreTests.open(fileSystem, history)
    try store.migrate()
    try store.close()
    try Self.open(fileSystem, [Self.member("name", .string, "")]) { (store) throws in
      try store.write { try $0.put(ClientModel(["id": 1, "name": "Ada"])) }
    }
    let wanted: [String: Value] = [
      "age": "", "note": "", "home": .object(["street": "s", "zip": ""]),
    ]
    let converted = [
      Self.member("age", .string, "18"), Self.member("note", .string, "none"),
      Self.member(
        "home", .object([MemberShape("street", .string), MemberShape("zip", .string)]),
        .object(["street": "s", "zip": "7"])),
    ]
    try Self.open(fileSystem, converted) { (store) throws in
      let found = try store.snapshot().get(ClientModel.self, 1)?.values
      #expect(found == wanted.merging(["id": 1]) { $1 })
    }
    // Inside an object that it knows, an app cannot leave out what nobody said.
    let street = Self.member(
      "home", .object([MemberShape("street", .string)]), .object(["street": ""]))
    let lost = SchemaDifference.memberRemoved(type: "Thing", member: "home.zip", held: .string)
    #expect(throws: StoreError.schema(.notAdditive(changes: [lost], withoutDefault: []))) {
      try Self.open(fileSystem, [street]) { _ in }
    }
  }

  @Test("Additive: where a recorded value fits no more, what a configuration said later is taken")
  func reconfiguredDefaults() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.open(fileSystem, Self.first) { (store) throws in
      try store.write { try $0.put(ClientModel(["id": 1, "name": "Ada", "age": 36])) }
    }
    let later = [Self.member("name", .string, ""), Self.member("age", .string, "?")]
    try ClientModel.$members.withValue(later) {
      var configuration = Store.Configuration(
        path: "/s", models: [ClientModel.self], schemaVersion: 1)
      configuration.compaction = .off
      configuration.migrationBlock = { migration, _ in
        migration.enumerateObjects(ofType: "Thing") { old, new in
          new?["age"] = "\(old?["age"] ?? 0)"
        }
      }
      let store = try Store.open(configuration, path: "/s", fileSystem: fileSystem)
      try store.write { try $0.put(ClientModel(["id": 2, "name": "B", "age": "1"])) }
      try store.migrate()
      try store.close()
    }
    try Self.open(fileSystem, [Self.member("name", .string, "")]) { (store) throws in
      try store.write { try $0.put(ClientModel(["id": 3, "name": "New"])) }
    }
    try Self.open(fileSystem, later) { (store) throws in
      #expect(try store.snapshot().get(ClientModel.self, 3)?.values["age"] == "?")
    }
  }

  @Test("Additive: the same inside of an object that fits all the same")
  func reconfiguredInside() throws {
    let fileSystem = InMemoryFileSystem()
    func homes(_ level: FieldType, _ value: Value) -> [ClientModel.Member] {
      let shapes = [MemberShape("level", level), MemberShape("street", .string)]
      return [
        Self.member("name", .string, ""),
        Self.member("home", .object(shapes), .object(["level": value, "street": "s"])),
      ]
    }
    try Self.open(fileSystem, homes(.int64, 5)) { (store) throws in
      let home = Value.object(["level": 7, "street": "a"])
      try store.write { try $0.put(ClientModel(["id": 1, "name": "Ada", "home": home])) }
    }
    let later = homes(.string, "?")
    try ClientModel.$members.withValue(later) {
      var configuration = Store.Configuration(
        path: "/s", models: [ClientModel.self], schemaVersion: 1)
      configuration.compaction = .off
      configuration.migrationBlock = { migration, _ in
        migration.enumerateObjects(ofType: "Thing") { _, new in
          new?["home"] = Value.object(["level": "7", "street": "a"])
        }
      }
      let store = try Store.open(configuration, path: "/s", fileSystem: fileSystem)
      try store.migrate()
      try store.close()
    }
    try Self.open(fileSystem, [Self.member("name", .string, "")]) { (store) throws in
      try store.write { try $0.put(ClientModel(["id": 3, "name": "New"])) }
    }
    try Self.open(fileSystem, later) { (store) throws in
      #expect(
        try store.snapshot().get(ClientModel.self, 3)?.values["home"]
          == .object(["level": "?", "street": "s"]))
    }
  }
}
