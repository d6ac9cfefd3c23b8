import FileIO
import Testing

@testable import ObjectStore

/// What links ask of the types that they lead to.
@Suite("Links look at the type of the key of their targets once, when that can be stored")
struct LinkTargetTests {
  struct Counted: StorableObject {
    static let typeName = "Counted"
    static let primaryKey = "id"
    static let madeCount = Lock(0)
    var id = 0

    init() { Self.madeCount.withLock { $0 += 1 } }

    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("id", &id) }
  }

  struct Linking: StorableObject {
    static let typeName = "Linking"
    static let primaryKey = "id"
    var id = 0
    var links: [Link<Counted>] = []

    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("links", &links)
    }
  }

  private static func open(_ models: [any StorableObject.Type]) throws(StoreError) -> Store {
    try Store.open(
      Store.Configuration(path: "/links", models: models, schemaVersion: 1), path: "/links",
      fileSystem: InMemoryFileSystem())
  }

  @Test("Reading a list of links makes no object for each of them")
  func readLinks() throws {
    let store = try Self.open([Linking.self, Counted.self])
    var object = Linking()
    object.links = (0..<1000).map { Link(key: $0) }
    try store.write { transaction in try transaction.put(object) }
    Counted.madeCount.withLock { $0 = 0 }
    let found = try store.snapshot().get(Linking.self, 0)
    #expect(found?.links.count == 1000)
    #expect(Counted.madeCount.withLock { $0 } < 10)
    try store.close()
  }

  enum Shape: Codable {
    case round(radius: Int)
  }

  struct Wrong: CodableObject {
    static let typeName = "Wrong"
    static let primaryKey = "id"
    var id: Int
    var shape: Shape
  }

  struct Leading: StorableObject {
    static let typeName = "Leading"
    static let primaryKey = "id"
    var id = 0
    var other: Link<Wrong>?

    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("other", &other)
    }
  }

  /// A type that leads to the wrong one in a member of that type.
  struct Coded<Member: Codable>: CodableObject {
    static var typeName: String { "Coded" }
    static var primaryKey: String { "id" }
    var id = 0
    var other: Member?
    var itself: Link<Coded<Member>>?
  }

  struct Holder: Codable {
    var other: Link<Wrong>?
  }

  /// An embedded object that leads there.
  struct Address: EmbeddedObject, Hashable {
    var other: Link<Wrong>?

    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("other", &other) }
  }

  /// A raw value that leads there.
  struct Named: RawRepresentable, StorableValue {
    var rawValue: Link<Wrong>
  }

  /// A type that has such a member, without being `Codable`.
  struct Visited<Member: PlaceholderValue>: StorableObject {
    static var typeName: String { "Visited" }
    static var primaryKey: String { "id" }
    var id = 0
    var member = Member.placeholder

    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("member", &member)
    }
  }

  struct Housed: StorableObject {
    static let primaryKey = "id"
    var id = 0
    var home = Address()

    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("home", &home)
    }
  }

  struct First: CodableObject {
    static let primaryKey = "id"
    var id = ""
    var second: Link<Second>?
    var firsts: [Link<First>] = []
  }

  struct Second: CodableObject {
    static let primaryKey = "id"
    var id = 0
    var first = Link<First>(key: "nobody")
    var itself: Link<Second>?
  }

  struct Account: CodableObject {
    static let primaryKey = "name"
    var name = ""
    var profile: Link<Profile>?
  }

  struct Profile: CodableObject {
    static let primaryKey = "account"
    var account: Link<Account> = .placeholder
    var text = ""
  }

  @Test("A key that is a link has the type of the other's key, whichever is asked first")
  func linkAsKey() throws {
    let store = try Self.open([Profile.self, Account.self])
    try store.write { transaction in
      try transaction.put(Profile(account: Link(key: "a"), text: "t"))
      try transaction.put(Account(name: "a", profile: Link(key: "a")))
    }
    let snapshot = store.snapshot()
    let account = try #require(try snapshot.get(Account.self, "a"))
    let link = try #require(account.profile)
    #expect(try snapshot.get(link)?.text == "t")
    try store.close()
  }

  @Test("Codable types may link to themselves, and in circles")
  func circles() throws {
    for models in [[First.self, Second.self], [Second.self, First.self]]
      as [[any StorableObject.Type]]
    {
      let store = try Self.open(models)
      try store.write { transaction in
        try transaction.put(First(id: "a", second: Link(key: 2), firsts: [Link(key: "a")]))
        try transaction.put(Second(id: 2, first: Link(key: "a"), itself: Link(key: 2)))
      }
      let snapshot = store.snapshot()
      let first = try #require(try snapshot.get(First.self, "a"))
      #expect(first.second?.key == .int(2) && first.firsts.map(\.key) == [.string("a")])
      let second = try #require(try snapshot.get(Second.self, 2))
      #expect(second.first.key == .string("a") && second.itself?.key == .int(2))
      try store.close()
    }
  }

  @Test("A target that cannot be stored is a typed error in any order of the models")
  func wrongTarget() {
    for models in [
      [Wrong.self, Leading.self], [Leading.self, Wrong.self], [Leading.self],
      [Coded<Link<Wrong>>.self, Wrong.self], [Coded<Link<Wrong>>.self],
      [Coded<[Link<Wrong>]>.self], [Coded<Set<Link<Wrong>>>.self],
      [Coded<[String: Link<Wrong>?]>.self], [Coded<Holder>.self], [Coded<[Holder]>.self],
      [Housed.self], [Visited<Address?>.self], [Visited<[Address]>.self],
      [Visited<Set<Address>>.self], [Visited<[String: Address?]>.self], [Visited<[Named]>.self],
    ] as [[any StorableObject.Type]] {
      #expect {
        try Self.open(models).close()
      } throws: { error in
        guard case .schema(.invalidShape(type: "Wrong", reason: _))? = error as? StoreError else {
          return false
        }
        return true
      }
    }
  }
}
