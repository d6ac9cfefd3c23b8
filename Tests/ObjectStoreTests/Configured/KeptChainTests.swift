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

  /// The block of a version, with a part for each before that and the next of the names.
  static func parts(
    _ names: [String], _ versions: [UInt64], of current: UInt64
  ) -> Store.Configuration.MigrationClosure {
    { migration, old in
      for (index, version) in versions.enumerated() where old < version && version <= current {
        migration.renameProperty(onType: "Person", from: names[index], to: names[index + 1])
      }
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
      let found = try Renames.readAndPut(
        fileSystem, version, Plain(id: id), timing, chain)
      #expect(found.prefix(3).map(\.c) == ["A", "B", ""])
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

  /// `a` became `c` without a word, which a later block says, and then `a` again.
  @Test(
    "What was brought back stays when its member gets the stored name again",
    arguments: [.onRead, .atOpen] as [Timing], [true, false])
  func renamedBack(timing: Timing, isGivenUp: Bool) throws {
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Named(id: 1, a: "A"))
    if isGivenUp {
      try Renames.put(fileSystem, 2, Empty(id: 2))
      try Renames.put(
        fileSystem, 3, Plain(id: 3, c: "C"), Renames.renaming([("a", "c")], before: 3))
    } else {
      try Renames.put(fileSystem, 2, Plain(id: 3, c: "C"))
    }
    let block: Store.Configuration.MigrationClosure = { migration, old in
      if old < 3 { migration.renameProperty(onType: "Person", from: "a", to: "c") }
      if old < 4 { migration.renameProperty(onType: "Person", from: "c", to: "a") }
    }
    for (id, version) in [(4, 4), (5, 4), (6, 5)] as [(Int, UInt64)] {
      let found = try Renames.readAndPut(
        fileSystem, version, Named(id: id), timing, block)
      let expected = isGivenUp ? ["A", "", "C"] : ["A", "C"]
      #expect(
        found.prefix(expected.count).map(\.a) == expected)
    }
  }

  /// What two parts brought back as `c` is `b` again, and then `a`.
  @Test(
    "What two parts brought back stays, whatever names of the chain it gets again",
    arguments: SeedExampleTests.timings)
  func broughtBackAndRenamed(timing: Timing) throws {
    let fileSystem = try Self.givenUp()
    let names = ["a", "b", "c", "b", "a"]
    let versions: [UInt64] = [2, 4, 5, 6]
    func open<Model: CodableObject>(
      _ model: Model.Type, _ version: UInt64, _ text: (Model) -> String, _ new: Model
    ) throws {
      let store = try MigrationOnceTests.open(
        fileSystem, [model], version, timing, Self.parts(names, versions, of: version))
      #expect(try ChangedKeyTests.all(store, model).prefix(3).map(text) == ["A", "B", ""])
      try store.write { try $0.put(new) }
      try store.close()
    }
    try open(Plain.self, 4, \.c, Plain(id: 4))
    for id in 5...6 { try open(Middle.self, 5, \.b, Middle(id: id, b: "")) }
    for id in 7...8 { try open(Named.self, 6, \.a, Named(id: id)) }
    try open(Named.self, 7, \.a, Named(id: 9))
  }

  /// `a` became `c` and `a` again, which was given up; the new `a` is another one.
  @Test(
    "A chain that leads back brings back nothing that was given up at its end",
    arguments: SeedExampleTests.timings, [true, false])
  func givenUpAtTheEnd(timing: Timing, skips: Bool) throws {
    func block(_ version: UInt64) -> Store.Configuration.MigrationClosure {
      Self.parts(["a", "c", "a"], [2, 3], of: version)
    }
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Named(id: 1, a: "A"), block(1))
    if !skips { try Renames.put(fileSystem, 2, Plain(id: 2, c: "C"), block(2)) }
    try Renames.put(fileSystem, 3, Named(id: 3, a: "B"), block(3))
    try Renames.put(fileSystem, 4, Empty(id: 4), block(4))
    for (id, version) in [(5, 5), (3, 5), (6, 5), (7, 6)] as [(Int, UInt64)] {
      // In the end no object has the version that shows it.
      let found = try Renames.readAndPut(
        fileSystem, version, Named(id: id), timing, block(version))
      #expect(found.allSatisfy { $0.a.isEmpty })
    }
  }

  /// `a` became `b`, which was given up; another `b` became `c` and `b` again.
  @Test(
    "Who skips the version of a name in between gets nothing that was given up before it",
    arguments: SeedExampleTests.timings, [true, false])
  func skippedInBetween(timing: Timing, skips: Bool) throws {
    func block(_ version: UInt64) -> Store.Configuration.MigrationClosure {
      Self.parts(["a", "b", "c", "b"], [2, 5, 6], of: version)
    }
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Named(id: 1, a: "A"), block(1))
    try Renames.put(fileSystem, 2, Middle(id: 2, b: "B"), block(2))
    try Renames.put(fileSystem, 3, Empty(id: 3), block(3))
    try Renames.put(fileSystem, 4, Middle(id: 4, b: "D"), block(4))
    if !skips { try Renames.put(fileSystem, 5, Plain(id: 5, c: "D"), block(5)) }
    for (id, version) in [(6, 6), (4, 6), (7, 6), (8, 7)] as [(Int, UInt64)] {
      let found = try Renames.readAndPut(
        fileSystem, version, Middle(id: id, b: id == 4 ? "D" : ""), timing, block(version))
      let old = found.filter { $0.id < 6 }
      #expect(old.map(\.b) == ["", "", "", "D"] + (skips ? [] : ["D"]))
    }
  }

  /// What a part brought back as `c` the model calls `b` later, and has another `c` then.
  @Test(
    "What was brought back goes along when the model renames it",
    arguments: [.onRead, .atOpen] as [Timing], [true, false])
  func renamedByModel(timing: Timing, keepsPart: Bool) throws {
    struct Called: CodableObject, Equatable {
      static let typeName = "Person"
      static let primaryKey = "id"
      static let formerNames = ["b": ["c"]]
      var id = 0
      var b = ""
      var c = "new"
    }
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Named(id: 1, a: "A"))
    try Renames.put(fileSystem, 2, Empty(id: 2))
    let block = Renames.renaming([("a", "c")], before: 2)
    try Renames.put(fileSystem, 3, Plain(id: 3, c: "C"), block)
    for (id, version) in [(4, 4), (5, 4), (6, 5)] as [(Int, UInt64)] {
      let found = try Renames.readAndPut(
        fileSystem, version, Called(id: id), timing, keepsPart ? block : nil)
      let old = found.prefix(3)
      #expect(old.map(\.b) == ["A", "", "C"])
      #expect(old.map(\.c) == ["new", "new", "new"])
    }
  }

  /// Of two members that a block calls `c`, the one that is stored behind the other became `d` by a
  /// part that is dropped.
  @Test(
    "What a block calls as one that it called so before takes nothing from that",
    arguments: SeedExampleTests.timings)
  func calledSoBefore(timing: Timing) throws {
    struct First: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var b = "B"
      var a = "A"
    }
    struct Second: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var b = "B"
      var c = "C"
    }
    struct Third: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var b = "B"
      var d = "D"
    }
    struct Last: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var c = ""
      var d = ""
    }
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, First(id: 1))
    try Renames.put(fileSystem, 2, Second(id: 2), Renames.renaming([("a", "c")], before: 2))
    try Renames.put(fileSystem, 3, Third(id: 3), Renames.renaming([("c", "d")], before: 3))
    let store = try MigrationOnceTests.open(fileSystem, [Last.self], 4, timing) { migration, old in
      if old < 2 { migration.renameProperty(onType: "Person", from: "a", to: "c") }
      if old < 4 { migration.renameProperty(onType: "Person", from: "b", to: "c") }
    }
    let found = try ChangedKeyTests.all(store, Last.self)
    #expect(found.map(\.c) == ["B", "B", "B"])
    #expect(found.map(\.d) == ["A", "C", "D"])
    try store.close()
  }

  /// Two members exchanged names in version 2; one of them was given up, and the other renamed.
  @Test(
    "A kept exchange brings back nothing once a name of it is gone",
    arguments: SeedExampleTests.timings, [true, false])
  func exchangedAndGivenUp(timing: Timing, isOldest: Bool) throws {
    struct Two: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var a = ""
      var c = ""
    }
    struct Last: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      static let formerNames = ["d": ["c"]]
      var id = 0
      var d = ""
      var c = "new"
    }
    let block = Renames.renaming([("c", "a"), ("a", "c")], before: 2)
    let fileSystem = InMemoryFileSystem()
    if isOldest { try Renames.put(fileSystem, 0, Empty(id: 0)) }
    try Renames.put(fileSystem, 1, Two(id: 1, a: "D", c: "gone"))
    try Renames.put(fileSystem, 2, Two(id: 2, a: "gone", c: "D"), block)
    try Renames.put(fileSystem, 3, Plain(id: 3, c: "D"), block)
    for (id, version) in [(5, 4), (6, 4), (7, 5)] as [(Int, UInt64)] {
      let found = try Renames.readAndPut(
        fileSystem, version, Last(id: id), timing, block)
      let old = found.filter { 1...3 ~= $0.id }
      #expect(old.map(\.d) == ["D", "D", "D"])
      #expect(old.map(\.c) == ["new", "new", "new"])
    }
  }

  /// `a` is `c` in objects of version 1 only, and that is `a` again; with `isNew` the part for
  /// these objects led to `a` itself, and another `c` became `a`.
  @Test(
    "What a block says last of older objects only it has not done for those behind them",
    arguments: SeedExampleTests.timings, [true, false])
  func saidOfOlderOnly(timing: Timing, isNew: Bool) throws {
    func block(_ version: UInt64) -> Store.Configuration.MigrationClosure {
      { migration, old in
        if old < 2, version >= (isNew ? 2 : 4) {
          migration.renameProperty(onType: "Person", from: "a", to: "c")
          if isNew { migration.renameProperty(onType: "Person", from: "c", to: "a") }
        }
        if old < 5, version >= 5 {
          migration.renameProperty(onType: "Person", from: "c", to: "a")
          if old < 2 { migration.renameProperty(onType: "Person", from: "other", to: "others") }
        }
      }
    }
    struct First: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var a = ""
      var other = ""
    }
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, First(id: 1, a: "A"))
    try Renames.put(fileSystem, 2, Named(id: 2, a: "B"), isNew ? block(2) : nil)
    if isNew { try Renames.put(fileSystem, 3, Empty(id: 3), block(3)) }
    try Renames.put(fileSystem, 4, Plain(id: 4, c: "C"), block(4))
    for (id, version) in [(5, 5), (6, 5), (2, 5), (7, 6)] as [(Int, UInt64)] {
      let found = try Renames.readAndPut(
        fileSystem, version, Named(id: id), timing, checksPurity: false, block(version))
      let old = found.filter { [1, 2, 4].contains($0.id) }
      #expect(old.map(\.a) == [isNew ? "" : "A", "", "C"])
    }
  }

  /// A hotfix kept `a` where the parts went to `c` and back, which the device skipped.
  @Test(
    "A chain that a device skipped brings back nothing that was given up behind it",
    arguments: SeedExampleTests.timings)
  func skippedAndGivenUp(timing: Timing) throws {
    let block: Store.Configuration.MigrationClosure = { migration, old in
      if old < 2 { migration.renameProperty(onType: "Person", from: "a", to: "c") }
      if old < 4 { migration.renameProperty(onType: "Person", from: "c", to: "a") }
    }
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Named(id: 1, a: "A"))
    try Renames.put(fileSystem, 3, Named(id: 3, a: "B"))
    try Renames.put(fileSystem, 5, Empty(id: 5))
    for (id, version) in [(6, 6), (3, 6), (7, 6), (8, 7)] as [(Int, UInt64)] {
      // In the hands of users: no name is checked.
      let found = try Renames.readAndPut(
        fileSystem, version, Named(id: id), timing, checksPurity: false, block)
      #expect(found.allSatisfy { $0.a.isEmpty })
    }
  }
}
