import FileIO
import Testing

@testable import ObjectStore

/// What a block brings back of members that were given up, when it is recorded (decision 143).
@Suite("R22, R23: what is brought back reads the same before and after it is recorded")
struct BroughtBackTests {
  typealias Timing = Store.Configuration.MigrationTiming
  typealias Renames = RenamedOntoMemberTests
  typealias Named = RenamedOntoMemberTests.Named
  typealias Plain = KeptPartTests.Plain
  typealias Empty = KeptPartTests.Empty

  struct Kept: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var b = ""
  }

  struct Later: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var c = ""
    var d = ""
  }

  private static let block = Renames.renaming([("a", "c")], before: 2)

  /// Opens it as version 4 and writes, three times, and then as version 5.
  private static func texts(
    _ fileSystem: InMemoryFileSystem, _ timing: Timing
  ) throws -> [[String]] {
    var texts: [[String]] = []
    for (id, version) in [(10, 4), (11, 4), (12, 4), (13, 5)] as [(Int, UInt64)] {
      let found = try Renames.readAndPut(
        fileSystem, version, Plain(id: id), timing, block)
      texts.append(found.filter { $0.id < 10 }.map(\.c))
    }
    return texts
  }

  @Test(
    "A member that is brought back is the one that it was in objects of all versions",
    arguments: SeedExampleTests.timings)
  func inLaterVersions(timing: Timing) throws {
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Named(id: 1, a: "A"))
    try Renames.put(fileSystem, 2, Named(id: 2, a: "B"))
    try Renames.put(fileSystem, 3, Empty(id: 3))
    let found = try Self.texts(fileSystem, timing)
    #expect(found == Array(repeating: ["A", "B", ""], count: 4))
  }

  /// `c` was there before, and given up; version 1 recorded nothing of where its members come from.
  @Test("What an older library did not record opens as often as it opened")
  func unrecordedBefore() throws {
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Named(id: 1, a: "A"))
    try RecordedLineageTests.forget(fileSystem)
    try Renames.put(fileSystem, 2, Plain(id: 2, c: "C"))
    try Renames.put(fileSystem, 3, Empty(id: 3))
    let found = try Self.texts(fileSystem, .onRead)
    #expect(found == Array(repeating: ["A", "", ""], count: 4))
  }

  @Test("Objects from before a member that is brought back have what it began with")
  func fromBefore() throws {
    struct First: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var a = "began"
    }
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 0, Empty(id: 0))
    try Renames.put(fileSystem, 1, First(id: 1, a: "A"))
    try Renames.put(fileSystem, 3, Empty(id: 3))
    let found = try Self.texts(fileSystem, .onRead)
    #expect(found == Array(repeating: ["began", "A", ""], count: 4))
  }

  /// The version before the one that makes another member of it has it still.
  @Test(
    "What a part says of older objects only it says of these, before and after the first write",
    arguments: SeedExampleTests.timings)
  func inOlderVersionsOnly(timing: Timing) throws {
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Named(id: 1, a: "A"))
    try Renames.put(fileSystem, 2, Named(id: 2, a: "B"))
    let found = try Self.texts(fileSystem, timing)
    #expect(found == Array(repeating: ["A", ""], count: 4))
  }

  @Test("What opened once opens again, whatever an older library did not record")
  func unrecordedInOlderVersions() throws {
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 0, Plain(id: 0, c: "C"))
    try Renames.put(fileSystem, 1, Named(id: 1, a: "A"))
    try RecordedLineageTests.forget(fileSystem)
    try Renames.put(fileSystem, 2, Named(id: 2, a: "B"))
    let found = try Self.texts(fileSystem, .onRead)
    #expect(found == Array(repeating: ["", "A", ""], count: 4))
  }

  @Test("R12: a block is called for older versions only, also where it leads names back")
  func calls() throws {
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Named(id: 1, a: "A"))
    try Renames.put(fileSystem, 2, Plain(id: 2, c: "C"), Renames.renaming([("a", "c")]))
    let called = Lock<Set<UInt64>>([])
    for id in [3, 2, 4] {
      let store = try MigrationOnceTests.open(fileSystem, [Named.self], 3, .onRead) {
        migration, old in
        called.withLock { _ = $0.insert(old) }
        if old < 2 { migration.renameProperty(onType: "Person", from: "a", to: "c") }
        if old < 3 { migration.renameProperty(onType: "Person", from: "c", to: "a") }
      }
      #expect(try ChangedKeyTests.all(store, Named.self).first?.a == "A")
      try store.write { try $0.put(Named(id: id)) }
      try store.close()
    }
    #expect(called.withLock { $0 } == [1, 2])
  }

  /// Version 4 has no objects, and tells for two members of three versions what the block means.
  @Test("R12: a block is called once for each version, also for one without objects, at an opening")
  func callsOnce() throws {
    let fileSystem = InMemoryFileSystem()
    for version in 1...4 {
      try Renames.put(
        fileSystem, UInt64(version), Renames.Two(id: version, a: "A", b: "B"))
    }
    try Renames.put(fileSystem, 5, Later(id: 4, c: "C", d: "D"))
    let calls = MigrationOnceTests.Calls()
    let store = try MigrationOnceTests.open(fileSystem, [Later.self], 6, .onRead) {
      migration, old in
      calls.note(old)
      guard old < 4 else { return }
      for (from, to) in [("a", "c"), ("b", "d")] {
        migration.renameProperty(onType: "Person", from: from, to: to)
      }
    }
    try store.close()
    #expect(calls.versions.sorted() == [1, 2, 3, 4, 5])
  }

  @Test(
    "R12: on read a block is not called for what only others wrote, where the store has its types")
  func callsBesideOthers() throws {
    for (isKnown, versions) in [(true, [4]), (false, [5])] as [(Bool, [UInt64])] {
      let fileSystem = InMemoryFileSystem()
      if isKnown { try Renames.put(fileSystem, 4, Named(id: 1, a: "A")) }
      try Renames.put(fileSystem, 5, PartlyKnownModelsTests.Note(id: 1))
      let calls = MigrationOnceTests.Calls()
      let store = try MigrationOnceTests.open(fileSystem, [Named.self], 6, .onRead) { _, old in
        calls.note(old)
      }
      try store.close()
      #expect(calls.versions == versions)
    }
  }

  /// Version 2 is that of an app which knows notes only.
  @Test("What is brought back is recorded, also behind a version of an app with other models")
  func besideOthers() throws {
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Named(id: 1, a: "1"))
    try Renames.put(fileSystem, 2, PartlyKnownModelsTests.Note(id: 1))
    try Renames.put(fileSystem, 3, Plain(id: 3, c: "3"))
    let block = Renames.renaming([("a", "c")], before: 3)
    for (id, version) in [(4, 4), (5, 4), (6, 5)] as [(Int, UInt64)] {
      let found = try Renames.readAndPut(
        fileSystem, version, Plain(id: id), .onRead, version == 4 ? block : nil)
      #expect(found.prefix(2).map(\.c) == ["1", "3"])
    }
  }

  /// Version 5 has both members that parts make `c`, each for other versions, or the later one.
  @Test(
    "What parts bring back of the version before, older objects have, whether others have that one",
    arguments: SeedExampleTests.timings, [true, false])
  func anotherBefore(timing: Timing, isLeft: Bool) throws {
    for isGivenUp in [false, true] {
      let fileSystem = InMemoryFileSystem()
      try Renames.put(fileSystem, 4, Renames.Two(id: 1, a: "4a", b: "4b"))
      if isGivenUp {
        try Renames.put(fileSystem, 5, Kept(id: 2, b: "5b"))
      } else {
        try Renames.put(fileSystem, 5, Renames.Two(id: 2, a: "5a", b: "5b"))
      }
      try Renames.put(fileSystem, 6, Plain(id: isLeft ? 3 : 2, c: "6"))
      for (id, version) in [(4, 7), (5, 7), (6, 8)] as [(Int, UInt64)] {
        let found = try Renames.readAndPut(
          fileSystem, version, Plain(id: id), timing, version == 7 ? Self.another : nil)
        let texts = isLeft ? ["4b", "5b", "6"] : ["4b", "6"]
        #expect(found.prefix(texts.count).map(\.c) == texts)
      }
    }
  }

  private static let another: Store.Configuration.MigrationClosure = { migration, old in
    guard old < 6 else { return }
    migration.renameProperty(onType: "Person", from: old < 5 ? "a" : "b", to: "c")
  }

  /// What `b` was when version 3 introduced it is not known, and a later build of version 6 is to
  /// make `c` of it.
  @Test("What opened once opens again, also where the version before speaks of what is not known")
  func unrecordedAnother() throws {
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 2, Plain(id: 2, c: "old"))
    try Renames.put(fileSystem, 3, Kept(id: 3, b: "3"))
    try RecordedLineageTests.forget(fileSystem)
    try Renames.put(fileSystem, 4, Renames.Two(id: 3))
    try Renames.put(fileSystem, 4, Renames.Two(id: 4, a: "4a", b: "4b"))
    try Renames.put(fileSystem, 5, Renames.Two(id: 5))
    try Renames.put(fileSystem, 6, Plain(id: 5, c: "6"))
    try Renames.put(fileSystem, 6, Plain(id: 3, c: "3"))
    for id in 6...8 {
      let found = try Renames.readAndPut(fileSystem, 6, Plain(id: id), .onRead, Self.another)
      #expect(found.prefix(4).map(\.c) == ["", "3", "4a", "6"])
    }
  }

  /// A part for version 5 makes two members of those of version 4, one for version 4 only one.
  @Test(
    "All that a part brings back of the version before counts, whether objects have that one",
    arguments: SeedExampleTests.timings, [true, false])
  func allOfBefore(timing: Timing, isLeft: Bool) throws {
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 4, Renames.Two(id: 1, a: "4a", b: "4b"))
    try Renames.put(fileSystem, 5, Renames.Two(id: 2, a: "5a", b: "5b"))
    try Renames.put(fileSystem, 6, Later(id: isLeft ? 3 : 2, c: "6c", d: "6d"))
    let block: Store.Configuration.MigrationClosure = { migration, old in
      guard old < 6 else { return }
      migration.renameProperty(onType: "Person", from: old < 5 ? "a" : "b", to: "c")
      if old == 5 { migration.renameProperty(onType: "Person", from: "a", to: "d") }
    }
    var expected = [Later(id: 1, c: "4b", d: "4a")]
    if isLeft { expected.append(Later(id: 2, c: "5b", d: "5a")) }
    expected.append(Later(id: isLeft ? 3 : 2, c: "6c", d: "6d"))
    for (id, version) in [(4, 7), (5, 7), (6, 8)] as [(Int, UInt64)] {
      let found = try Renames.readAndPut(
        fileSystem, version, Later(id: id), timing, version == 7 ? block : nil)
      #expect(Array(found.prefix(expected.count)) == expected)
    }
  }

  struct Pair: Codable, Equatable {
    var x = 0
    var y = 0
  }

  struct Single: Codable, Equatable { var x = 0 }

  /// Version 5 has `a` and `n` in other forms beside `c` and `m`, which a part makes of them.
  @Test(
    "Of two members side by side the newer one says what the member was, however they are declared",
    arguments: SeedExampleTests.timings, [true, false])
  func newerOfTwo(timing: Timing, isLast: Bool) throws {
    struct First: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var a = Pair()
      var n: Int?
    }
    struct Behind: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var a = Single()
      var c = Pair()
      var n: Int?
      var m = 5
    }
    struct Before: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var c = Pair()
      var a = Single()
      var m = 5
      var n: Int?
    }
    struct Last: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var c = Pair()
      var m = 9
    }
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 4, First(id: 1, a: Pair(x: 1, y: 2)))
    if isLast {
      try Renames.put(fileSystem, 5, Behind(id: 2))
    } else {
      try Renames.put(fileSystem, 5, Before(id: 2))
    }
    for (id, version) in [(3, 6), (4, 6), (5, 7)] as [(Int, UInt64)] {
      let found = try Renames.readAndPut(fileSystem, version, Last(id: id), timing) {
        migration, old in
        guard old < 5 else { return }
        migration.renameProperty(onType: "Person", from: "a", to: "c")
        migration.renameProperty(onType: "Person", from: "n", to: "m")
        migration.enumerateObjects(ofType: "Person") { _, _ in }
      }
      #expect(found.prefix(2).map(\.c) == [Pair(x: 1, y: 2), Pair()])
      #expect(found.prefix(2).map(\.m) == [5, 5])
    }
  }

  /// `y` came into `a` in version 5, with which a new `c` came that has it, too.
  @Test(
    "What was added inside of the older one is in what is brought back of it",
    arguments: SeedExampleTests.timings, [true, false])
  func addedInsideOlder(timing: Timing, isLast: Bool) throws {
    struct Seven: Codable {
      var x = 0
      var y = 7
    }
    struct Eight: Codable {
      var x = 0
      var y = 8
    }
    struct First: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var a = Single()
    }
    struct Behind: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var a = Seven()
      var c = Pair()
    }
    struct Before: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var c = Pair()
      var a = Seven()
    }
    struct Last: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var c = Eight()
    }
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 3, First(id: 1, a: Single(x: 1)))
    if isLast {
      try Renames.put(fileSystem, 5, Behind(id: 2, c: Pair(x: 2, y: 5)))
    } else {
      try Renames.put(fileSystem, 5, Before(id: 2, c: Pair(x: 2, y: 5)))
    }
    let block = Renames.renaming([("a", "c")], before: 5)
    for (id, version) in [(3, 6), (4, 6), (5, 7)] as [(Int, UInt64)] {
      let found = try Renames.readAndPut(fileSystem, version, Last(id: id), timing, block)
      #expect(found.prefix(2).map(\.c.x) == [1, 2])
      #expect(found.prefix(2).map(\.c.y) == [7, 5])
    }
  }

  @Test("So it is when a later build of a version says more than the first")
  func unrecordedInLaterBuild() throws {
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 0, Plain(id: 0, c: "C"))
    try Renames.put(fileSystem, 1, Named(id: 1, a: "A"))
    try RecordedLineageTests.forget(fileSystem)
    try Renames.put(fileSystem, 2, Plain(id: 2, c: "X"))
    for id in 3...5 {
      let found = try Renames.readAndPut(
        fileSystem, 2, Plain(id: id), .onRead, Self.block)
      #expect(found.prefix(3).map(\.c) == ["", "A", "X"])
    }
  }
}
