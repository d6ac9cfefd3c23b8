import FileIO
import Foundation
import Testing

@testable import ObjectStore

@Suite("Members whose initial values differ from one object to the next")
struct VaryingValueTests {
  typealias Timing = Store.Configuration.MigrationTiming

  struct Plain: CodableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
  }

  struct Dated: CodableObject, Equatable {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var created = Date()
  }

  static func fill<Model: StorableObject>(_ objects: [Model]) throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try MigrationOnceTests.open(fileSystem, [Model.self], 0)
    try store.write { transaction in for object in objects { try transaction.put(object) } }
    try store.close()
    return fileSystem
  }

  @Test("R22: a block at open sets a new one to anything, and must set it for every object")
  func added() throws {
    let fileSystem = try Self.fill([Plain(id: 1), Plain(id: 2)])
    #expect {
      try MigrationOnceTests.open(fileSystem, [Dated.self], 1, .atOpen) { migration, _ in
        migration.enumerateObjects(ofType: "Item") { old, new in
          if old?["id"] as? Int == 1 { new?["created"] = Date() }
        }
      }.close()
    } throws: {
      "\($0)".contains("Item 2: Item.created is date now, and missing in objects of version 0")
    }
    let store = try MigrationOnceTests.open(fileSystem, [Dated.self], 1, .atOpen) { migration, _ in
      migration.enumerateObjects(ofType: "Item") { _, new in
        new?["created"] = Date(timeIntervalSinceReferenceDate: 5)
      }
    }
    #expect(
      try ChangedKeyTests.all(store, Dated.self).map(\.created.timeIntervalSinceReferenceDate)
        == [5, 5])
    try store.close()
  }

  @Test("R19: a member of another type, too")
  func retyped() throws {
    struct Text: CodableObject {
      static let typeName = "Item"
      static let primaryKey = "id"
      var id = 0
      var created = ""
    }
    let fileSystem = try Self.fill([Text(id: 1, created: "5")])
    let store = try MigrationOnceTests.open(fileSystem, [Dated.self], 1, .atOpen) { migration, _ in
      migration.enumerateObjects(ofType: "Item") { old, new in
        let seconds = Double(old?["created"] as? String ?? "") ?? 0
        new?["created"] = Date(timeIntervalSinceReferenceDate: seconds)
      }
    }
    #expect(
      try store.snapshot().get(Dated.self, 1)?.created.timeIntervalSinceReferenceDate == 5)
    try store.close()
  }

  struct Unsure: CodableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var tag: UUID?
  }

  struct Sure: CodableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var tag = UUID()
  }

  @Test(
    "R26: one that becomes required keeps its values, and code sets it where it was nil",
    arguments: SeedExampleTests.timings, [true, false])
  func required(timing: Timing, isSet: Bool) throws {
    let (known, made) = (UUID(), UUID())
    let fileSystem = try Self.fill([Unsure(id: 1, tag: known), Unsure(id: 2)])
    var text: String?
    do {
      let store = try MigrationOnceTests.open(fileSystem, [Sure.self], 1, timing) { migration, _ in
        migration.enumerateObjects(ofType: "Item") { old, new in
          if isSet, old?["tag"] == nil { new?["tag"] = made }
        }
      }
      defer { try? store.close() }
      #expect(try store.snapshot().get(Sure.self, 1)?.tag == known)
      #expect(try store.snapshot().get(Sure.self, 2)?.tag == made)
    } catch { text = "\(error)" }
    if isSet {
      #expect(text == nil)
    } else {
      #expect(text?.contains("Item 2") == true)
      #expect(text?.contains("set it where it was nil, in enumerateObjects") == true)
    }
  }

  @Test("R31: what a block creates begins as the model does, each object by itself")
  func created() throws {
    struct Made: CodableObject {
      static let typeName = "Made"
      static let primaryKey = "id"
      var id = UUID()
      var at = Date()
      var note = "new"
    }
    let fileSystem = try Self.fill([Plain(id: 1)])
    let start = Date()
    let store = try MigrationOnceTests.open(
      fileSystem, [Plain.self, Made.self], 1, .atOpen
    ) { migration, _ in
      migration.create("Made")
      migration.create("Made", value: ["note": "other"])
      migration.create("Made", value: ["at": Date(timeIntervalSinceReferenceDate: 0)])
    }
    let found = try ChangedKeyTests.all(store, Made.self)
    #expect(found.count == 3)
    #expect(found.filter { $0.at >= start && $0.at <= Date() }.count == 2)
    #expect(found.map(\.note).sorted() == ["new", "new", "other"])
    try store.close()
  }
}
