import FileIO
import Testing

@testable import ObjectStore

/// Renames to names that older objects have, too (decision 0120).
@Suite("R24: a rename onto another member is followed where that one moves on, and else refused")
struct RenamedOntoMemberTests {
  typealias Timing = Store.Configuration.MigrationTiming

  struct Two: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var a = ""
    var b = ""
  }

  /// `a` got the name of `b`, of which nothing is left.
  struct Onto: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["b": ["a"]]
    var id = 0
    var b = ""
  }

  struct Shifted: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["c": ["b"], "b": ["a"]]
    var id = 0
    var b = ""
    var c = ""
  }

  struct Exchanged: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["a": ["b"], "b": ["a"]]
    var id = 0
    var a = ""
    var b = ""
  }

  /// The names of `Shifted`, of which the models say nothing.
  struct Unsaid: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var b = ""
    var c = ""
  }

  struct Last: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var c = ""
  }

  static func put(
    _ fileSystem: InMemoryFileSystem, _ version: UInt64, _ object: some StorableObject,
    _ block: Store.Configuration.MigrationClosure? = nil
  ) throws {
    let store = try MigrationOnceTests.open(
      fileSystem, [type(of: object)], version, .onRead, block)
    try store.write { try $0.put(object) }
    try store.close()
  }

  /// Puts an object into the store, and gives those that were there.
  static func readAndPut<Model: StorableObject>(
    _ fileSystem: InMemoryFileSystem, _ version: UInt64, _ object: Model,
    _ timing: Store.Configuration.MigrationTiming, checksPurity: Bool = true,
    _ block: Store.Configuration.MigrationClosure?
  ) throws -> [Model] {
    let store = try MigrationOnceTests.open(
      fileSystem, [Model.self], version, timing, checksPurity: checksPurity, block)
    let found = try ChangedKeyTests.all(store, Model.self)
    try store.write { try $0.put(object) }
    try store.close()
    return found
  }

  /// A store with object 1 of version 1.
  static func fill() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    try put(fileSystem, 1, Two(id: 1, a: "A", b: "B"))
    return fileSystem
  }

  static func renaming(
    _ renames: [(String, String)], before version: UInt64 = 2
  ) -> Store.Configuration.MigrationClosure {
    { migration, old in
      guard old < version else { return }
      for (from, to) in renames { migration.renameProperty(onType: "Person", from: from, to: to) }
    }
  }

  static func refusal(
    _ fileSystem: InMemoryFileSystem, _ model: any StorableObject.Type, _ version: UInt64,
    _ timing: Timing, _ block: Store.Configuration.MigrationClosure? = nil
  ) -> StoreError? {
    #expect(throws: StoreError.self) {
      try MigrationOnceTests.open(fileSystem, [model], version, timing, block).close()
    }
  }

  @Test(
    "A former name that objects have beside the new one is refused, and nothing is lost",
    arguments: SeedExampleTests.timings)
  func ontoMember(timing: Timing) throws {
    let fileSystem = try Self.fill()
    #expect(
      Self.refusal(fileSystem, Onto.self, 2, timing)
        == .renamedOntoMember(type: "Person", from: "a", to: "b", version: 1, isFormerName: true))
    let store = try MigrationOnceTests.open(fileSystem, [Two.self], 1, .onRead)
    #expect(try ChangedKeyTests.all(store, Two.self) == [Two(id: 1, a: "A", b: "B")])
    try store.close()
  }

  @Test(
    "The same by a block is refused with the names of both, also beside code",
    arguments: SeedExampleTests.timings, [false, true])
  func ontoMemberByBlock(timing: Timing, hasCode: Bool) throws {
    struct Kept: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var b = ""
    }
    let refusal = Self.refusal(try Self.fill(), Kept.self, 2, timing) { migration, _ in
      migration.renameProperty(onType: "Person", from: "a", to: "b")
      if hasCode { migration.enumerateObjects(ofType: "Person") { _, _ in } }
    }
    #expect(
      refusal
        == .renamedOntoMember(type: "Person", from: "a", to: "b", version: 1, isFormerName: false))
  }

  @Test(
    "Former names that follow one another move all values on", arguments: SeedExampleTests.timings)
  func shift(timing: Timing) throws {
    let fileSystem = try Self.fill()
    for version in [2, 2, 3] as [UInt64] {
      let store = try MigrationOnceTests.open(fileSystem, [Shifted.self], version, timing)
      #expect(
        try ChangedKeyTests.all(store, Shifted.self).prefix(1)
          == [Shifted(id: 1, b: "A", c: "B")])
      try store.write { try $0.put(Shifted(id: 2, b: "b", c: "c")) }
      #expect(
        try ChangedKeyTests.all(store, Shifted.self)
          == [Shifted(id: 1, b: "A", c: "B"), Shifted(id: 2, b: "b", c: "c")])
      try store.close()
    }
  }

  @Test(
    "The same by a block that frees each name before it is taken",
    arguments: SeedExampleTests.timings)
  func shiftByBlock(timing: Timing) throws {
    let store = try MigrationOnceTests.open(
      try Self.fill(), [Unsaid.self], 2, timing, Self.renaming([("b", "c"), ("a", "b")]))
    #expect(try ChangedKeyTests.all(store, Unsaid.self) == [Unsaid(id: 1, b: "A", c: "B")])
    try store.close()
  }

  @Test(
    "A block that takes a name first may mean either member by it, and is refused",
    arguments: SeedExampleTests.timings)
  func unclearOrder(timing: Timing) throws {
    #expect(
      Self.refusal(
        try Self.fill(), Unsaid.self, 2, timing, Self.renaming([("a", "b"), ("b", "c")]))
        == .renamedOntoMember(type: "Person", from: "a", to: "b", version: 1, isFormerName: false))
  }

  @Test(
    "Where the models lack the name between, the renames are those of several versions",
    arguments: [["a", "b"], ["b", "a"]])
  func overRemovedName(order: [String]) throws {
    struct Turned: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var b = ""
      var a = ""
    }
    let fileSystem = InMemoryFileSystem()
    if order == ["a", "b"] {
      try Self.put(fileSystem, 1, Two(id: 1, a: "A", b: "B"))
    } else {
      try Self.put(fileSystem, 1, Turned(id: 1, b: "B", a: "A"))
    }
    let store = try MigrationOnceTests.open(
      fileSystem, [Last.self], 4, .onRead, Self.renaming([("a", "b"), ("b", "c")]))
    #expect(try ChangedKeyTests.all(store, Last.self) == [Last(id: 1, c: "A")])
    try store.close()
  }

  @Test(
    "Two renames of a block exchange two members, also for objects that a later version finds",
    arguments: SeedExampleTests.timings, [false, true])
  func exchange(timing: Timing, isTurned: Bool) throws {
    let fileSystem = try Self.fill()
    let renames = isTurned ? [("b", "a"), ("a", "b")] : [("a", "b"), ("b", "a")]
    var store = try MigrationOnceTests.open(
      fileSystem, [Two.self], 2, timing, Self.renaming(renames))
    try store.write { try $0.put(Two(id: 2, a: "a", b: "b")) }
    let expected = [Two(id: 1, a: "B", b: "A"), Two(id: 2, a: "a", b: "b")]
    #expect(try ChangedKeyTests.all(store, Two.self) == expected)
    try store.close()
    store = try MigrationOnceTests.open(fileSystem, [Two.self], 3, timing)
    #expect(try ChangedKeyTests.all(store, Two.self) == expected)
    try store.close()
  }

  @Test("Renames that lead back to the name of the member leave it as it is")
  func back() throws {
    let store = try MigrationOnceTests.open(
      try Self.fill(), [Two.self], 3, .onRead, Self.renaming([("a", "x"), ("x", "a")]))
    #expect(try ChangedKeyTests.all(store, Two.self) == [Two(id: 1, a: "A", b: "B")])
    try store.close()
  }

  @Test(
    "Former names exchange members of versions that did not say so, and of no others",
    arguments: SeedExampleTests.timings)
  func exchangeByFormerNames(timing: Timing) throws {
    let fileSystem = try Self.fill()
    for version in [2, 2, 3] as [UInt64] {
      let store = try MigrationOnceTests.open(fileSystem, [Exchanged.self], version, timing)
      #expect(try ChangedKeyTests.all(store, Exchanged.self) == [Exchanged(id: 1, a: "B", b: "A")])
      try store.close()
    }
    // The store of a new user has them exchanged from the beginning.
    let new = InMemoryFileSystem()
    try Self.put(new, 2, Exchanged(id: 1, a: "A", b: "B"))
    let store = try MigrationOnceTests.open(new, [Exchanged.self], 3, timing)
    #expect(try ChangedKeyTests.all(store, Exchanged.self) == [Exchanged(id: 1, a: "A", b: "B")])
    try store.close()
  }

  /// `b`, which was called `a`, and an `a` of its own.
  struct Reused: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["b": ["a"]]
    var id = 0
    var b = ""
    var a = ""
  }

  struct Named: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var a = ""
  }

  @Test(
    "A former name stays in the model while its name is used again, and given up again",
    arguments: SeedExampleTests.timings, [[0, 1, 2], [0, 2]] as [[UInt64]])
  func annotationsStay(timing: Timing, versions: [UInt64]) throws {
    let fileSystem = InMemoryFileSystem()
    var expected: [Onto] = []
    for version in versions {
      let id = Int(version)
      switch version {
      case 0: try Self.put(fileSystem, version, Named(id: id, a: "0"))
      case 1: try Self.put(fileSystem, version, Onto(id: id, b: "1"))
      default: try Self.put(fileSystem, version, Reused(id: id, b: "2", a: "new"))
      }
      expected.append(Onto(id: id, b: "\(version)"))
    }
    var store = try MigrationOnceTests.open(fileSystem, [Reused.self], 3, timing)
    #expect(
      try ChangedKeyTests.all(store, Reused.self)
        == expected.map { Reused(id: $0.id, b: $0.b, a: $0.id == 2 ? "new" : "") })
    try store.close()
    store = try MigrationOnceTests.open(fileSystem, [Onto.self], 4, timing)
    #expect(try ChangedKeyTests.all(store, Onto.self) == expected)
    try store.close()
  }

  @Test("A former name that the first version of a store said already happened before")
  func annotationFromTheBeginning() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.put(fileSystem, 2, Reused(id: 2, b: "2", a: "new"))
    let store = try MigrationOnceTests.open(fileSystem, [Onto.self], 3, .onRead)
    #expect(try ChangedKeyTests.all(store, Onto.self) == [Onto(id: 2, b: "2")])
    try store.close()
  }

  @Test(
    "Where no version of the store tells of the rename, it is asked for, and a block may say it")
  func annotationWithoutTrace() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.put(fileSystem, 2, Two(id: 2, a: "new", b: "2"))
    #expect(
      Self.refusal(fileSystem, Onto.self, 3, .onRead)
        == .renamedOntoMember(type: "Person", from: "a", to: "b", version: 2, isFormerName: true))
    struct Plain: CodableObject, Equatable {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var b = ""
    }
    let store = try MigrationOnceTests.open(
      fileSystem, [Plain.self], 3, .onRead, Self.renaming([("a", "b")], before: 1))
    #expect(try ChangedKeyTests.all(store, Plain.self) == [Plain(id: 2, b: "2")])
    try store.close()
  }

  @Test("What a block deletes needs no answer")
  func emptied() throws {
    let store = try MigrationOnceTests.open(try Self.fill(), [Onto.self], 2) { migration, _ in
      migration.deleteData(forType: "Person")
    }
    #expect(try ChangedKeyTests.all(store, Onto.self) == [])
    try store.close()
  }

  @Test("A member that a version between gave up does not keep the one that has its name now away")
  func beforeRemoval() throws {
    let fileSystem = try Self.fill()
    try Self.put(fileSystem, 2, Named(id: 2, a: "2"))
    try Self.put(fileSystem, 3, Onto(id: 3, b: "3"))
    let store = try MigrationOnceTests.open(fileSystem, [Onto.self], 4, .onRead)
    #expect(
      try ChangedKeyTests.all(store, Onto.self)
        == [Onto(id: 1, b: "A"), Onto(id: 2, b: "2"), Onto(id: 3, b: "3")])
    try store.close()
  }

  /// Who was called `a` by version 0 is unknown to version 2.
  struct Taken: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["c": ["a"]]
    var id = 0
    var c = ""
  }

  struct One: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var a = ""
  }

  /// `a` is called `b`, and another one `a`.
  struct Again: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["b": ["a"]]
    var id = 0
    var a = ""
    var b = ""
  }

  struct Twice: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["b": ["a"], "c": ["a"]]
    var id = 0
    var b = ""
    var c = ""
  }

  @Test(
    "A former name that went to another member in one step is that one's, and not the first one's",
    arguments: SeedExampleTests.timings)
  func taken(timing: Timing) throws {
    let fileSystem = InMemoryFileSystem()
    try Self.put(fileSystem, 0, One(id: 1, a: "A"))
    try Self.put(fileSystem, 1, Again(id: 2, a: "new", b: "B"))
    let store = try MigrationOnceTests.open(fileSystem, [Taken.self], 2, timing)
    #expect(
      try ChangedKeyTests.all(store, Taken.self) == [Taken(id: 1), Taken(id: 2, c: "new")])
    try store.close()
  }

  @Test("One member cannot become two", arguments: SeedExampleTests.timings)
  func twice(timing: Timing) throws {
    let fileSystem = InMemoryFileSystem()
    try Self.put(fileSystem, 0, One(id: 1, a: "A"))
    #expect(
      throws: StoreError.renamedOntoMember(
        type: "Person", from: "a", to: "c", version: 0, isFormerName: true)
    ) { try MigrationOnceTests.open(fileSystem, [Twice.self], 1, timing).close() }
  }

  /// `a` is called `b`, and an optional one `a`.
  struct AgainOptional: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["b": ["a"]]
    var id = 0
    var a: String?
    var b = ""
  }

  struct TakenOptional: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["c": ["a"]]
    var id = 0
    var b = ""
    var c: String?
  }

  @Test("The same where the other member is optional", arguments: SeedExampleTests.timings)
  func takenOptional(timing: Timing) throws {
    let fileSystem = InMemoryFileSystem()
    try Self.put(fileSystem, 0, One(id: 1, a: "A"))
    try Self.put(fileSystem, 1, AgainOptional(id: 2, a: "new", b: "B"))
    let store = try MigrationOnceTests.open(fileSystem, [TakenOptional.self], 2, timing)
    let found = try ChangedKeyTests.all(store, TakenOptional.self)
    #expect(found.map(\.b) == ["A", "B"])
    #expect(found.map(\.c) == [nil, "new"])
    try store.close()
  }

  @Test(
    "A name that two members had, one after the other, is the first one's in old objects",
    arguments: SeedExampleTests.timings)
  func oneAfterAnother(timing: Timing) throws {
    let fileSystem = InMemoryFileSystem()
    try Self.put(fileSystem, 0, One(id: 1, a: "A"))
    try Self.put(fileSystem, 1, Again(id: 2, a: "new", b: "B"))
    let store = try MigrationOnceTests.open(fileSystem, [Twice.self], 2, timing)
    let found = try ChangedKeyTests.all(store, Twice.self)
    #expect(found.map(\.b) == ["A", "B"])
    #expect(found.map(\.c) == ["", "new"])
    try store.close()
  }
}
