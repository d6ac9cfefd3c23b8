import FileIO
import ObjectStore
import Testing

/// Indexes and types that only one of the apps knows.
@Suite struct AdditiveIndexTests {
  struct Member: StorableObject {
    static let typeName = "Thing"
    static let primaryKey = "id"
    static let indexes: [IndexDeclaration] = [.unique("mail"), IndexDeclaration("town")]
    var id = 0
    var mail: String?
    var town = "Bern"
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("mail", &mail)
      try visitor.member("town", &town)
    }
  }

  /// Knows the unique member, but not that it is unique, and nothing of towns.
  struct Plain: StorableObject {
    static let typeName = "Thing"
    static let primaryKey = "id"
    var id = 0
    var mail: String?
    var stars = 3
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("mail", &mail)
      try visitor.member("stars", &stars)
    }
  }

  struct Pet: StorableObject {
    static let primaryKey = "name"
    var name = ""
    var owner = Link<Plain>(key: 0)
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("name", &name)
      try visitor.member("owner", &owner)
    }
  }

  static func open(
    _ fileSystem: InMemoryFileSystem, _ models: [any StorableObject.Type]
  ) throws -> Store {
    try Store.open(
      at: "/s", models: models, evolution: .additive, configuration: .quiet,
      fileSystem: fileSystem)
  }

  static func keys(_ store: Store, _ member: String, _ value: Value) throws -> [Int] {
    let found = try store.snapshot().objects(
      Member.self, where: member, selecting: .equal(to: value))
    var keys: [Int] = []
    while let object = try found.next() { keys.append(object.id) }
    return keys
  }

  @Test("Additive: an index of one app is kept up by others, and what is unique stays so for all")
  func indexes() throws {
    let fileSystem = InMemoryFileSystem()
    var store = try Self.open(fileSystem, [Member.self])
    try store.write { transaction in
      try transaction.put(Member(id: 1, mail: "a", town: "Bern"))
      try transaction.put(Member(id: 2, mail: "b", town: "Basel"))
    }
    #expect(store.incompleteIndexes == [])
    try store.close()

    store = try Self.open(fileSystem, [Plain.self])
    try store.write { transaction in
      try transaction.put(Plain(id: 1, mail: "c"))
      try transaction.put(Plain(id: 3, mail: "d"))
    }
    #expect(throws: StoreError.notUnique(type: "Thing", member: "mail", keyText: "2")) {
      try store.write { try $0.put(Plain(id: 4, mail: "b")) }
    }
    try store.write { try $0.delete(Plain.self, 2) }
    _ = try store.compact()
    try store.close()

    store = try Self.open(fileSystem, [Member.self])
    #expect(store.incompleteIndexes == [])
    #expect(try Self.keys(store, "town", "Bern") == [1, 3])
    #expect(try Self.keys(store, "town", "Basel") == [])
    #expect(try Self.keys(store, "mail", "c") == [1])
    #expect(try Self.keys(store, "mail", "a") == [])
    #expect(throws: StoreError.notUnique(type: "Thing", member: "mail", keyText: "3")) {
      try store.write { try $0.put(Member(id: 1, mail: "d")) }
    }
    try store.close()
  }

  @Test("Additive: a type that only one app knows is left alone by others")
  func types() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.open(fileSystem, [Member.self]).close()
    var store = try Self.open(fileSystem, [Plain.self, Pet.self])
    try store.write { transaction in
      try transaction.put(Plain(id: 1))
      try transaction.put(Pet(name: "Rex", owner: Link(key: 1)))
    }
    try store.close()
    store = try Self.open(fileSystem, [Member.self])
    try store.write { try $0.put(Member(id: 1, mail: "x")) }
    _ = try store.compact()
    try store.close()
    store = try Self.open(fileSystem, [Plain.self, Pet.self])
    let pet = try #require(try store.snapshot().get(Pet.self, "Rex"))
    let owner = try #require(try store.snapshot().get(pet.owner))
    #expect(owner.mail == "x")
    #expect(owner.stars == 3)
    try store.close()
  }

  /// Knows a member that is unique and never nil.
  struct Coded: StorableObject {
    static let typeName = "Thing"
    static let primaryKey = "id"
    static let indexes: [IndexDeclaration] = [.unique("code")]
    var id = 0
    var code = "new"
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("code", &code)
    }
  }

  @Test("Additive: a member that is added with one value for all objects cannot be unique")
  func uniqueAddition() throws {
    let fileSystem = InMemoryFileSystem()
    var store = try Self.open(fileSystem, [Plain.self])
    try store.write { try $0.put(Plain(id: 1)) }
    try store.close()
    #expect {
      _ = try Self.open(fileSystem, [Coded.self])
    } throws: { error in
      guard case .conflictingSettings(let reason)? = error as? StoreError else { return false }
      return reason.contains("Thing.code")
    }
    // The member that is unique and nil at first is no problem.
    store = try Self.open(fileSystem, [Member.self])
    try store.close()
  }

  @Test("Additive: an app is not held up by a unique member that it does not know")
  func hiddenUnique() throws {
    let fileSystem = InMemoryFileSystem()
    var store = try Self.open(fileSystem, [Coded.self])
    try store.write { try $0.put(Coded(id: 1, code: "a")) }
    try store.close()
    store = try Self.open(fileSystem, [Plain.self])
    try store.write { transaction in
      for id in 2...4 { try transaction.put(Plain(id: id)) }
      try transaction.put(Plain(id: 1, mail: "x"))
    }
    try store.close()
    store = try Self.open(fileSystem, [Coded.self])
    #expect(try store.snapshot().get(Coded.self, 1)?.code == "a")
    #expect(try store.snapshot().get(Coded.self, 4)?.code == "new")
    #expect(throws: StoreError.notUnique(type: "Thing", member: "code", keyText: "1")) {
      try store.write { try $0.put(Coded(id: 2, code: "a")) }
    }
    try store.write { try $0.put(Coded(id: 2, code: "b")) }
    try store.close()
  }
}
