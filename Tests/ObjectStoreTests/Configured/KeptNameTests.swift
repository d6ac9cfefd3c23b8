import FileIO
import Testing

@testable import ObjectStore

/// Parts of a block that say a name for all versions before one, whoever has it there.
@Suite("R22, R23: what a version read of a member, the next one reads, whatever parts say of names")
struct KeptNameTests {
  typealias Timing = Store.Configuration.MigrationTiming
  typealias Renames = RenamedOntoMemberTests
  typealias Named = RenamedOntoMemberTests.Named
  typealias Middle = RecordedLineageTests.Middle
  typealias Plain = KeptPartTests.Plain
  typealias Both = RenamedOntoMemberTests.Unsaid
  typealias Part = (version: UInt64, from: String, to: String)

  /// The block of a version, with all parts until then but those that were dropped.
  static func block(
    _ parts: [Part], of current: UInt64, dropping dropped: Range<UInt64> = 0..<0
  ) -> Store.Configuration.MigrationClosure {
    { migration, old in
      for part in parts where old < part.version && part.version <= current {
        if dropped.contains(part.version) { continue }
        migration.renameProperty(onType: "Person", from: part.from, to: part.to)
      }
    }
  }

  /// What a member holds in the objects that were there before; puts one more.
  private static func texts<Model: StorableObject>(
    _ fileSystem: InMemoryFileSystem, _ version: UInt64, _ object: Model, _ timing: Timing,
    _ block: Store.Configuration.MigrationClosure?, _ text: (Model) -> String
  ) throws -> [String] {
    try Renames.readAndPut(fileSystem, version, object, timing, checksPurity: false, block)
      .map(text)
  }

  /// `a` became `b`, which was given up; `c`, which came with it, becomes `b`, `c` and `b` again.
  @Test(
    "A member that gets a name in turns gets nothing that was given up under it",
    arguments: SeedExampleTests.timings)
  func inTurns(timing: Timing) throws {
    let parts: [Part] = [(2, "a", "b"), (4, "c", "b"), (5, "b", "c"), (7, "c", "b")]
    let fileSystem = InMemoryFileSystem()
    func block(_ version: UInt64) -> Store.Configuration.MigrationClosure {
      Self.block(parts, of: version)
    }
    try Renames.put(fileSystem, 1, Named(id: 1, a: "A"))
    try Renames.put(fileSystem, 2, Both(id: 2, b: "gone", c: "2"), block(2))
    var texts = try Self.texts(fileSystem, 3, Plain(id: 3, c: "3"), timing, block(3), \.c)
    #expect(texts == ["", "2"])
    texts = try Self.texts(fileSystem, 4, Middle(id: 4, b: "4"), timing, block(4), \.b)
    #expect(texts == ["", "2", "3"])
    texts = try Self.texts(fileSystem, 5, Plain(id: 5, c: "5"), timing, block(5), \.c)
    #expect(texts == ["", "2", "3", "4"])
    for (id, version) in [(6, 7), (7, 7), (8, 8)] as [(Int, UInt64)] {
      texts = try Self.texts(
        fileSystem, version, Middle(id: id, b: ""), timing, block(version), \.b)
      #expect(texts.prefix(5) == ["", "2", "3", "4", "5"])
    }
  }

  /// `a` became `b` without a word, and that `a`, `b` and `a` again by parts, the first of which is
  /// dropped.
  @Test(
    "A part that is dropped brings back nothing by the parts behind it",
    arguments: SeedExampleTests.timings)
  func dropped(timing: Timing) throws {
    let parts: [Part] = [(3, "b", "a"), (4, "a", "b"), (5, "b", "a")]
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Named(id: 1, a: "A"))
    try Renames.put(fileSystem, 2, Middle(id: 2, b: "2"))
    try Renames.put(fileSystem, 3, Named(id: 3, a: "3"), Self.block(parts, of: 3))
    try Renames.put(fileSystem, 4, Middle(id: 4, b: "4"), Self.block(parts, of: 4))
    for (id, version) in [(5, 5), (6, 5), (7, 6)] as [(Int, UInt64)] {
      let texts = try Self.texts(
        fileSystem, version, Named(id: id), timing,
        Self.block(parts, of: version, dropping: 3..<4), \.a)
      #expect(texts.prefix(4) == ["", "2", "3", "4"])
    }
  }

  /// `a` was given up; another `a` became `c`, which was given up, too, and then `b` became `c`.
  @Test(
    "A part that renamed another member brings back nothing under its name",
    arguments: SeedExampleTests.timings)
  func renamedAnother(timing: Timing) throws {
    let parts: [Part] = [(4, "a", "c"), (6, "b", "c")]
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Named(id: 1, a: "gone"))
    try Renames.put(fileSystem, 2, KeptPartTests.Empty(id: 2))
    try Renames.put(fileSystem, 3, Named(id: 3, a: "gone"))
    try Renames.put(fileSystem, 4, Plain(id: 4, c: "gone"), Self.block(parts, of: 4))
    try Renames.put(fileSystem, 5, Middle(id: 5, b: "5"))
    for (id, version) in [(6, 6), (7, 6), (8, 7)] as [(Int, UInt64)] {
      let texts = try Self.texts(
        fileSystem, version, Plain(id: id), timing, Self.block(parts, of: version), \.c)
      #expect(texts.prefix(5) == ["", "", "", "", "5"])
    }
  }

  /// `b` was given up; two others, `c` and the new `b`, exchange names.
  @Test(
    "An exchange brings back nothing that had the name of one of the two",
    arguments: SeedExampleTests.timings)
  func exchanged(timing: Timing) throws {
    let parts: [Part] = [(4, "b", "c"), (4, "c", "b")]
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Middle(id: 1, b: "gone"))
    try Renames.put(fileSystem, 2, Plain(id: 2, c: "2"))
    try Renames.put(fileSystem, 3, Both(id: 3, b: "3b", c: "3c"))
    for (id, version) in [(4, 4), (5, 4), (6, 5)] as [(Int, UInt64)] {
      let found = try Renames.readAndPut(
        fileSystem, version, Both(id: id, b: "", c: ""), timing, Self.block(parts, of: version))
      #expect(found.prefix(3).map(\.b) == ["", "2", "3c"])
      #expect(found.prefix(3).map(\.c) == ["", "", "3b"])
    }
  }

  /// `b` and `c` exchanged names and were given up; a new `c` is `a` now.
  @Test(
    "A kept exchange brings back neither of the two under the name that another one gets",
    arguments: SeedExampleTests.timings)
  func exchangedBefore(timing: Timing) throws {
    let parts: [Part] = [(3, "c", "b"), (3, "b", "c"), (6, "c", "a")]
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 2, Both(id: 2, b: "gone", c: "gone"))
    try Renames.put(fileSystem, 3, Both(id: 3, b: "gone", c: "gone"), Self.block(parts, of: 3))
    try Renames.put(fileSystem, 4, Middle(id: 4, b: "gone"), Self.block(parts, of: 4))
    try Renames.put(fileSystem, 5, Plain(id: 5, c: "5"))
    for (id, version) in [(6, 6), (7, 6), (8, 7)] as [(Int, UInt64)] {
      let texts = try Self.texts(
        fileSystem, version, Named(id: id), timing, Self.block(parts, of: version), \.a)
      #expect(texts.prefix(4) == ["", "", "", "5"])
    }
  }

  /// `b` came in version 2, and exchanges names with `c` in version 3.
  @Test(
    "An exchange that is said for the versions with both reads the same where they were skipped",
    arguments: SeedExampleTests.timings, [true, false])
  func exchangedForBoth(timing: Timing, skips: Bool) throws {
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Plain(id: 1, c: "1"))
    if !skips { try Renames.put(fileSystem, 2, Both(id: 2, b: "2b", c: "2c")) }
    for (id, version) in [(3, 3), (4, 3), (5, 4)] as [(Int, UInt64)] {
      let found = try Renames.readAndPut(
        fileSystem, version, Both(id: id, b: "", c: ""), timing
      ) { migration, old in
        if old < 3 { migration.renameProperty(onType: "Person", from: "c", to: "b") }
        if old == 2 { migration.renameProperty(onType: "Person", from: "b", to: "c") }
      }
      #expect(found.prefix(skips ? 1 : 2).map(\.b) == (skips ? ["1"] : ["1", "2c"]))
      #expect(found.prefix(skips ? 1 : 2).map(\.c) == (skips ? [""] : ["", "2b"]))
    }
  }

  /// `b` came beside `c`, which was given up; a part brings back `c` as `b`.
  @Test(
    "A part leaves an object its own value of a member, where it has the one that is brought back",
    arguments: SeedExampleTests.timings)
  func sideBySide(timing: Timing) throws {
    let block = Self.block([(3, "c", "b")], of: 3)
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Plain(id: 1, c: "1"))
    try Renames.put(fileSystem, 2, Both(id: 2, b: "2", c: "gone"))
    try Renames.put(fileSystem, 3, Middle(id: 3, b: "3"))
    for (id, version) in [(4, 4), (2, 4), (5, 4), (6, 5)] as [(Int, UInt64)] {
      let texts = try Self.texts(
        fileSystem, version, Middle(id: id, b: id == 2 ? "2" : ""), timing, block, \.b)
      #expect(texts.prefix(3) == ["1", "2", "3"])
    }
  }

  /// `a` became `c` without a word, which a part says in version 4 only.
  @Test(
    "What a part brings back does not depend on the versions that other objects have",
    arguments: SeedExampleTests.timings, [true, false])
  func whateverIsLeft(timing: Timing, isLeft: Bool) throws {
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Named(id: 1, a: "1"))
    try Renames.put(fileSystem, 2, Named(id: 2, a: "2"))
    try Renames.put(fileSystem, 3, Plain(id: isLeft ? 3 : 2, c: "3"))
    let block = Self.block([(3, "a", "c")], of: 4)
    for (id, version) in [(4, 4), (5, 4), (6, 5)] as [(Int, UInt64)] {
      let texts = try Self.texts(
        fileSystem, version, Plain(id: id), timing, version == 4 ? block : nil, \.c)
      #expect(texts.prefix(isLeft ? 3 : 2) == (isLeft ? ["1", "2", "3"] : ["1", "3"]))
    }
  }

  /// `a` became `b` without a word, which is `c` since; a new `a` became `b` then.
  @Test(
    "What a part brings back stays so where a third member is renamed alike afterwards",
    arguments: SeedExampleTests.timings)
  func renamedAlikeAfterwards(timing: Timing) throws {
    struct Beside: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var a = ""
      var c = ""
    }
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Named(id: 1, a: "1"))
    try Renames.put(fileSystem, 2, Middle(id: 2, b: "2"))
    try Renames.put(
      fileSystem, 3, Beside(id: 3, a: "3a", c: "3c"), Self.block([(3, "b", "c")], of: 3))
    let parts: [Part] = [(2, "a", "b"), (3, "b", "c"), (4, "a", "b")]
    for (id, version) in [(4, 4), (5, 4), (6, 5)] as [(Int, UInt64)] {
      let found = try Renames.readAndPut(
        fileSystem, version, Both(id: id, b: "", c: ""), timing, checksPurity: false,
        Self.block(parts, of: version))
      #expect(found.prefix(3).map(\.b) == ["", "", "3a"])
      #expect(found.prefix(3).map(\.c) == ["1", "2", "3c"])
    }
  }

  /// As before, and the third member follows the first one by one more name.
  @Test(
    "It stays so, too, where the third one goes on as the member did",
    arguments: SeedExampleTests.timings)
  func renamedFurtherAlike(timing: Timing) throws {
    struct Third: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var a = ""
      var c = ""
    }
    struct Fourth: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var b = ""
      var d = ""
    }
    struct Fifth: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var c = ""
      var d = ""
    }
    let fileSystem = InMemoryFileSystem()
    var parts: [Part] = [(3, "b", "c"), (4, "c", "d"), (4, "a", "b"), (5, "b", "c")]
    try Renames.put(fileSystem, 1, Named(id: 1, a: "1"))
    try Renames.put(fileSystem, 2, Middle(id: 2, b: "2"))
    try Renames.put(fileSystem, 3, Third(id: 3, a: "3a", c: "3"), Self.block(parts, of: 3))
    try Renames.put(fileSystem, 4, Fourth(id: 4, b: "4b", d: "4"), Self.block(parts, of: 4))
    // What was forgotten in version 2.
    parts.insert((2, "a", "b"), at: 0)
    for (id, version) in [(5, 5), (6, 5), (7, 6)] as [(Int, UInt64)] {
      let found = try Renames.readAndPut(
        fileSystem, version, Fifth(id: id), timing, checksPurity: false,
        Self.block(parts, of: version))
      #expect(found.prefix(4).map(\.d) == ["1", "2", "3", "4"])
      #expect(found.prefix(4).map(\.c) == ["", "", "3a", "4b"])
    }
  }

  /// `a` was given up, and `b` that came with it became `e`. A third member had the names `a`, `b`
  /// and `c`, one after the other, and was given up, too; then `e` became `c`.
  @Test(
    "A name brings nothing back to a member by the renames of one that had the name before",
    arguments: SeedExampleTests.timings)
  func goesOnAsAnother(timing: Timing) throws {
    let parts: [Part] = [(3, "b", "e"), (4, "a", "b"), (5, "b", "c"), (7, "e", "c")]
    struct A: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var a = ""
      var e = ""
    }
    struct B: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var b = ""
      var e = ""
    }
    struct C: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var c = ""
      var e = ""
    }
    struct E: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var e = ""
    }
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Named(id: 1, a: "gone"))
    try Renames.put(fileSystem, 2, Middle(id: 2, b: "2"))
    try Renames.put(fileSystem, 3, A(id: 3, a: "3a", e: "3"), Self.block(parts, of: 3))
    try Renames.put(fileSystem, 4, B(id: 4, b: "4b", e: "4"), Self.block(parts, of: 4))
    try Renames.put(fileSystem, 5, C(id: 5, c: "5c", e: "5"), Self.block(parts, of: 5))
    try Renames.put(fileSystem, 6, E(id: 6, e: "6"), Self.block(parts, of: 6))
    for (id, version) in [(7, 7), (8, 7), (9, 8)] as [(Int, UInt64)] {
      let texts = try Self.texts(
        fileSystem, version, Plain(id: id, c: ""), timing, Self.block(parts, of: version), \.c)
      #expect(texts.prefix(6) == ["", "2", "3", "4", "5", "6"])
    }
  }

  /// `d` was given up, and `b` became `d` without a word, which a later build of version 4 says.
  @Test(
    "Whether a later build says clearly what it brings back does not depend on other objects",
    arguments: SeedExampleTests.timings, [true, false])
  func ofLaterBuildWhateverIsLeft(timing: Timing, isLeft: Bool) throws {
    struct First: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var b = ""
      var d = ""
    }
    struct Last: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var d = ""
    }
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 2, First(id: 1, b: "2", d: "gone"))
    try Renames.put(fileSystem, 3, Middle(id: 2, b: "3"))
    try Renames.put(fileSystem, 4, Last(id: isLeft ? 3 : 2, d: "4"))
    let block = Self.block([(4, "b", "d")], of: 4)
    for (id, version) in [(4, 4), (5, 4), (6, 5)] as [(Int, UInt64)] {
      let texts = try Self.texts(
        fileSystem, version, Last(id: id), timing, version == 4 ? block : nil, \.d)
      #expect(texts.prefix(isLeft ? 3 : 2) == (isLeft ? ["2", "3", "4"] : ["2", "4"]))
    }
  }

  /// The version before has it still: a part that does not lead that on says it of older ones only.
  @Test("What a part says of older objects only it does not say of later versions")
  func ofOlderOnly() throws {
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Named(id: 1, a: "1"))
    try Renames.put(fileSystem, 2, Named(id: 2, a: "2"))
    try Renames.put(fileSystem, 3, Plain(id: 2, c: "3"))
    let block = Self.block([(2, "a", "c")], of: 4)
    let found = try Self.texts(fileSystem, 4, Plain(id: 4), .onRead, block, \.c)
    #expect(found == ["1", "3"])
    #expect(try Self.texts(fileSystem, 5, Plain(id: 5), .onRead, nil, \.c) == ["", "3", ""])
  }

  /// Version 5 made `b` of `a` and forgot to say so, which a hotfix of it does.
  @Test(
    "What a later build of a version brings back is recorded",
    arguments: SeedExampleTests.timings, [true, false])
  func inLaterBuild(timing: Timing, isRenamed: Bool) throws {
    struct Called: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      static let formerNames = ["c": ["b"]]
      var id = 0
      var c = ""
    }
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 4, Named(id: 1, a: "1"))
    try Renames.put(fileSystem, 5, Middle(id: 2, b: "2"))
    let block = Self.block([(5, "a", "b")], of: 5)
    for id in 3...4 {
      let texts = try Self.texts(fileSystem, 5, Middle(id: id, b: ""), .onRead, block, \.b)
      #expect(texts.prefix(2) == ["1", "2"])
    }
    let texts =
      isRenamed
      ? try Self.texts(fileSystem, 6, Called(id: 5), timing, block, \.c)
      : try Self.texts(fileSystem, 6, Middle(id: 5, b: ""), timing, nil, \.b)
    #expect(texts == ["1", "2", "", ""])
  }
}
