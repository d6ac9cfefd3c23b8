import FileIO
import ObjectStore
import Testing

@Suite("A unique value of an object whose upgrade fails is taken (H5, R38)")
struct FailingUniqueValueTests {
  struct OldAccount: StorableObject {
    static let typeName = "Account"
    static let primaryKey = "id"
    static let indexes: [IndexDeclaration] = [.unique("mail")]
    var id = 0
    var mail = ""
    var zip = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("mail", &mail)
      try visitor.member("zip", &zip)
    }
  }

  struct Account: StorableObject {
    static let primaryKey = "id"
    static let indexes: [IndexDeclaration] = [.unique("mail")]
    var id = 0
    var mail = ""
    var zip = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("mail", &mail)
      try visitor.member("zip", &zip)
    }
  }

  struct NoNumber: Error {}

  static let base = Base(0) {
    Type("Account", key: "id") {
      Field("id", .int64)
      Field("mail", .string)
      Field("zip", .string)
    }
  }
  static let failing = SchemaHistory {
    base
    Version(1) {
      On("Account") {
        Convert("zip", to: .int64) { (zip: String) throws -> Int in
          guard let number = Int(zip) else { throw NoNumber() }
          return number
        }
      }
    }
  }
  static let mended = SchemaHistory {
    base
    Version(1) {
      On("Account") {
        Convert("zip", to: .int64, revision: 2) { (zip: String) in Int(zip) ?? -1 }
      }
    }
  }

  static func open(
    _ fileSystem: InMemoryFileSystem, _ models: [any StorableObject.Type], _ history: SchemaHistory
  ) throws -> Store {
    try Store.open(
      at: "/store", models: models, history: history, configuration: .quiet,
      fileSystem: fileSystem)
  }

  /// Accounts 1 and on of version 0 with these addresses, whose upgrade fails.
  static func makeStore(_ mails: [String], isIndexed: Bool) throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try open(
      fileSystem, isIndexed ? [OldAccount.self] : [], SchemaHistory { base })
    try store.write { transaction in
      for (number, mail) in mails.enumerated() {
        try transaction.put(
          transaction.makeObject(
            ofType: "Account",
            ["id": .int(Int64(number + 1)), "mail": .string(mail), "zip": "bad"]))
      }
    }
    try store.close()
    return fileSystem
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

  @Test(
    "R38: with an index from before the failing step, and without one", arguments: [true, false])
  func taken(isIndexed: Bool) throws {
    let fileSystem = try Self.makeStore(["mail", "other"], isIndexed: isIndexed)
    var store = try Self.open(fileSystem, [Account.self], Self.failing)
    #expect(store.incompleteIndexes == (isIndexed ? [] : ["Account.mail"]))
    for _ in 0..<2 {
      Self.expectRefused(store, Account(id: 3, mail: "mail"), other: "1")
      Self.expectRefused(store, Account(id: 2, mail: "mail"), other: "1")
      // The same account may keep it.
      #expect(throws: CancellationError.self) {
        try store.write { transaction in
          try transaction.put(Account(id: 1, mail: "mail"))
          throw CancellationError()
        }
      }
      try store.buildIndexes()
    }
    try store.write { try $0.put(Account(id: 3, mail: "third")) }
    try store.close()
    store = try Self.open(fileSystem, [Account.self], Self.mended)
    // One that was made under the failing version is made again, as that was edited.
    #expect(store.incompleteIndexes == (isIndexed ? [] : ["Account.mail"]))
    #expect(try store.buildIndexes().conflicts.isEmpty)
    Self.expectRefused(store, Account(id: 3, mail: "mail"), other: "1")
    try store.write { transaction in
      try transaction.put(Account(id: 1, mail: "free"))
      try transaction.put(Account(id: 3, mail: "mail"))
    }
    try store.close()
  }

  @Test("H5: those that share a value already are listed, and may keep it")
  func shared() throws {
    let fileSystem = try Self.makeStore(["a", "b", "a", "c"], isIndexed: false)
    let store = try Self.open(fileSystem, [Account.self], Self.failing)
    #expect(try store.buildIndexes().conflicts.map(\.keys) == [[1, 3]])
    try store.write { try $0.put(Account(id: 3, mail: "a", zip: 1)) }
    #expect(try store.buildIndexes().conflicts.map(\.keys) == [[1, 3]])
    Self.expectRefused(store, Account(id: 4, mail: "a"), other: "1")
    try store.write { try $0.put(Account(id: 1, mail: "d", zip: 1)) }
    #expect(try store.buildIndexes().conflicts.isEmpty)
    Self.expectRefused(store, Account(id: 4, mail: "a"), other: "3")
    try store.close()
  }
}
