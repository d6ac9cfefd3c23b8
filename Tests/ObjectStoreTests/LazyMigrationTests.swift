import FileIO
import ObjectStore
import StorageTestSupport
import Testing

/// The first seed's story: firstName and lastName become fullName, email goes and comes back.
@Suite struct LazyMigrationTests {
  struct PersonV0: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var firstName = ""
    var lastName = ""
    var email: String?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("firstName", &firstName)
      try visitor.member("lastName", &lastName)
      try visitor.member("email", &email)
    }
  }

  struct PersonV3: StorableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var fullName = ""
    var email: String?
    var age = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("age", &age)
      try visitor.member("fullName", &fullName)
      try visitor.member("email", &email)
    }
  }

  static let base = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("firstName", .string)
      Field("lastName", .string)
      Field("email", .optional(.string))
    }
  }

  static let first = SchemaHistory { base }
  static let latest = SchemaHistory {
    base
    Version(1) {
      On("Person") {
        Derive("fullName", from: "firstName", "lastName") {
          (first: String, last: String) -> String in "\(first) \(last)"
        }
        Remove("firstName")
        Remove("lastName")
      }
    }
    Version(2) { On("Person") { Remove("email") } }
    Version(3) {
      On("Person") {
        Add("email", .optional(.string))
        Add("age", .int64, default: .int(18))
      }
    }
  }

  static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try Store.open(
      at: "/people", models: [PersonV0.self], history: first, configuration: .quiet,
      fileSystem: fileSystem)
    try store.write { transaction in
      for id in -50..<50 {
        try transaction.put(
          PersonV0(id: id, firstName: "First \(id)", lastName: "Last", email: "old@\(id)"))
      }
    }
    try store.close()
    return fileSystem
  }

  static func openLatest(_ fileSystem: InMemoryFileSystem) throws -> Store {
    try Store.open(
      at: "/people", models: [PersonV3.self], history: latest, configuration: .quiet,
      fileSystem: fileSystem)
  }

  @Test("R12, R22, R23: a user who skips versions reads the new shape, and no old email")
  func aUserWhoSkipsVersionsReadsTheNewShape() throws {
    let store = try Self.openLatest(try Self.makeStore())
    let person = try store.read { try $0.get(PersonV3.self, -7) }
    #expect(person == PersonV3(id: -7, fullName: "First -7 Last", email: nil, age: 18))
    let cursor = try store.snapshot().objects(PersonV3.self)
    var ids: [Int] = []
    while let person = try cursor.next() { ids.append(person.id) }
    #expect(ids == Array(-50..<50))
    try store.close()
  }

  @Test("R18, R39: updates and compaction make the upgrade permanent, and reads stay equal")
  func compactionMakesTheUpgradePermanent() throws {
    let store = try Self.openLatest(try Self.makeStore())
    try store.write { transaction in
      var person = try #require(try transaction.get(PersonV3.self, 1))
      person.age = 36
      try transaction.put(person)
      #expect(try transaction.get(PersonV3.self, 1)?.age == 36)
      try transaction.delete(PersonV3.self, 2)
    }
    func all() throws -> [PersonV3] {
      let cursor = try store.snapshot().objects(PersonV3.self)
      var found: [PersonV3] = []
      while let person = try cursor.next() { found.append(person) }
      return found
    }
    let before = try all()
    #expect(try store.statistics().oldestVersion == 0)
    let report = try store.compact()
    #expect(report.upgradedCount == 98)
    #expect(report.failedCount == 0)
    #expect(try all() == before)
    #expect(before.count == 99)
    #expect(try store.statistics().oldestVersion == 3)
    #expect(try store.compact().segmentCount == 0)
    try store.close()
  }

  @Test("R4: an older app is refused, and the files stay as they are")
  func anOlderAppIsRefused() throws {
    let fileSystem = try Self.makeStore()
    var store = try Self.openLatest(fileSystem)
    try store.write { try $0.put(PersonV3(id: 1000)) }
    try store.close()
    #expect(throws: StoreError.schema(.storeIsNewer(stored: 3, requested: 0))) {
      try Store.open(
        at: "/people", models: [PersonV0.self], history: Self.first, configuration: .quiet,
        fileSystem: fileSystem)
    }
    store = try Self.openLatest(fileSystem)
    #expect(try store.snapshot().get(PersonV3.self, 1000) != nil)
    try store.close()
  }

  @Test("R7: a model that the chain does not reach is refused when the store is opened")
  func aModelThatTheChainDoesNotReachIsRefused() throws {
    let fileSystem = try Self.makeStore()
    #expect(throws: StoreError.self) {
      try Store.open(
        at: "/people", models: [PersonV3.self], history: Self.first, configuration: .quiet,
        fileSystem: fileSystem)
    }
  }

  @Test("P3: opening under a later version reads no object and changes no byte")
  func openingUnderALaterVersionReadsNoObject() throws {
    let fileSystem = SimulatedFileSystem()
    var configuration = StoreConfiguration.quiet
    configuration.log.maintenance = .inline
    configuration.log.segmentByteCountMinimum = 4 << 10
    configuration.log.segmentByteCountMaximum = 4 << 10
    configuration.log.readMode = .buffered
    let store = try Store.open(
      at: "/people", models: [PersonV0.self], history: Self.first, configuration: configuration,
      fileSystem: fileSystem)
    for id in 0..<3000 {
      try store.write(durability: .process) {
        try $0.put(PersonV0(id: id, firstName: "First \(id)", lastName: "Last", email: nil))
      }
    }
    try store.close()
    let files = fileSystem.snapshotOfFiles(in: "/people")
    #expect(files.count > 40)
    var operations: [Int] = []
    for history in [Self.first, Self.latest] {
      let before = fileSystem.operationCount
      let store = try Store.open(
        at: "/people", models: [], history: history, configuration: configuration,
        fileSystem: fileSystem)
      operations.append(fileSystem.operationCount - before)
      try store.close()
    }
    // The manifest, and the one segment that holds the catalog.
    #expect(operations[0] == operations[1])
    #expect(operations[1] < 30)
    #expect(fileSystem.snapshotOfFiles(in: "/people") == files)
  }

  @Test func aToolReadsEachObjectAsItIsStored() throws {
    let fileSystem = try Self.makeStore()
    let store = try Store.open(at: "/people", configuration: .readOnly, fileSystem: fileSystem)
    let object = try #require(try store.snapshot().object(ofType: "Person", key: .int(3)))
    #expect(object["email"] == .string("old@3"))
    #expect(object.typeName == "Person")
    try store.close()
  }
}
