import FileIO
import Testing

@testable import ObjectStore

/// Members that were called something else before.
@Suite("Former names are followed where a configuration opens, and never ignored")
struct FormerNameTests {
  typealias Way = CodableInitialValueTests.Way

  struct Named: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id: Int
    var name: String
  }

  struct Full: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["full": ["name"]]
    var id: Int
    var full: String?
  }

  /// An app that renamed nothing.
  struct Both: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id: Int
    var name: String
    var full: String?
  }

  /// The third name of the member; the second is before the first one.
  struct Whole: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["complete": ["full", "name"]]
    var id: Int
    var whole: String
    enum CodingKeys: String, CodingKey {
      case id
      case whole = "complete"
    }
  }

  struct Middle: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["full": ["name"]]
    var id: Int
    var full: String
  }

  static func store(_ way: Way) throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    try CodableInitialValueTests.put(way, Named(id: 1, name: "Ada"), version: 0, fileSystem)
    return fileSystem
  }

  @Test("Additive: a member that was called what the store has is refused, as apps know it by that")
  func additive() throws {
    let fileSystem = try Self.store(.additive)
    #expect(
      throws: StoreError.conflictingSettings(
        "Person.full was called name, which the store has; with evolution: .additive members keep "
          + "their names, as other apps know them by these. Call it name, or take that former name "
          + "away, so that full is added beside it")
    ) {
      try CodableInitialValueTests.open(.additive, Full.self, fileSystem) { _ in }
    }
    // Whoever added it before is not refused.
    try CodableInitialValueTests.put(.additive, Both(id: 2, name: "Bea", full: "B"), fileSystem)
    try CodableInitialValueTests.open(.additive, Full.self, fileSystem) { (store) throws in
      #expect(try store.snapshot().get(Full.self, 1)?.full == nil)
      #expect(try store.snapshot().get(Full.self, 2)?.full == "B")
    }
    try CodableInitialValueTests.put(.additive, Full(id: 3, full: "C"), InMemoryFileSystem())
  }

  @Test("Additive: earlier former names count, too")
  func additiveChain() throws {
    #expect(throws: StoreError.self) {
      try CodableInitialValueTests.open(.additive, Whole.self, try Self.store(.additive)) { _ in }
    }
  }

  @Test("Configured: a member that had several names is found under each", arguments: [0, 1])
  func chain(_ renamesBefore: Int) throws {
    let fileSystem = try Self.store(.configured)
    if renamesBefore == 1 {
      try CodableInitialValueTests.put(
        .configured, Middle(id: 2, full: "Bea"), version: 1, fileSystem)
    }
    try CodableInitialValueTests.open(.configured, Whole.self, version: 2, fileSystem) {
      (store) throws in
      #expect(try store.snapshot().get(Whole.self, 1)?.whole == "Ada")
      if renamesBefore == 1 {
        #expect(try store.snapshot().get(Whole.self, 2)?.whole == "Bea")
      }
    }
  }

  /// `last` was called what another member is called now.
  struct Moved: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["last": ["full"], "full": ["name"]]
    var id: Int
    var last: String?
    var full: String
  }

  @Test("Configured: what a member that is there was called is followed for that one only")
  func chainThroughMember() throws {
    let fileSystem = try Self.store(.configured)
    try CodableInitialValueTests.open(.configured, Moved.self, fileSystem) { (store) throws in
      #expect(
        try store.snapshot().get(Moved.self, 1) == Moved(id: 1, last: nil, full: "Ada"))
    }
    // Where both may be meant nothing is guessed.
    let middle = InMemoryFileSystem()
    try CodableInitialValueTests.put(.configured, Middle(id: 2, full: "Bea"), version: 0, middle)
    #expect(throws: StoreError.self) {
      try CodableInitialValueTests.open(.configured, Moved.self, middle) { _ in }
    }
  }

  @Test("Configured: former names go on from what a block renames")
  func block() throws {
    struct Last: CodableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      static let formerNames = ["last": ["middle"]]
      var id: Int
      var last: String
    }
    let fileSystem = try Self.store(.configured)
    let block: Store.Configuration.MigrationClosure = { migration, _ in
      migration.renameProperty(onType: "Person", from: "name", to: "middle")
    }
    try CodableInitialValueTests.open(.configured, Last.self, fileSystem, block: block) {
      (store) throws in
      #expect(try store.snapshot().get(Last.self, 1)?.last == "Ada")
    }
  }
}
