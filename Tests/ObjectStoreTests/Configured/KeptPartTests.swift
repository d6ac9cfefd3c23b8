import FileIO
import Testing

@testable import ObjectStore

/// Parts of a block that are kept when their version is long past, as developers do.
@Suite("R23, R24: what versions recorded goes before parts of a block from before")
struct KeptPartTests {
  typealias Timing = Store.Configuration.MigrationTiming
  typealias Renames = RenamedOntoMemberTests
  typealias Named = RenamedOntoMemberTests.Named
  typealias Two = RenamedOntoMemberTests.Two
  typealias Exchanged = RenamedOntoMemberTests.Exchanged
  typealias Middle = RecordedLineageTests.Middle
  typealias Third = RecordedLineageTests.Third
  typealias Returned = RecordedLineageTests.Returned

  /// `c` was called `b`, and another member is now.
  struct Again: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["c": ["b"]]
    var id = 0
    var b = "new"
    var c = ""
  }

  static let block = RenamedOntoMemberTests.renaming([("a", "b")])

  @Test(
    "A name that a kept part gives may be another member's since",
    arguments: SeedExampleTests.timings)
  func usedAgain(timing: Timing) throws {
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Named(id: 1, a: "A"))
    try Renames.put(fileSystem, 2, Middle(id: 2, b: "B"), Self.block)
    try Renames.put(fileSystem, 3, Third(id: 3, c: "C"), Self.block)
    for version in [4, 5] as [UInt64] {
      let store = try MigrationOnceTests.open(
        fileSystem, [Again.self], version, timing, Self.block)
      #expect(
        try ChangedKeyTests.all(store, Again.self)
          == zip([1, 2, 3], ["A", "B", "C"]).map { Again(id: $0, c: $1) })
      try store.close()
    }
  }

  @Test("Whether it is, nobody can tell where the versions between were skipped")
  func usedAgainUnseen() throws {
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Named(id: 1, a: "A"))
    #expect(
      Renames.refusal(fileSystem, Again.self, 4, .onRead, Self.block)
        == .renamedOntoMember(type: "Person", from: "b", to: "c", version: 1, isFormerName: true))
    let block = Renames.renaming([("a", "b"), ("b", "c")])
    let store = try MigrationOnceTests.open(fileSystem, [Again.self], 4, .onRead, block)
    #expect(try ChangedKeyTests.all(store, Again.self) == [Again(id: 1, c: "A")])
    try store.close()
  }

  /// Versions 1 to 4: `a` becomes `b` by a block that is kept, which is given up, and `b` comes
  /// again.
  @Test("A kept part brings back nothing that was given up", arguments: SeedExampleTests.timings)
  func givenUp(timing: Timing) throws {
    struct Anew: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var b = "new"
    }
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Named(id: 1, a: "A"))
    try Renames.put(fileSystem, 2, Middle(id: 2, b: "B"), Self.block)
    try Renames.put(fileSystem, 3, Empty(id: 3), Self.block)
    let store = try MigrationOnceTests.open(fileSystem, [Anew.self], 4, timing, Self.block)
    #expect(try ChangedKeyTests.all(store, Anew.self).map(\.b) == ["new", "new", "new"])
    try store.close()
  }

  @Test(
    "A kept part does not take the place of the member that got its name since",
    arguments: SeedExampleTests.timings)
  func takenByAnother(timing: Timing) throws {
    struct First: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var a = ""
      var x = ""
    }
    struct Second: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var b = ""
      var x = ""
    }
    struct Other: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var x = ""
    }
    struct Taken: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      static let formerNames = ["b": ["x"]]
      var id = 0
      var b = ""
    }
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, First(id: 1, a: "A", x: "X"))
    try Renames.put(fileSystem, 2, Second(id: 2, b: "B", x: "X"), Self.block)
    try Renames.put(fileSystem, 3, Other(id: 3, x: "X"), Self.block)
    let store = try MigrationOnceTests.open(fileSystem, [Taken.self], 4, timing, Self.block)
    #expect(try ChangedKeyTests.all(store, Taken.self).map(\.b) == ["X", "X", "X"])
    try store.close()
    // Two of one name, of which nobody gave one up: which one is it?
    let unseen = InMemoryFileSystem()
    try Renames.put(unseen, 1, First(id: 1, a: "A", x: "X"))
    guard
      case .renamedOntoMember? = Renames.refusal(
        unseen, Middle.self, 4, timing, Renames.renaming([("a", "b"), ("x", "b")], before: 4))
    else {
      Issue.record("two members of one name are not refused")
      return
    }
  }

  /// `b` is a number since version 2, and called `c` since version 3.
  @Test("A kept part gives no new member what code made another type")
  func retyped() throws {
    struct Number: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var b = 0
    }
    struct Renamed: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      static let formerNames = ["c": ["b"]]
      var id = 0
      var c = 0
    }
    struct Beside: CodableObject, Equatable {
      static let typeName = "Person"
      static let primaryKey = "id"
      static let formerNames = ["c": ["b"]]
      var id = 0
      var b = "new"
      var c = 0
    }
    func block(_ name: String) -> Store.Configuration.MigrationClosure {
      { migration, old in
        guard old < 2 else { return }
        migration.renameProperty(onType: "Person", from: "a", to: "b")
        migration.enumerateObjects(ofType: "Person") { old, new in
          new?[name] = Int(old?["a"] as? String ?? "") ?? -1
        }
      }
    }
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 1, Named(id: 1, a: "1"))
    try Renames.put(fileSystem, 2, Number(id: 2, b: 2), block("b"))
    try Renames.put(fileSystem, 3, Renamed(id: 3, c: 3), block("c"))
    let store = try MigrationOnceTests.open(fileSystem, [Beside.self], 4, .onRead, block("c"))
    #expect(
      try ChangedKeyTests.all(store, Beside.self) == [1, 2, 3].map { Beside(id: $0, c: $0) })
    try store.close()
  }

  @Test("A member that moved on leaves its name to the one that a kept part gives it")
  func movedOn() throws {
    struct Moved: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      static let formerNames = ["c": ["b"]]
      var id = 0
      var a = ""
      var c = ""
    }
    let fileSystem = try Renames.fill()
    try Renames.put(fileSystem, 2, Moved(id: 2, a: "A", c: "B"))
    let block = Renames.renaming([("a", "b")], before: 3)
    let store = try MigrationOnceTests.open(
      fileSystem, [RenamedOntoMemberTests.Unsaid.self], 3, .onRead, block)
    for object in try ChangedKeyTests.all(store, RenamedOntoMemberTests.Unsaid.self) {
      #expect(object.b == "A" && object.c == "B")
    }
    try store.close()
  }

  @Test("What a block gave another name, and gets its own back, is not dropped for the interim one")
  func renamedBack() throws {
    for versions in [[1, 2], [2]] {
      let fileSystem = InMemoryFileSystem()
      if versions.contains(1) { try Renames.put(fileSystem, 1, Named(id: 1, a: "A")) }
      try Renames.put(fileSystem, 2, Two(id: 2, a: "new", b: "B"), Self.block)
      #expect(
        Renames.refusal(fileSystem, Returned.self, 3, .onRead, Self.block)
          == .renamedOntoMember(type: "Person", from: "b", to: "a", version: 2, isFormerName: true))
    }
  }

  @Test("An exchange by a model after one by a block is one more, or the same: nobody can tell")
  func exchangedAgain() throws {
    let exchange = Renames.renaming([("a", "b"), ("b", "a")])
    let fileSystem = try Renames.fill()
    try Renames.put(fileSystem, 2, Two(id: 2, a: "B", b: "A"), exchange)
    for model in [Exchanged.self, RecordedLineageTests.ExchangedBack.self]
      as [any StorableObject.Type]
    {
      guard case .renamedOntoMember? = Renames.refusal(fileSystem, model, 3, .onRead, exchange)
      else {
        Issue.record("\(model) is not refused")
        continue
      }
    }
    let store = try MigrationOnceTests.open(
      fileSystem, [Exchanged.self], 3, .onRead,
      Renames.renaming([("a", "b"), ("b", "a")], before: 3))
    for object in try ChangedKeyTests.all(store, Exchanged.self) where object.id == 2 {
      #expect(object == Exchanged(id: 2, a: "A", b: "B"))
    }
    try store.close()
  }

  /// A member of version 2 that is called otherwise in version 3, which a block says of all before.
  struct Plain: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var c = ""
  }

  struct Empty: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
  }

  @Test("R12: a part for all versions before renames nothing where the member was not there yet")
  func notYetThere() throws {
    let block = Renames.renaming([("b", "c")], before: 3)
    for (sees, checksPurity) in [(true, true), (true, false), (false, false)] {
      let fileSystem = InMemoryFileSystem()
      try Renames.put(fileSystem, 1, Empty(id: 1))
      if sees { try Renames.put(fileSystem, 2, Middle(id: 2, b: "B")) }
      let store = try MigrationOnceTests.open(
        fileSystem, [Plain.self], 3, .onRead, checksPurity: checksPurity, block)
      #expect(
        try ChangedKeyTests.all(store, Plain.self)
          == [Plain(id: 1, c: "")] + (sees ? [Plain(id: 2, c: "B")] : []))
      try store.close()
    }
  }

  @Test("A model that says less of what a member was called contradicts nothing")
  func saysLess() throws {
    struct Full: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      static let formerNames = ["c": ["b", "a"]]
      var id = 0
      var c = ""
    }
    struct Shortened: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      static let formerNames = ["c": ["a"]]
      var id = 0
      var c = ""
    }
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 3, Full(id: 1, c: "C"))
    let store = try MigrationOnceTests.open(fileSystem, [Shortened.self], 4, .onRead)
    #expect(try ChangedKeyTests.all(store, Shortened.self).map(\.c) == ["C"])
    try store.close()
  }

  @Test("So it does where another member has the older name again, and not where that one goes")
  func saysLessBeside() throws {
    struct Full: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      static let formerNames = ["c": ["b", "a"]]
      var id = 0
      var a = ""
      var c = ""
    }
    struct Shortened: CodableObject, Equatable {
      static let typeName = "Person"
      static let primaryKey = "id"
      static let formerNames = ["c": ["a"]]
      var id = 0
      var a = ""
      var c = ""
    }
    struct Alone: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      static let formerNames = ["c": ["a"]]
      var id = 0
      var c = ""
    }
    let fileSystem = InMemoryFileSystem()
    try Renames.put(fileSystem, 3, Full(id: 1, a: "A", c: "C"))
    #expect(
      Renames.refusal(fileSystem, Alone.self, 4, .onRead)
        == .renamedOntoMember(type: "Person", from: "a", to: "c", version: 3, isFormerName: true))
    let store = try MigrationOnceTests.open(fileSystem, [Shortened.self], 4, .onRead)
    #expect(
      try ChangedKeyTests.all(store, Shortened.self) == [Shortened(id: 1, a: "A", c: "C")])
    try store.close()
  }
}
