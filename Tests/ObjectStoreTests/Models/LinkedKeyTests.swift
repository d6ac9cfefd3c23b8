import FileIO
import ObjectStore
import Testing

/// Each order is another process: types of keys are found once.
@Suite("A key that is a link beside a link back, whichever model is asked first")
struct LinkedKeyTests {
  struct Account: StorableObject {
    static let primaryKey = "name"
    var name = ""
    var profile = Link<Profile>(key: "nobody")
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("name", &name)
      try visitor.member("profile", &profile)
    }
  }

  struct Profile: StorableObject {
    static let primaryKey = "account"
    var account: Link<Account> = .placeholder
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("account", &account) }
  }

  private static func useAccounts(_ models: [any StorableObject.Type]) throws {
    let store = try open(models)
    try store.write { transaction in
      try transaction.put(Account(name: "a", profile: Link(key: "b")))
      try transaction.put(Profile(account: Link(key: "b")))
    }
    let snapshot = store.snapshot()
    let account = try #require(try snapshot.get(Account.self, "a"))
    let profile = try snapshot.get(account.profile)
    precondition(profile?.account.key == .string("b"))
    precondition(Account().profile.key == .string("nobody"))
    try store.close()
  }

  /// A member that asks for the type of its link's key while that of its own is sought.
  struct Writer: CodableObject {
    static let primaryKey = "name"
    var name = ""
    var page: Link<Page>?
    var book: Link<Book>?
  }

  struct Name: RawRepresentable, StorableValue { var rawValue: Link<Writer> }

  struct Page: StorableObject {
    static let primaryKey = "writer"
    var writer = Name(rawValue: .placeholder)
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("writer", &writer) }
  }

  /// A link that is stored as one value of a `Codable` type.
  struct CodedName: Codable {
    var link: Link<Writer>
    init(link: Link<Writer>) { self.link = link }
    init(from decoder: any Decoder) throws {
      link = try decoder.singleValueContainer().decode(Link<Writer>.self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(link)
    }
  }

  struct Book: CodableObject {
    static let primaryKey = "writer"
    var writer: CodedName
  }

  private static func useWriters(_ models: [any StorableObject.Type]) throws {
    let store = try open(models)
    try store.write { transaction in
      try transaction.put(Writer(name: "a", page: Link(key: "b"), book: Link(key: "c")))
      try transaction.put(Page(writer: Name(rawValue: Link(key: "b"))))
      try transaction.put(Book(writer: CodedName(link: Link(key: "c"))))
    }
    let snapshot = store.snapshot()
    let writer = try #require(try snapshot.get(Writer.self, "a"))
    let (page, book) = (try #require(writer.page), try #require(writer.book))
    let (foundPage, foundBook) = (try snapshot.get(page), try snapshot.get(book))
    precondition(foundPage?.writer.rawValue.key == .string("b"))
    precondition(foundBook?.writer.link.key == .string("c"))
    try store.close()
  }

  private static func open(_ models: [any StorableObject.Type]) throws -> Store {
    try Store.open(
      at: "/s", models: models, evolution: .additive, configuration: .quiet,
      fileSystem: InMemoryFileSystem())
  }

  @Test("A link back with an initial key is not checked while the type of the key is found")
  func initialKey() async {
    await #expect(processExitsWith: .success) {
      try LinkedKeyTests.useAccounts([Profile.self, Account.self])
    }
    await #expect(processExitsWith: .success) {
      try LinkedKeyTests.useAccounts([Account.self, Profile.self])
    }
    await #expect(processExitsWith: .success) { _ = Link<Profile>(key: "a") }
    await #expect(processExitsWith: .failure) { _ = Link<Profile>(key: 7) }
  }

  @Test("What stands in for a type that is being found is not kept, whatever is around the link")
  func wrappedLink() async {
    await #expect(processExitsWith: .success) {
      try LinkedKeyTests.useWriters([Page.self, Book.self, Writer.self])
    }
    await #expect(processExitsWith: .success) {
      try LinkedKeyTests.useWriters([Book.self, Writer.self, Page.self])
    }
    await #expect(processExitsWith: .success) {
      try LinkedKeyTests.useWriters([Writer.self, Page.self, Book.self])
    }
  }

  /// Embedded in users, and linking to one.
  struct Comment: EmbeddedObject, Codable {
    var author: Link<User>?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("author", &author) }
  }

  struct User: CodableObject {
    static let primaryKey = "name"
    var name = ""
    var comments: [Comment] = []
  }

  struct House: StorableObject {
    static let primaryKey = "id"
    var id = 0
    var comment = Comment()
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("comment", &comment)
    }
  }

  @Test("An embedded object may link to what holds it: that is no part of it")
  func linkBackFromInside() async {
    await #expect(processExitsWith: .success) { try LinkedKeyTests.open([User.self]).close() }
    await #expect(processExitsWith: .success) {
      try LinkedKeyTests.open([House.self, User.self]).close()
    }
    await #expect(processExitsWith: .success) { _ = Link<User>(key: "a") }
  }
}
