import FileIO
import StorageTestSupport
import Testing

@testable import ObjectStore

@Suite("Names in a migration block that mean nothing")
struct MigrationNameTests {
  typealias Timing = Store.Configuration.MigrationTiming

  struct Note: StorableObject {
    static let typeName = "Note"
    static let primaryKey = "id"
    var id = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("id", &id) }
  }

  static func fill(_ models: [any StorableObject.Type] = [SeedModels.Names.self]) throws
    -> InMemoryFileSystem
  {
    let fileSystem = InMemoryFileSystem()
    let store = try MigrationOnceTests.open(fileSystem, models, 0)
    try store.write { try $0.put(SeedModels.Names(id: 1, firstName: "f", age: 4)) }
    try store.close()
    return fileSystem
  }

  /// The error of an opening that must have changed nothing.
  static func refusal(
    _ timing: Timing, _ model: any StorableObject.Type = SeedModels.FullName.self,
    _ block: @escaping Store.Configuration.MigrationClosure
  ) throws -> StoreError? {
    let fileSystem = try fill()
    var refusal: StoreError?
    do {
      try MigrationOnceTests.open(fileSystem, [model], 1, timing, block).close()
    } catch { refusal = error as? StoreError }
    let store = try MigrationOnceTests.open(fileSystem, [SeedModels.Names.self], 0)
    #expect(try store.snapshot().get(SeedModels.Names.self, 1)?.firstName == "f")
    try store.close()
    return refusal
  }

  @Test(
    "R12: a type that neither models nor any version have is an error that names it",
    arguments: SeedExampleTests.timings)
  func unknownType(timing: Timing) throws {
    for call in ["enumerateObjects", "renameProperty"] {
      let refusal = try Self.refusal(timing) { migration, _ in
        if call == "renameProperty" {
          migration.renameProperty(onType: "Persom", from: "age", to: "years")
        } else {
          migration.enumerateObjects(ofType: "Persom") { _, _ in }
        }
      }
      #expect(
        refusal == .unknownMigrationType(call: call, type: "Persom", known: ["Person"]), "\(call)")
    }
  }

  @Test(
    "A type that the models or an older version have may be named, though no object has it",
    arguments: SeedExampleTests.timings)
  func knownTypes(timing: Timing) throws {
    let fileSystem = try Self.fill([SeedModels.Names.self, Note.self])
    // A version without it.
    var store = try MigrationOnceTests.open(fileSystem, [SeedModels.Names.self], 1, .onRead)
    try store.write { try $0.put(SeedModels.Names(id: 2)) }
    try store.close()
    store = try MigrationOnceTests.open(
      fileSystem, [SeedModels.Names.self, TodoModels.First.self], 2, timing
    ) { migration, _ in
      migration.enumerateObjects(ofType: "Note") { _, _ in }
      migration.enumerateObjects(ofType: "Todo") { _, _ in }
      migration.renameProperty(onType: "Note", from: "old", to: "new")
    }
    #expect(try store.snapshot().get(SeedModels.Names.self, 1)?.age == 4)
    try store.close()
  }

  @Test(
    "R12: a user who skipped the version with a type or a name is not locked out for it",
    arguments: SeedExampleTests.timings)
  func skippedVersions(timing: Timing) throws {
    let fileSystem = try Self.fill()
    let store = try MigrationOnceTests.open(
      fileSystem, [SeedModels.Names.self], 3, timing, checksPurity: false
    ) { migration, _ in
      migration.enumerateObjects(ofType: "OfVersionTwo") { _, _ in }
      migration.renameProperty(onType: "OfVersionTwo", from: "a", to: "b")
      migration.renameProperty(onType: "Person", from: "age", to: "yearsOfVersionTwo")
    }
    let found = try #require(try store.snapshot().get(SeedModels.Names.self, 1))
    #expect(found.firstName == "f")
    try store.close()
  }

  @Test(
    "R24: a rename to what no version has, and no code reads, is an error that names it",
    arguments: SeedExampleTests.timings)
  func unknownTarget(timing: Timing) throws {
    let refusal = try Self.refusal(timing) { migration, _ in
      migration.renameProperty(onType: "Person", from: "firstName", to: "fullNam")
    }
    #expect(
      refusal
        == .unknownRename(
          type: "Person", from: "firstName", to: "fullNam", missing: "fullNam", version: 0))
  }

  @Test(
    "R24: a rename of what that version does not have is an error that names it",
    arguments: SeedExampleTests.timings)
  func unknownSource(timing: Timing) throws {
    let refusal = try Self.refusal(timing) { migration, _ in
      migration.renameProperty(onType: "Person", from: "frstName", to: "fullName")
    }
    #expect(
      refusal
        == .unknownRename(
          type: "Person", from: "frstName", to: "fullName", missing: "frstName", version: 0))
  }

  @Test(
    "R24: through a name that is gone again, a rename leads to the one that there is",
    arguments: SeedExampleTests.timings)
  func chain(timing: Timing) throws {
    let fileSystem = try Self.fill()
    let store = try MigrationOnceTests.open(fileSystem, [SeedModels.FullName.self], 2, timing) {
      migration, _ in
      migration.renameProperty(onType: "Person", from: "firstName", to: "given")
      migration.renameProperty(onType: "Person", from: "given", to: "fullName")
    }
    #expect(try store.snapshot().get(SeedModels.FullName.self, 1)?.fullName == "f")
    try store.close()
  }

  @Test("R24: a name that a version between had may be the target, though the models lost it")
  func targetBetween() throws {
    let fileSystem = try Self.fill()
    let rename: Store.Configuration.MigrationClosure = { migration, old in
      if old < 1 { migration.renameProperty(onType: "Person", from: "age", to: "yearsSinceBirth") }
    }
    var store = try MigrationOnceTests.open(
      fileSystem, [SeedModels.YearsSinceBirth.self], 1, .onRead, rename)
    try store.write { try $0.put(SeedModels.YearsSinceBirth(id: 2, yearsSinceBirth: 5)) }
    try store.close()
    store = try MigrationOnceTests.open(fileSystem, [Titled.self], 2, .onRead, rename)
    #expect(try store.snapshot().get(Titled.self, 1)?.firstName == "f")
    try store.close()
  }

  struct Titled: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var firstName = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("firstName", &firstName)
    }
  }

  @Test("enumerateObjects within a step, where nothing would come of it, is told")
  func misplaced() throws {
    let fileSystem = try Self.fill()
    let store = try MigrationOnceTests.open(fileSystem, [SeedModels.FullName.self], 1, .onRead) {
      migration, _ in
      migration.enumerateObjects(ofType: "Person") { _, _ in
        migration.enumerateObjects(ofType: "Person") { _, new in new?["age"] = 5 }
      }
    }
    #expect {
      try store.snapshot().get(SeedModels.FullName.self, 1)
    } throws: { "\($0)".contains("calls enumerateObjects where it has no effect") }
    try store.close()
  }
}
