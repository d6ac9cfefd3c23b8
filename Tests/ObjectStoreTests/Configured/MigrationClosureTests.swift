import FileIO
import Foundation
import ObjectStore
import StorageTestSupport
import Testing

@Suite("What migration blocks may do, and what is refused")
struct MigrationClosureTests {
  let directory: TemporaryDirectory
  var path: String { directory.path + "/people.logstore" }

  init() throws { directory = try TemporaryDirectory() }

  func open<Model: StorableObject>(
    _ model: Model.Type, version: UInt64,
    timing: Store.Configuration.MigrationTiming = .onRead,
    _ block: Store.Configuration.MigrationClosure? = nil
  ) throws -> Store {
    var configuration = Store.Configuration(
      path: path, models: [model], schemaVersion: version, migrationBlock: block,
      migrationTiming: timing)
    // It would bring objects to the version of the store that wrote last.
    configuration.compaction = .off
    return try Store(configuration: configuration)
  }

  func fill(_ count: Int = 3) throws {
    let store = try open(SeedModels.Names.self, version: 0)
    try store.write { transaction in
      for id in 0..<count {
        try transaction.put(SeedModels.Names(id: id, firstName: "f\(id)", lastName: "l", age: id))
      }
    }
    try store.close()
  }

  func all(_ store: Store) throws -> [SeedModels.FullName] {
    let cursor = try store.snapshot().objects(SeedModels.FullName.self)
    var found: [SeedModels.FullName] = []
    while let object = try cursor.next() { found.append(object) }
    return found
  }

  @Test("R2, R3: the block is not called for a new store, nor for one of its version")
  func notCalled() throws {
    let refusing: Store.Configuration.MigrationClosure = { _, _ in throw StopError() }
    try open(SeedModels.Names.self, version: 4, refusing).close()
    var store = try open(SeedModels.Names.self, version: 4, refusing)
    try store.write { try $0.put(SeedModels.Names(id: 1)) }
    try store.close()
    store = try open(SeedModels.Names.self, version: 4, refusing)
    #expect(try store.snapshot().get(SeedModels.Names.self, 1) != nil)
    try store.close()
    #expect(throws: StoreError.self) { try open(SeedModels.Names.self, version: 5, refusing) }
    #expect(throws: StoreError.self) { try open(SeedModels.Names.self, version: 3) }
  }

  struct StopError: Error {}

  @Test("R5: models that changed under the same version are refused with every difference")
  func sameVersion() throws {
    try fill()
    #expect {
      _ = try open(SeedModels.FullName.self, version: 0)
    } throws: { error in
      guard case .modelsChanged(0, let differences)? = error as? StoreError else {
        return false
      }
      return differences.count == 3
    }
  }

  @Test("With onRead: create, delete and deleteData are refused at open, with the remedy")
  func needsEager() throws {
    try fill()
    for call in ["create", "delete", "deleteData"] {
      #expect(
        throws: StoreError.misplacedMigrationCall(
          call, "in a block with migrationTiming: .atOpen")
      ) {
        _ = try open(SeedModels.FullName.self, version: 1) { migration, _ in
          switch call {
          case "create": migration.create("Person", value: ["id": 9])
          case "deleteData": migration.deleteData(forType: "Person")
          default:
            throw StoreError.misplacedMigrationCall(
              call, "in a block with migrationTiming: .atOpen")
          }
        }
      }
    }
    // Inside of enumerateObjects it is found when an object is read.
    let store = try open(SeedModels.FullName.self, version: 1) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { _, new in
        if let new { migration.delete(new) }
      }
    }
    #expect(throws: StoreError.self) { try all(store) }
    try store.close()
    let kept = try open(SeedModels.Names.self, version: 0)
    #expect(try kept.snapshot().get(SeedModels.Names.self, 2)?.firstName == "f2")
    try kept.close()
  }

  @Test("R12, R13: wrong names, types and places fail the object and leave it as it was")
  func mistakes() throws {
    try fill(1)
    let wrong: [@Sendable (MigrationObject, MigrationObject) -> Void] = [
      { old, new in new["fullName"] = old["nothing"] },
      { old, new in new["firstName"] = old["firstName"] },
      { old, new in new["fullName"] = 5 },
      { old, new in old["firstName"] = "x" },
      { old, new in new["id"] = 5 },
      { old, new in new["fullName"] = nil },
    ]
    for wrong in wrong {
      for timing in SeedExampleTests.timings {
        #expect(throws: StoreError.self) {
          let store = try open(SeedModels.FullName.self, version: 1, timing: timing) {
            migration, _ in
            migration.enumerateObjects(ofType: "Person") { old, new in
              if let old, let new { wrong(old, new) }
            }
          }
          defer { try? store.close() }
          _ = try all(store)
        }
      }
    }
    let store = try open(SeedModels.Names.self, version: 0)
    #expect(try store.snapshot().get(SeedModels.Names.self, 0)?.firstName == "f0")
    try store.close()
  }

  @Test("At open: objects are created, changed after that, and deleted, in one transaction")
  func eager() throws {
    try fill(6)
    let store = try open(SeedModels.FullName.self, version: 1, timing: .atOpen) { migration, old in
      #expect(old == 0)
      #expect(migration.oldSchema.type(named: "Person")?.index(ofMember: "firstName") != nil)
      #expect(migration.newSchema.type(named: "Person")?.index(ofMember: "fullName") != nil)
      migration.enumerateObjects(ofType: "Person") { old, new in
        guard let old, let new, let age = old["age"] as? Int else { return }
        if age == 4 { return migration.delete(new) }
        new["fullName"] = "\(old["firstName"] ?? "") \(old["lastName"] ?? "")"
        if age == 1 {
          let made = migration.create("Person", value: ["id": 100, "fullName": "made"])
          made?["age"] = 77
        }
      }
      #expect(!migration.deleteData(forType: "Nothing"))
    }
    let found = try all(store)
    #expect(found.map(\.id) == [0, 1, 2, 3, 5, 100])
    #expect(found.last == .init(id: 100, fullName: "made", age: 77))
    #expect(found.first?.fullName == "f0 l")
    #expect(try store.statistics().oldestVersion == 1)
    try store.close()
    // It is done for good.
    let again = try open(SeedModels.FullName.self, version: 1, timing: .atOpen) { _, _ in
      throw StopError()
    }
    #expect(try all(again).count == 6)
    try again.close()
  }

  @Test("R32: all objects are deleted and others created in one block: only those remain")
  func replaceAll() throws {
    try fill()
    let store = try open(SeedModels.FullName.self, version: 1, timing: .atOpen) { migration, _ in
      #expect(migration.deleteData(forType: "Person"))
      migration.create("Person", value: ["id": 1, "fullName": "new"])
    }
    #expect(try all(store) == [.init(id: 1, fullName: "new", age: 0)])
    try store.close()
  }

  @Test("R33, R36: a block that fails at open, or makes a key twice, changes nothing")
  func failingAtOpen() throws {
    try fill()
    let blocks: [Store.Configuration.MigrationClosure] = [
      { migration, _ in
        migration.enumerateObjects(ofType: "Person") { old, _ in
          if old?["age"] as? Int == 2 { throw StopError() }
        }
      },
      { migration, _ in migration.create("Person", value: ["id": 1]) },
      { migration, _ in
        migration.create("Person", value: ["id": 50])
        throw StopError()
      },
    ]
    let before = try POSIXFileSystem().filesByName(in: path)
    for block in blocks {
      #expect(throws: StoreError.self) {
        try open(SeedModels.FullName.self, version: 1, timing: .atOpen, block)
      }
      #expect(try POSIXFileSystem().filesByName(in: path) == before)
      #expect(try Store.schemaVersion(at: path) == 0)
    }
    let store = try open(SeedModels.Names.self, version: 0)
    #expect(try store.snapshot().get(SeedModels.Names.self, 2)?.firstName == "f2")
    #expect(try store.snapshot().get(SeedModels.Names.self, 50) == nil)
    try store.close()
  }

  @Test("R24: renames of members that do not exist, or to ones of another type, are refused")
  func wrongRenames() throws {
    try fill()
    for (from, to) in [("nothing", "fullName"), ("age", "fullName")] {
      #expect(throws: StoreError.self, "\(from)") {
        try open(SeedModels.FullName.self, version: 1) { migration, _ in
          migration.renameProperty(onType: "Person", from: from, to: to)
        }
      }
    }
  }

  @Test("A change of type, or from optional to required, needs code and loses nothing without")
  func needsCode() throws {
    struct Later: StorableObject, Equatable {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var firstName = ""
      var age = "none"
      mutating func visitMembers<Visitor: MemberVisitor>(
        _ visitor: inout Visitor
      ) throws(StoreError) {
        try visitor.member("id", &id)
        try visitor.member("firstName", &firstName)
        try visitor.member("age", &age)
      }
    }
    try fill(1)
    #expect(
      throws: StoreError.migrationNeeded(
        type: "Person", member: "age", from: .int64, to: .string, version: 0)
    ) { try open(Later.self, version: 1) }
    let store = try open(Later.self, version: 1) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        if let age = old?["age"] as? Int { new?["age"] = "\(age) years" }
      }
    }
    #expect(
      try store.snapshot().get(Later.self, 0) == Later(id: 0, firstName: "f0", age: "0 years"))
    try store.close()
  }

  @Test("Objects of several old versions each go through the block for their version")
  func mixedVersions() throws {
    try fill(1)
    let middle = try open(SeedModels.Names.self, version: 1)
    try middle.write { try $0.put(SeedModels.Names(id: 7, firstName: "seven", lastName: "x")) }
    try middle.close()
    for timing in SeedExampleTests.timings {
      let store = try open(SeedModels.FullName.self, version: 2, timing: timing) {
        migration, old in
        migration.enumerateObjects(ofType: "Person") { object, new in
          new?["fullName"] = "\(object?["firstName"] ?? "") from \(old)"
        }
      }
      let names = try all(store).map(\.fullName)
      #expect(names == ["f0 from 0", "seven from 1"])
      try store.close()
    }
  }
}
