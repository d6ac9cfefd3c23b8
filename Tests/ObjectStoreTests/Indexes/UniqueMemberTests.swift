import FileIO
import ObjectStore
import Testing

@Suite("Unique members refuse a value that another object has (H5, R38)")
struct UniqueMemberTests {
  struct Account: StorableObject, Equatable {
    static let primaryKey = "id"
    static let indexes: [IndexDeclaration] = [.unique("mail")]
    var id = 0
    var mail: String?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("mail", &mail)
    }
  }

  /// The same before the member was unique, and before it was in lower case.
  struct OldAccount: StorableObject {
    static let typeName = "Account"
    static let primaryKey = "id"
    var id = 0
    var mail: String?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("mail", &mail)
    }
  }

  static let base = Base(0) {
    Type("Account", key: "id") {
      Field("id", .int64)
      Field("mail", .optional(.string))
    }
  }
  static let first = SchemaHistory { base }
  static let second = SchemaHistory {
    base
    Version(1) {
      On("Account") {
        Convert("mail", to: .optional(.string)) { (mail: String) in mail.lowercased() }
      }
    }
  }

  static func open(_ history: SchemaHistory, _ fileSystem: InMemoryFileSystem) throws -> Store {
    try Store.open(
      at: "/store", models: [Account.self], history: history, configuration: .quiet,
      fileSystem: fileSystem)
  }

  static func expectRefused(
    _ store: Store, _ account: Account, other: String, _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(
      throws: StoreError.notUnique(type: "Account", member: "mail", keyText: other),
      sourceLocation: location
    ) {
      try store.write { try $0.put(account) }
    }
  }

  @Test("A value is free again when its object changed it or is gone")
  func life() throws {
    let store = try Self.open(Self.first, InMemoryFileSystem())
    try store.write { transaction in
      try transaction.put(Account(id: 1, mail: "a"))
      try transaction.put(Account(id: 2, mail: nil))
      try transaction.put(Account(id: 3, mail: nil))
    }
    Self.expectRefused(store, Account(id: 2, mail: "a"), other: "1")
    #expect(try store.snapshot().get(Account.self, 2)?.mail == nil)
    try store.write { try $0.put(Account(id: 1, mail: "a")) }
    try store.write { transaction in
      try transaction.put(Account(id: 1, mail: "b"))
      try transaction.put(Account(id: 2, mail: "a"))
    }
    try store.write { try $0.delete(Account.self, 2) }
    try store.write { try $0.put(Account(id: 3, mail: "a")) }
    Self.expectRefused(store, Account(id: 4, mail: "b"), other: "1")
    try store.close()
  }

  @Test("In one transaction the second of two is refused, and a catch goes on without it")
  func sameTransaction() throws {
    let store = try Self.open(Self.first, InMemoryFileSystem())
    try store.write { transaction in
      try transaction.put(Account(id: 1, mail: "a"))
      #expect(throws: StoreError.self) { try transaction.put(Account(id: 2, mail: "a")) }
      try transaction.put(Account(id: 3, mail: "c"))
    }
    let cursor = try store.snapshot().objects(Account.self)
    #expect(try cursor.next()?.id == 1)
    #expect(try cursor.next()?.id == 3)
    #expect(try cursor.next() == nil)
    try store.close()
  }

  @Test("Checks compare upgraded values of old objects, while the index is built and after")
  func upgradedValues() throws {
    let fileSystem = InMemoryFileSystem()
    var store = try Self.open(Self.first, fileSystem)
    try store.write { try $0.put(Account(id: 1, mail: "ADA")) }
    try store.write { try $0.put(Account(id: 2, mail: "ada")) }
    try store.close()
    store = try Self.open(Self.second, fileSystem)
    #expect(store.incompleteIndexes == ["Account.mail"])
    Self.expectRefused(store, Account(id: 3, mail: "ada"), other: "1")
    let report = try store.buildIndexes()
    #expect(report.conflicts.map(\.member) == ["mail"])
    #expect(report.conflicts.map(\.keys) == [[.int(1), .int(2)]])
    Self.expectRefused(store, Account(id: 3, mail: "ada"), other: "1")
    // Objects that share a value may stay as they are, and each may give it up.
    try store.write { try $0.put(Account(id: 2, mail: "ada")) }
    try store.write { try $0.put(Account(id: 2, mail: "lovelace")) }
    #expect(try store.buildIndexes().conflicts.isEmpty)
    Self.expectRefused(store, Account(id: 2, mail: "ada"), other: "1")
    try store.close()
  }

  @Test("A member that becomes unique keeps the duplicates it has, and refuses new ones")
  func becomesUnique() throws {
    let fileSystem = InMemoryFileSystem()
    var store = try Store.open(
      at: "/store", models: [OldAccount.self], history: Self.first, configuration: .quiet,
      fileSystem: fileSystem)
    try store.write { transaction in
      for id in 0..<4 { try transaction.put(OldAccount(id: id, mail: "same")) }
    }
    try store.close()
    store = try Self.open(Self.first, fileSystem)
    #expect(
      try store.buildIndexes().conflicts.map(\.keys) == [[.int(0), .int(1), .int(2), .int(3)]])
    Self.expectRefused(store, Account(id: 9, mail: "same"), other: "0")
    try store.close()
    // A tool keeps the index up too, though it does not know the model.
    store = try Store.open(at: "/store", configuration: .quiet, fileSystem: fileSystem)
    try store.write { transaction in
      try transaction.put(
        ["id": 7, "mail": "seven"].sorted { $0.key < $1.key }.map(\.value),
        ofType: "Account")
      try transaction.delete(ofType: "Account", key: .int(3))
    }
    try store.close()
    store = try Self.open(Self.first, fileSystem)
    #expect(store.incompleteIndexes.isEmpty)
    Self.expectRefused(store, Account(id: 8, mail: "seven"), other: "7")
    try store.close()
    // Nobody declares it any more: it is removed, and not kept up.
    store = try Store.open(
      at: "/store", models: [OldAccount.self], history: Self.first, configuration: .quiet,
      fileSystem: fileSystem)
    #expect(try store.buildIndexes().removedCount == 4)
    try store.write { try $0.put(OldAccount(id: 8, mail: "seven")) }
    try store.close()
  }

  @Test("Objects that share a long value, cut in the index, may stay as they are")
  func longValues() throws {
    let fileSystem = InMemoryFileSystem()
    let long = String(repeating: "m", count: 300)
    var store = try Store.open(
      at: "/store", models: [OldAccount.self], history: Self.first, configuration: .quiet,
      fileSystem: fileSystem)
    try store.write { transaction in
      for id in 0..<2 { try transaction.put(OldAccount(id: id, mail: long)) }
    }
    try store.close()
    store = try Self.open(Self.first, fileSystem)
    for _ in 0..<2 {
      try store.write { try $0.put(Account(id: 1, mail: long)) }
      Self.expectRefused(store, Account(id: 2, mail: long), other: "0")
      try store.buildIndexes()
    }
    try store.write { try $0.put(Account(id: 0, mail: long + "x")) }
    Self.expectRefused(store, Account(id: 0, mail: long), other: "1")
    try store.close()
  }

  @Test("R38: objects that share a long value are reported though others begin alike")
  func longConflicts() throws {
    let fileSystem = InMemoryFileSystem()
    let long = String(repeating: "m", count: 300)
    var store = try Store.open(
      at: "/store", models: [OldAccount.self], history: Self.first, configuration: .quiet,
      fileSystem: fileSystem)
    try store.write { transaction in
      let mails = ["a", "\(long)y", "\(long)x", "\(long)y", "\(long)z", "\(long)x", "z", "a"]
      for (id, mail) in mails.enumerated() { try transaction.put(OldAccount(id: id, mail: mail)) }
    }
    try store.close()
    store = try Self.open(Self.first, fileSystem)
    #expect(
      try store.buildIndexes().conflicts.map(\.keys)
        == [[.int(0), .int(7)], [.int(2), .int(5)], [.int(1), .int(3)]])
    try store.close()
  }

  @Test("R38: what a policy makes up in place of an object is no value that it has")
  func madeUp() throws {
    struct Failing: Error {}
    let failing = SchemaHistory {
      Self.base
      Version(1) {
        On("Account") {
          Convert("mail", to: .optional(.string)) { (mail: String) throws -> String in
            if mail == "bad" { throw Failing() }
            return mail
          }
        }
      }
    }
    let fileSystem = InMemoryFileSystem()
    var store = try Self.open(Self.first, fileSystem)
    try store.write { try $0.put(Account(id: 1, mail: "bad")) }
    try store.close()
    var configuration = StoreConfiguration.quiet
    configuration.failurePolicies["Account"] = .fallback { _ in ["mail": "unknown"] }
    store = try Store.open(
      at: "/store", models: [Account.self], history: failing, configuration: configuration,
      fileSystem: fileSystem)
    for id in [2, 3] {
      try store.write { try $0.put(Account(id: id, mail: "unknown")) }
      Self.expectRefused(store, Account(id: 9, mail: "unknown"), other: "\(id)")
      #expect(try store.buildIndexes().conflicts.isEmpty)
      try store.write { try $0.delete(Account.self, id) }
    }
    try store.close()
  }

  @Test("An index of a member that is none, or holds a list, is refused when the store is opened")
  func wrongDeclarations() throws {
    struct Wrong: StorableObject {
      static let typeName = "Account"
      static let primaryKey = "id"
      static let indexes = [IndexDeclaration("nothing")]
      var id = 0
      var mail: String?
      mutating func visitMembers<Visitor: MemberVisitor>(
        _ visitor: inout Visitor
      ) throws(StoreError) {
        try visitor.member("id", &id)
        try visitor.member("mail", &mail)
      }
    }
    #expect(throws: StoreError.self) {
      try Store.open(
        at: "/store", models: [Wrong.self], history: Self.first, configuration: .quiet,
        fileSystem: InMemoryFileSystem())
    }
  }
}
