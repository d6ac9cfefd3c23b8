import FileIO
import ObjectStore
import StorageTestSupport
import Testing

/// The recipe that is documented finds them: to build what is called incomplete.
@Suite("Which objects share a value of a unique member (R38)")
struct BecomingUniqueTests {
  typealias Account = UniqueMemberTests.Account
  typealias PlainAccount = UniqueMemberTests.OldAccount

  struct IndexedAccount: StorableObject {
    static let typeName = "Account"
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("mail")]
    var id = 0
    var mail: String?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("mail", &mail)
    }
  }

  static func open(
    _ model: any StorableObject.Type, _ fileSystem: InMemoryFileSystem, isAdditive: Bool = false
  ) throws -> Store {
    if isAdditive {
      return try Store.open(
        at: "/s", models: [model], evolution: .additive, configuration: .quiet,
        fileSystem: fileSystem)
    }
    return try Store.open(
      at: "/s", models: [model], history: UniqueMemberTests.first, configuration: .quiet,
      fileSystem: fileSystem)
  }

  @Test(
    "An index that becomes unique is incomplete until duplicates were told",
    arguments: [false, true])
  func becomesUnique(isAdditive: Bool) throws {
    let fileSystem = InMemoryFileSystem()
    var store = try Self.open(IndexedAccount.self, fileSystem, isAdditive: isAdditive)
    try store.write { transaction in
      for id in 1...3 {
        try transaction.put(IndexedAccount(id: id, mail: id < 3 ? "one" : "other"))
      }
    }
    #expect(store.incompleteIndexes.isEmpty)
    try store.close()
    for _ in 0..<2 {
      store = try Self.open(Account.self, fileSystem, isAdditive: isAdditive)
      #expect(store.incompleteIndexes == ["Account.mail"])
      // Refused from the first put on, and look-ups are right.
      #expect(throws: StoreError.notUnique(type: "Account", member: "mail", keyText: "3")) {
        try store.write { try $0.put(Account(id: 4, mail: "other")) }
      }
      #expect(
        try store.snapshot().objects(Account.self, where: "mail", equals: "one").count() == 2)
      // The second time around it was written down that it is unique.
      try store.write { try $0.put(Account(id: 3, mail: "other")) }
      try store.close()
    }
    store = try Self.open(Account.self, fileSystem, isAdditive: isAdditive)
    #expect(store.incompleteIndexes == ["Account.mail"])
    #expect(try store.buildIndexes().conflicts.map(\.keys) == [[1, 2]])
    #expect(store.incompleteIndexes.isEmpty)
    try store.close()
    store = try Self.open(Account.self, fileSystem, isAdditive: isAdditive)
    #expect(store.incompleteIndexes.isEmpty)
    try store.close()
  }

  @Test("One of a type without objects is complete, and stays so")
  func withoutObjects() throws {
    let fileSystem = InMemoryFileSystem()
    func open(_ account: any StorableObject.Type) throws -> Store {
      try Store.open(
        at: "/s", models: [account, LinkedKeyTests.House.self], evolution: .additive,
        configuration: .quiet, fileSystem: fileSystem)
    }
    var store = try open(IndexedAccount.self)
    try store.write { try $0.put(LinkedKeyTests.House(id: 1)) }
    try store.close()
    store = try open(Account.self)
    #expect(store.incompleteIndexes.isEmpty)
    try store.buildIndexes()
    try store.write { try $0.put(Account(id: 1, mail: "one")) }
    #expect(store.incompleteIndexes.isEmpty)
    try store.close()
  }

  /// The keys of objects that share a mail, found by reading all of them.
  static func sharing(_ store: Store) throws -> [[Value]] {
    var keys: [String: [Value]] = [:]
    let cursor = try store.snapshot().objects(Account.self)
    while let account = try cursor.next() {
      if let mail = account.mail { keys[mail, default: []].append(.int(Int64(account.id))) }
    }
    return keys.filter { $0.value.count > 1 }
      .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map(\.value)
  }

  @Test("A walk over the index finds what reading all objects finds", arguments: 0..<20)
  func sameAsReadingAll(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let fileSystem = InMemoryFileSystem()
    var store = try Self.open(PlainAccount.self, fileSystem)
    // Some are cut in the index, and begin alike.
    let long = String(repeating: "b", count: 255)
    let mails: [String?] = [nil, "", "a", "aa", long, long + "a", long + "b", long + "c", "c"]
    try store.write { transaction in
      for id in 0..<Int.random(in: 0...12, using: &random) {
        let mail = mails.randomElement(using: &random) ?? nil
        try transaction.put(PlainAccount(id: id, mail: mail))
      }
    }
    try store.close()
    store = try Self.open(Account.self, fileSystem)
    for _ in 0..<3 {
      #expect(try store.buildIndexes().conflicts.map(\.keys) == (try Self.sharing(store)))
      // What is complete is walked again, with other objects.
      try store.write { transaction in
        _ = try transaction.delete(Account.self, Int.random(in: 0...12, using: &random))
        let mail = "\(Int.random(in: 0...9, using: &random))"
        try? transaction.put(Account(id: Int.random(in: 0...12, using: &random), mail: mail))
      }
    }
    try store.close()
  }

  @Test("Of objects with values of their own none is read, so a damaged one disturbs nobody")
  func ownValues() throws {
    for harm in DamagedObjectTests.Harm.allCases {
      let store = try DamagedObjectTests.makeStore(isIndexed: true, harm)
      #expect(throws: StoreError.self) { try store.snapshot().get(DamagedObjectTests.Note.self, 2) }
      #expect(try store.buildIndexes().conflicts.isEmpty)
      try store.close()
    }
  }

  @Test("Who builds indexes is asked whether to go on while shared values are looked for")
  func stopped() throws {
    let fileSystem = InMemoryFileSystem()
    var store = try Self.open(PlainAccount.self, fileSystem)
    try store.write { transaction in
      for id in 1000..<2200 {
        try transaction.put(PlainAccount(id: id, mail: id < 2198 ? "\(id)" : "last"))
      }
    }
    try store.close()
    store = try Self.open(Account.self, fileSystem)
    try store.buildIndexes()
    var (stopped, all) = (0, 0)
    let report = try store.buildIndexes { _ in
      stopped += 1
      return stopped < 2
    }
    #expect(report.conflicts.isEmpty)
    let whole = try store.buildIndexes { _ in
      all += 1
      return true
    }
    #expect(whole.conflicts.map(\.keys) == [[2198, 2199]] && whole.objectCount == 0)
    // Once for objects of unknown value, and once for each 500 keys.
    #expect((stopped, all) == (2, 3))
    try store.close()
  }
}
