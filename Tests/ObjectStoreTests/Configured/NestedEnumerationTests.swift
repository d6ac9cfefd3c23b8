import FileIO
import Testing

@testable import ObjectStore

@Suite("What several calls of a block do to one object at open stays, in whatever order they do it")
struct NestedEnumerationTests {
  struct Thing: CodableObject, Equatable {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var number = 0
    var other = 0
  }

  /// What becomes of objects 1, 2 and 3.
  static func migrated(
    _ block: @escaping Store.Configuration.MigrationClosure
  ) throws -> [Thing] {
    let fileSystem = try VaryingValueTests.fill([Thing(id: 1), Thing(id: 2), Thing(id: 3)])
    let store = try MigrationOnceTests.open(fileSystem, [Thing.self], 1, .atOpen, block)
    defer { try? store.close() }
    return try ChangedKeyTests.all(store, Thing.self)
  }

  @Test("R31: an inner enumeration changes the object of the outer one, and both changes stay")
  func nested() throws {
    let found = try Self.migrated { migration, _ in
      migration.enumerateObjects(ofType: "Item") { outer, changed in
        let isFirst = outer?["id"] as? Int == 1
        migration.enumerateObjects(ofType: "Item") { _, new in
          if isFirst { new?["number"] = 7 }
        }
        if outer?["id"] as? Int == 2 { changed?["other"] = 8 }
      }
    }
    #expect(
      found == [
        Thing(id: 1, number: 7), Thing(id: 2, number: 7, other: 8), Thing(id: 3, number: 7),
      ])
  }

  @Test("R31: what an inner enumeration deletes does not come back")
  func deleted() throws {
    let found = try Self.migrated { migration, _ in
      migration.enumerateObjects(ofType: "Item") { _, changed in
        migration.enumerateObjects(ofType: "Item") { old, new in
          if old?["id"] as? Int == 1, let new { migration.delete(new) }
        }
        changed?["other"] = 8
      }
    }
    #expect(found == [Thing(id: 2, other: 8), Thing(id: 3, other: 8)])
  }

  final class Kept: @unchecked Sendable {
    // Sendable: the block runs on the thread of the test.
    var object: MigrationObject?
  }

  @Test("R31: a created object that is set later keeps what others changed in it")
  func created() throws {
    let found = try Self.migrated { migration, _ in
      let kept = Kept()
      migration.enumerateObjects(ofType: "Item") { old, new in
        guard old?["id"] as? Int == 1, let new else { return }
        migration.delete(new)
        kept.object = migration.create("Item", value: ["id": 1])
      }
      migration.enumerateObjects(ofType: "Item") { _, new in new?["number"] = 7 }
      kept.object?["other"] = 8
    }
    #expect(
      found == [
        Thing(id: 1, number: 7, other: 8), Thing(id: 2, number: 7), Thing(id: 3, number: 7),
      ])
  }

  @Test("deleteData alone answers for all that changed in its type")
  func deleteData() throws {
    struct Text: CodableObject, Equatable {
      static let typeName = "Item"
      static let primaryKey = "id"
      var id = 0
      var number = ""
    }
    let fileSystem = try VaryingValueTests.fill([Thing(id: 1), Thing(id: 2)])
    let store = try MigrationOnceTests.open(fileSystem, [Text.self], 1, .atOpen) { migration, _ in
      migration.deleteData(forType: "Item")
      migration.create("Item", value: ["id": 9, "number": "x"])
    }
    #expect(try ChangedKeyTests.all(store, Text.self) == [Text(id: 9, number: "x")])
    try store.close()
  }
}
