import FileIO
import Testing

@testable import ObjectStore

@Suite("R24: a rename that the store knows is followed when models and blocks say no more of it")
struct KnownRenameTests {
  typealias Timing = Store.Configuration.MigrationTiming

  struct Full: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("fullName")]
    var id = 0
    var fullName = ""
  }

  /// The same with the old name for a member of its own.
  struct Both: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var fullName = ""
    var name = ""
  }

  /// Object 1 of version 0, and 2 of version 1, which renamed.
  static func fill(byBlock: Bool) throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, ReusedNameTests.Named(id: 1, name: "Ada"))
    if byBlock {
      try RenamedOntoMemberTests.put(
        fileSystem, 1, Full(id: 2, fullName: "Bob"),
        RenamedOntoMemberTests.renaming([("name", "fullName")], before: 1))
    } else {
      try RenamedOntoMemberTests.put(
        fileSystem, 1, ReusedNameTests.Full(id: 2, fullName: "Bob"))
    }
    return fileSystem
  }

  @Test(
    "Objects from before the rename keep their values", arguments: SeedExampleTests.timings,
    [false, true])
  func kept(timing: Timing, byBlock: Bool) throws {
    let fileSystem = try Self.fill(byBlock: byBlock)
    for _ in 0..<2 {
      let store = try MigrationOnceTests.open(fileSystem, [Full.self], 2, timing)
      #expect(
        try ChangedKeyTests.all(store, Full.self)
          == [Full(id: 1, fullName: "Ada"), Full(id: 2, fullName: "Bob")])
      try store.buildIndexes()
      let found = try store.snapshot().objects(Full.self, where: "fullName", equals: "Ada").all()
      #expect(found.map(\.id) == [1])
      try store.close()
    }
  }

  @Test("The old name may be that of another member", arguments: SeedExampleTests.timings)
  func reused(timing: Timing) throws {
    let fileSystem = try Self.fill(byBlock: false)
    let store = try MigrationOnceTests.open(fileSystem, [Both.self], 2, timing)
    #expect(
      try ChangedKeyTests.all(store, Both.self)
        == [Both(id: 1, fullName: "Ada"), Both(id: 2, fullName: "Bob")])
    try store.close()
  }

  @Test("Code finds the value under the new name", arguments: SeedExampleTests.timings)
  func code(timing: Timing) throws {
    let fileSystem = try Self.fill(byBlock: true)
    let store = try MigrationOnceTests.open(fileSystem, [Both.self], 2, timing) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        new?["name"] = "\(old?["fullName"] ?? "")!"
      }
    }
    #expect(
      try ChangedKeyTests.all(store, Both.self) == [
        Both(id: 1, fullName: "Ada", name: "Ada!"), Both(id: 2, fullName: "Bob", name: "Bob!"),
      ])
    try store.close()
  }

  @Test("What a block says for objects of a version goes before it")
  func blockFirst() throws {
    let fileSystem = try Self.fill(byBlock: false)
    let store = try MigrationOnceTests.open(
      fileSystem, [Both.self], 2, .onRead,
      RenamedOntoMemberTests.renaming([("name", "fullName")], before: 1))
    #expect(
      try ChangedKeyTests.all(store, Both.self)
        == [Both(id: 1, fullName: "Ada"), Both(id: 2, fullName: "Bob")])
    try store.close()
  }
}
