import FileIO
import Testing

@testable import ObjectStore

/// Parts of a block that rename one after the other.
@Suite("R23, R24: chains of kept parts")
struct KeptChainTests {
  typealias Timing = Store.Configuration.MigrationTiming
  typealias Renames = RenamedOntoMemberTests
  typealias Named = RenamedOntoMemberTests.Named
  typealias Middle = RecordedLineageTests.Middle
  typealias Plain = KeptPartTests.Plain
  typealias Empty = KeptPartTests.Empty

  /// `a` becomes `b` in version 2, and that `c` for all versions before one.
  static func chain(before version: UInt64) -> Store.Configuration.MigrationClosure {
    { migration, old in
      if old < 2 { migration.renameProperty(onType: "Person", from: "a", to: "b") }
      if old < version { migration.renameProperty(onType: "Person", from: "b", to: "c") }
    }
  }

  /// An object of each version to 3, in which `b`, that was `a`, is given up.
  static func givenUp() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Named(id: 1, a: "A"))
    try Renames.put(fileSystem, 2, Middle(id: 2, b: "B"), KeptPartTests.block)
    try Renames.put(fileSystem, 3, Empty(id: 3), KeptPartTests.block)
    return fileSystem
  }

  /// `a` became `b`, which was given up; the new `b` becomes `c` by a part for all versions before.
  @Test(
    "A chain of kept parts brings back nothing that was given up in the middle of it",
    arguments: SeedExampleTests.timings)
  func givenUpInBetween(timing: Timing) throws {
    struct Anew: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var b = 7
    }
    struct Last: CodableObject, Equatable {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var c = 0
    }
    let chain = Self.chain(before: 5)
    let fileSystem = try Self.givenUp()
    try Renames.put(fileSystem, 4, Anew(id: 4, b: 4), KeptPartTests.block)
    for version in [5, 6] as [UInt64] {
      let store = try MigrationOnceTests.open(fileSystem, [Last.self], version, timing, chain)
      #expect(
        try ChangedKeyTests.all(store, Last.self)
          == [(1, 7), (2, 7), (3, 7), (4, 4)].map { Last(id: $0.0, c: $0.1) })
      try store.close()
    }
  }

  /// `b`, which was `a`, was given up in version 3, and no other member has its name.
  @Test(
    "Two parts bring back in all objects what was given up in between",
    arguments: SeedExampleTests.timings)
  func broughtBackInTwo(timing: Timing) throws {
    let chain = Self.chain(before: 4)
    let fileSystem = try Self.givenUp()
    for (id, version) in [(4, 4), (5, 4), (6, 5)] as [(Int, UInt64)] {
      let store = try MigrationOnceTests.open(fileSystem, [Plain.self], version, timing, chain)
      #expect(try ChangedKeyTests.all(store, Plain.self).prefix(3).map(\.c) == ["A", "B", ""])
      try store.write { try $0.put(Plain(id: id)) }
      try store.close()
    }
  }

  @Test(
    "Nor does it matter whether the member was there before the parts",
    arguments: SeedExampleTests.timings)
  func broughtBackLater(timing: Timing) throws {
    let chain = Self.chain(before: 5)
    let fileSystem = try Self.givenUp()
    try Renames.put(fileSystem, 4, Plain(id: 4, c: "C"), KeptPartTests.block)
    let store = try MigrationOnceTests.open(fileSystem, [Plain.self], 5, timing, chain)
    #expect(try ChangedKeyTests.all(store, Plain.self).map(\.c) == ["A", "B", "", "C"])
    try store.close()
  }

  /// `b` is another member in version 2, as `a` was not said to be it; later blocks do.
  @Test("A rename that was forgotten may be said later, also where the name has changed since")
  func saidLater() throws {
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Named(id: 1, a: "A"))
    try Renames.put(fileSystem, 2, Middle(id: 2, b: "B"))
    let chain = Self.chain(before: 3)
    let store = try MigrationOnceTests.open(fileSystem, [Plain.self], 3, .onRead, chain)
    #expect(try ChangedKeyTests.all(store, Plain.self).map(\.c) == ["A", "B"])
    try store.close()
  }

  @Test(
    "A part that names what was given up brings it back",
    arguments: SeedExampleTests.timings)
  func broughtBack(timing: Timing) throws {
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Named(id: 1, a: "A"))
    try Renames.put(fileSystem, 2, Empty(id: 2))
    let store = try MigrationOnceTests.open(
      fileSystem, [Plain.self], 3, timing, Renames.renaming([("a", "c")], before: 3))
    #expect(try ChangedKeyTests.all(store, Plain.self).map(\.c) == ["A", ""])
    try store.close()
  }
}
