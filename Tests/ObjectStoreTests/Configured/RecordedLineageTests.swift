import FileIO
import LogStore
import SchemaRegistry
import Testing

@testable import ObjectStore

/// Where members come from is recorded, and not guessed (decision 143).
@Suite("R23, R24: what members became follows from what versions recorded")
struct RecordedLineageTests {
  struct Priced: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var amount = 100
  }

  struct Text: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var amount = "1"
  }

  struct Noted: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var amount = 100
    var note = ""
  }

  static func setting(
    _ member: String, _ value: any Sendable
  ) -> Store.Configuration.MigrationClosure {
    { migration, _ in
      migration.enumerateObjects(ofType: "Person") { _, new in new?[member] = value }
    }
  }

  @Test("What code made another type and back is not read raw beside a member that came with it")
  func backBesideNew() throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 1, Priced(id: 1, amount: 250))
    let store = try MigrationOnceTests.open(
      fileSystem, [Text.self], 3, .onRead, Self.setting("amount", "2"))
    try store.write { try $0.put(Text(id: 3)) }
    try store.write { try $0.delete(Text.self, 3) }
    try store.close()
    try RenamedOntoMemberTests.put(fileSystem, 4, Noted(id: 4), Self.setting("amount", 2))
    #expect(
      throws: StoreError.migrationNeeded(
        type: "Person", member: "amount", from: .int64, to: .int64, version: 1)
    ) { try MigrationOnceTests.open(fileSystem, [Noted.self], 5, .onRead) { _, _ in }.close() }
  }

  /// `b` was called `a`, and is a number now.
  struct Number: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["b": ["a"]]
    var id = 0
    var b = 0
  }

  @Test(
    "A member that code made another type is the one that it was, whoever had its old name since",
    arguments: SeedExampleTests.timings)
  func retypedAfterReuse(timing: Store.Configuration.MigrationTiming) throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 1, RenamedOntoMemberTests.Named(id: 1, a: "1"))
    try RenamedOntoMemberTests.put(
      fileSystem, 2, RenamedOntoMemberTests.Reused(id: 2, b: "2", a: "new"))
    let store = try MigrationOnceTests.open(fileSystem, [Number.self], 3, timing) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        new?["b"] = Int(old?["b"] as? String ?? old?["a"] as? String ?? "") ?? -1
      }
    }
    #expect(try ChangedKeyTests.all(store, Number.self).map(\.b) == [1, 2])
    try store.close()
  }

  /// What is said of names before one that another member has now.
  struct Long: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["c": ["b", "a"]]
    var id = 0
    var b = ""
    var c = ""
  }

  @Test(
    "A member is found by a name before one that another member has now",
    arguments: SeedExampleTests.timings)
  func beforeReusedName(timing: Store.Configuration.MigrationTiming) throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 1, RenamedOntoMemberTests.Named(id: 1, a: "A"))
    let store = try MigrationOnceTests.open(fileSystem, [Long.self], 3, timing)
    #expect(try ChangedKeyTests.all(store, Long.self) == [Long(id: 1, b: "", c: "A")])
    try store.close()
  }

  @Test("What nobody can tell is told by code, and has to be")
  func codeTells() throws {
    let fileSystem = try RenamedOntoMemberTests.fill()
    let model = RenamedOntoMemberTests.Onto.self
    #expect(
      RenamedOntoMemberTests.refusal(fileSystem, model, 2, .onRead)
        == .renamedOntoMember(type: "Person", from: "a", to: "b", version: 1, isFormerName: true))
    #expect(throws: StoreError.self) {
      try MigrationOnceTests.open(fileSystem, [model], 2) { migration, _ in
        migration.enumerateObjects(ofType: "Person") { _, _ in }
      }.close()
    }
    let store = try MigrationOnceTests.open(fileSystem, [model], 2, .onRead) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in new?["b"] = old?["a"] }
    }
    #expect(try ChangedKeyTests.all(store, model).map(\.b) == ["A"])
    try store.close()
  }

  struct Third: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["c": ["b"]]
    var id = 0
    var c = ""
  }

  struct Middle: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var b = ""
  }

  /// It had its name before the one that it had in between.
  struct Back: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["a": ["b"]]
    var id = 0
    var a = ""
  }

  @Test(
    "What a block renamed and a former name renames on, or back, is one member in old objects",
    arguments: SeedExampleTests.timings, [false, true])
  func blockAndFormerName(timing: Store.Configuration.MigrationTiming, sees: Bool) throws {
    let block = RenamedOntoMemberTests.renaming([("a", "b")])
    for model in [Third.self, Back.self] as [any StorableObject.Type] {
      for checksPurity in [false, true] {
        let fileSystem = InMemoryFileSystem()
        try RenamedOntoMemberTests.put(fileSystem, 1, RenamedOntoMemberTests.Named(id: 1, a: "A"))
        if sees { try RenamedOntoMemberTests.put(fileSystem, 2, Middle(id: 2, b: "B"), block) }
        let store = try MigrationOnceTests.open(
          fileSystem, [model], 3, timing, checksPurity: checksPurity, block)
        let name = model == Third.self ? "c" : "a"
        for (key, value) in [(1, "A"), (2, "B")] as [(Value, String)] where key == 1 || sees {
          let found = try store.snapshot().object(ofType: "Person", key: key)
          #expect(found?.members[name] == .string(value))
        }
        try store.close()
      }
    }
  }

  /// What was called `b` in between, and `a` before.
  struct Returned: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["a": ["b", "a"]]
    var id = 0
    var a = ""
  }

  /// Both got their own names back.
  struct ExchangedBack: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["a": ["b", "a"], "b": ["a", "b"]]
    var id = 0
    var a = ""
    var b = ""
  }

  @Test("What got its name back does not get another one's value")
  func renamedBack() throws {
    var fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(
      fileSystem, 2, RenamedOntoMemberTests.Reused(id: 2, b: "kept", a: "new"))
    #expect(
      RenamedOntoMemberTests.refusal(fileSystem, Returned.self, 3, .onRead)
        == .renamedOntoMember(type: "Person", from: "b", to: "a", version: 2, isFormerName: true))
    for versions in [[1, 2], [1], [2]] as [[UInt64]] {
      fileSystem = InMemoryFileSystem()
      if versions.contains(1) { fileSystem = try RenamedOntoMemberTests.fill() }
      if versions.contains(2) {
        try RenamedOntoMemberTests.put(
          fileSystem, 2, RenamedOntoMemberTests.Exchanged(id: 2, a: "B", b: "A"))
      }
      let store = try MigrationOnceTests.open(fileSystem, [ExchangedBack.self], 3, .onRead)
      #expect(
        try ChangedKeyTests.all(store, ExchangedBack.self)
          == versions.map { ExchangedBack(id: Int($0), a: "A", b: "B") })
      try store.close()
    }
  }

  @Test("What code had to tell is asked for in objects of older versions, and of later ones")
  func codeToldOnce() throws {
    let model = RenamedOntoMemberTests.Onto.self
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, RenamedOntoMemberTests.Named(id: 0, a: "A0"))
    try RenamedOntoMemberTests.put(
      fileSystem, 1, RenamedOntoMemberTests.Two(id: 1, a: "A", b: "B"))
    let code: Store.Configuration.MigrationClosure = { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        new?["b"] = "\(old?["a"] ?? "")!"
      }
    }
    func expectRefusal(
      _ version: UInt64, _ stored: SchemaVersion,
      _ block: @escaping Store.Configuration.MigrationClosure
    ) {
      #expect(
        throws: StoreError.migrationNeeded(
          type: "Person", member: "b", from: nil, to: .string, version: stored)
      ) { try MigrationOnceTests.open(fileSystem, [model], version, .onRead, block).close() }
    }
    expectRefusal(2, 0) { migration, old in if old == 1 { try code(migration, old) } }
    let store = try MigrationOnceTests.open(fileSystem, [model], 2, .onRead, code)
    #expect(try ChangedKeyTests.all(store, model).map(\.b) == ["A0!", "A!"])
    try store.write { try $0.put(model.init(id: 2, b: "2")) }
    try store.close()
    expectRefusal(3, 1) { migration, old in if old == 0 { try code(migration, old) } }
    expectRefusal(3, 0) { migration, old in if old == 1 { try code(migration, old) } }
  }

  /// Makes versions those of a library that recorded nothing of where members come from.
  static func forget(_ fileSystem: InMemoryFileSystem) throws {
    let log = try Log.open(at: "/people", fileSystem: fileSystem)
    let snapshot = log.snapshot()
    let known = try SchemaCatalog(snapshot)
    var catalog = known
    for (version, models) in known.models {
      catalog.models[version] = models.mapValues { model in
        var model = model
        model.lineage = nil
        return model
      }
    }
    try log.transact { try catalog.writeModels(addedTo: known, into: $0) }
    try log.close()
  }

  @Test("Of versions that recorded nothing what has a name of the member needs code, if any")
  func unrecorded() throws {
    func filled() throws -> InMemoryFileSystem {
      let fileSystem = InMemoryFileSystem()
      try RenamedOntoMemberTests.put(fileSystem, 1, RenamedOntoMemberTests.Named(id: 1, a: "1"))
      try RenamedOntoMemberTests.put(
        fileSystem, 2, RenamedOntoMemberTests.Reused(id: 2, b: "2", a: "new"))
      return fileSystem
    }
    var fileSystem = try filled()
    var store = try MigrationOnceTests.open(
      fileSystem, [RenamedOntoMemberTests.Reused.self], 3, .onRead)
    #expect(
      try ChangedKeyTests.all(store, RenamedOntoMemberTests.Reused.self).map(\.b) == ["1", "2"])
    try store.close()

    fileSystem = try filled()
    try Self.forget(fileSystem)
    #expect(
      throws: StoreError.migrationNeeded(
        type: "Person", member: "b", from: nil, to: .string, version: 1)
    ) {
      try MigrationOnceTests.open(fileSystem, [RenamedOntoMemberTests.Reused.self], 3, .onRead)
        .close()
    }
    store = try MigrationOnceTests.open(
      fileSystem, [RenamedOntoMemberTests.Reused.self], 3, .onRead,
      RenamedOntoMemberTests.renaming([("a", "b")]))
    #expect(
      try ChangedKeyTests.all(store, RenamedOntoMemberTests.Reused.self).map(\.b) == ["1", "2"])
    try store.close()
  }

  /// `a` is a number since version 2, by code that is gone, and called `c` since version 3.
  @Test("What a block says of a member whose lineage nobody recorded needs code for its type")
  func unrecordedByBlock() throws {
    struct Number: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var a = 0
    }
    struct Last: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      var c = 0
    }
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 1, RenamedOntoMemberTests.Named(id: 1, a: "1"))
    try RenamedOntoMemberTests.put(fileSystem, 2, Number(id: 2, a: 2)) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        new?["a"] = Int(old?["a"] as? String ?? "") ?? -1
      }
    }
    try Self.forget(fileSystem)
    let block = RenamedOntoMemberTests.renaming([("a", "c")], before: 3)
    guard
      case .migrationNeeded("Person", "c", _, .int64, 1)? = RenamedOntoMemberTests.refusal(
        fileSystem, Last.self, 3, .onRead, block)
    else {
      Issue.record("what only the code knew is not asked for")
      return
    }
  }

  @Test("Former names are followed from a version that recorded nothing, and else refused")
  func unrecordedNames() throws {
    var fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 1, RenamedOntoMemberTests.Named(id: 1, a: "A"))
    try Self.forget(fileSystem)
    var store = try MigrationOnceTests.open(
      fileSystem, [RenamedOntoMemberTests.Onto.self], 2, .onRead)
    #expect(try ChangedKeyTests.all(store, RenamedOntoMemberTests.Onto.self).map(\.b) == ["A"])
    try store.close()
    for model in [RenamedOntoMemberTests.Exchanged.self, RenamedOntoMemberTests.Onto.self]
      as [any StorableObject.Type]
    {
      fileSystem = try RenamedOntoMemberTests.fill()
      try Self.forget(fileSystem)
      #expect {
        try MigrationOnceTests.open(fileSystem, [model], 2, .onRead).close()
      } throws: { error in
        if case .renamedOntoMember? = error as? StoreError { true } else { false }
      }
    }
    // Where the model has both, the rename is past.
    fileSystem = try RenamedOntoMemberTests.fill()
    try Self.forget(fileSystem)
    store = try MigrationOnceTests.open(
      fileSystem, [RenamedOntoMemberTests.Reused.self], 2, .onRead)
    let found = try ChangedKeyTests.all(store, RenamedOntoMemberTests.Reused.self)
    #expect(found.map(\.a) == ["A"] && found.map(\.b) == ["B"])
    try store.close()
  }

  @Test("A damaged lineage that goes in a circle ends")
  func circle() {
    let first = MemberIdentity(introducedIn: 1, originalName: "a")
    let second = MemberIdentity(introducedIn: 2, originalName: "b")
    let origins = [
      first: RecordedLineage.Origin(identity: second, change: .renamed),
      second: RecordedLineage.Origin(identity: first, change: .retyped),
    ]
    let lineage = MemberLineage(of: first, origins) { _ in true }
    #expect(lineage.identities == [first, second])
    #expect(!lineage.isRetyped)
  }
}
