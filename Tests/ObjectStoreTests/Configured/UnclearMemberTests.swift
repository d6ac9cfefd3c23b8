import FileIO
import Testing

@testable import ObjectStore

/// What a model says late, and what code had to tell (decision 143).
@Suite("R23, R24: members of which models say more than versions did")
struct UnclearMemberTests {
  /// Members that stay, each beside one that is said to have been it.
  struct Pairs: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["e": ["a"], "f": ["b"], "g": ["c"], "h": ["d"]]
    var id = 0
    var a = ""
    var b = ""
    var c = ""
    var d = ""
    var e = ""
    var f = ""
    var g = ""
    var h = ""
  }

  struct Halves: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var a = ""
    var b = ""
    var c = ""
    var d = ""
    var e = ""
    var f = ""
    var g = ""
    var h = ""
  }

  @Test("What code made of a member leaves that member its values", arguments: [false, true])
  func besideCode(isOlder: Bool) throws {
    let fileSystem = InMemoryFileSystem()
    var object = Halves(id: 1)
    (object.a, object.b, object.c, object.d) = ("a", "b", "c", "d")
    try RenamedOntoMemberTests.put(fileSystem, 1, object)
    if isOlder { try RenamedOntoMemberTests.put(fileSystem, 2, Halves(id: 2)) }
    for version in [3, 3, 4] as [UInt64] {
      let store = try MigrationOnceTests.open(fileSystem, [Pairs.self], version, .onRead) {
        migration, _ in
        migration.enumerateObjects(ofType: "Person") { old, new in
          for (from, to) in [("a", "e"), ("b", "f"), ("c", "g"), ("d", "h")] {
            new?[to] = "\(old?[from] ?? "")!"
          }
        }
      }
      let found = try #require(try store.snapshot().get(Pairs.self, 1))
      #expect([found.a, found.b, found.c, found.d] == ["a", "b", "c", "d"])
      #expect([found.e, found.f, found.g, found.h] == ["a!", "b!", "c!", "d!"])
      try store.write { try $0.put(Pairs(id: 9)) }
      try store.close()
    }
  }

  /// What it was called at first is said no more.
  struct FirstNamed: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["a": ["x"]]
    var id = 0
    var a = ""
  }

  struct Completed: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["b": ["a", "x"]]
    var id = 0
    var b = ""
    var a = ""
  }

  @Test("What a model says less of, or more of before, changes nothing")
  func lessAndMore() throws {
    var fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, FirstNamed(id: 1, a: "A"))
    var store = try MigrationOnceTests.open(
      fileSystem, [RecordedLineageTests.Returned.self], 2, .onRead)
    #expect(
      try ChangedKeyTests.all(store, RecordedLineageTests.Returned.self) == [
        RecordedLineageTests.Returned(id: 1, a: "A")
      ])
    try store.close()
    fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 1, RenamedOntoMemberTests.Named(id: 1, a: "A"))
    try RenamedOntoMemberTests.put(
      fileSystem, 2, RenamedOntoMemberTests.Reused(id: 2, b: "B", a: "new"))
    store = try MigrationOnceTests.open(fileSystem, [Completed.self], 3, .onRead)
    #expect(
      try ChangedKeyTests.all(store, Completed.self)
        == [Completed(id: 1, b: "A", a: ""), Completed(id: 2, b: "B", a: "new")])
    try store.close()
  }

  /// What `b` is now is what `a` was, as the model says; the version did not say of before.
  struct Narrowed: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["b": ["a", "x"]]
    var id = 0
    var b = ""
  }

  @Test("What agrees with two members as well is refused, where one of them goes")
  func equally() throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(
      fileSystem, 1, RenamedOntoMemberTests.Reused(id: 1, b: "B", a: "A"))
    #expect(
      RenamedOntoMemberTests.refusal(fileSystem, Narrowed.self, 2, .onRead)
        == .renamedOntoMember(type: "Person", from: "a", to: "b", version: 1, isFormerName: true))
  }

  struct Numbers: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["c": ["b", "a"], "e": ["a"]]
    var id = 0
    var c = 0
    var e = 0
  }

  @Test("Code finds what a member was under its name, and nothing where only code knew")
  func nearest() throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(
      fileSystem, 1, RenamedOntoMemberTests.Two(id: 1, a: "1", b: "2"))
    try RenamedOntoMemberTests.put(
      fileSystem, 2, RenamedOntoMemberTests.Again(id: 2, a: "1", b: "2")
    ) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in new?["b"] = old?["b"] }
    }
    for version in [3, 3, 4] as [UInt64] {
      let store = try MigrationOnceTests.open(fileSystem, [Numbers.self], version, .onRead) {
        migration, stored in
        migration.enumerateObjects(ofType: "Person") { old, new in
          for (name, former) in [("c", "b"), ("e", "a")] where stored < 3 {
            let text = old?[stored == 2 ? name : former] as? String
            new?[name] = text.flatMap { Int($0) } ?? -1
          }
        }
      }
      let cursor = try store.snapshot().objects(Numbers.self)
      while let found = try cursor.next() {
        if found.id < 9 { #expect([found.c, found.e] == [2, 1], "\(found.id)") }
      }
      try store.write { try $0.put(Numbers(id: 9)) }
      try store.close()
    }
  }

  struct Chained: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["c": ["b"], "b": ["a"]]
    var id = 0
    var c = ""
    var b = ""
    var a = ""
  }

  struct CompletedExchange: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["a": ["b", "x"], "b": ["a"]]
    var id = 0
    var a = ""
    var b = ""
  }

  @Test("What a version said already is not said of another one, and may be completed")
  func saidAlready() throws {
    var fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(
      fileSystem, 2, RenamedOntoMemberTests.Reused(id: 2, b: "B", a: "A"))
    #expect(
      RenamedOntoMemberTests.refusal(fileSystem, Chained.self, 3, .onRead)
        == .renamedOntoMember(type: "Person", from: "a", to: "b", version: 2, isFormerName: true))
    fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(
      fileSystem, 2, RenamedOntoMemberTests.Exchanged(id: 2, a: "A", b: "B"))
    let store = try MigrationOnceTests.open(fileSystem, [CompletedExchange.self], 3, .onRead)
    #expect(
      try ChangedKeyTests.all(store, CompletedExchange.self)
        == [CompletedExchange(id: 2, a: "A", b: "B")])
    try store.close()
  }

  struct XY: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var x = ""
    var y = ""
  }

  struct DC: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["c": ["y"]]
    var id = 0
    var d = ""
    var c = ""
  }

  @Test(
    "R24: a name that a block gave in between is what the block means, whoever has it now",
    arguments: SeedExampleTests.timings)
  func blockGoesFirst(timing: Store.Configuration.MigrationTiming) throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 1, XY(id: 1, x: "X", y: "Y"))
    let store = try MigrationOnceTests.open(fileSystem, [DC.self], 4, timing) { migration, _ in
      migration.renameProperty(onType: "Person", from: "x", to: "c")
      migration.renameProperty(onType: "Person", from: "c", to: "d")
      migration.enumerateObjects(ofType: "Person") { old, new in
        new?["d"] = "\(old?["c"] ?? "")!"
      }
    }
    let found = try #require(try store.snapshot().get(DC.self, 1))
    #expect([found.d, found.c] == ["X!", "Y"])
    try store.close()
  }
}
