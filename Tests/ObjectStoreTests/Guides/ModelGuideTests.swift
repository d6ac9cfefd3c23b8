import Foundation
import ObjectStore
import Synchronization
import Testing

/// The examples of `Documentation/Models.md`, as they stand there. `MacroTests` runs this file once
/// more, with the models that `@Model` makes.
@Suite("What the guide to models and queries says is so")
struct ModelGuideTests {
  private let folder = NSTemporaryDirectory() + "guide-\(UUID().uuidString)"

  private let ada = Author(id: UUID(), name: "Ada Lovelace", email: "ada@example.com")

  private var books: [Book] {
    [
      Self.book("978-0-1", "Notes", 1843, Link(to: ada), 0, .science),
      Self.book("978-0-2", "Sketch", 1842, Link(to: ada), 12.5, .science),
      Self.book("978-3-1", "Faust", 1808, nil, 30, .fiction),
    ]
  }

  private static func book(
    _ isbn: String, _ title: String, _ year: Int, _ author: Link<Author>?, _ price: Double,
    _ genre: Genre
  ) -> Book {
    Book(
      isbn: isbn, title: title, year: year, author: author, price: price, genre: genre,
      editions: [Edition(publisher: "Taylor", year: year)], tags: ["old"])
  }

  /// Runs `body` with a store of an author and three books.
  private func withStore(
    _ body: (Store, _ path: String) throws -> Void
  ) throws {
    let path = folder + "/library"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try Store.open(
      at: path, models: [Author.self, Book.self, Loan.self, Reader.self], evolution: .additive)
    try store.write { transaction in
      try transaction.put(ada)
      try transaction.put(contentsOf: books)
    }
    try body(store, path)
    try store.close()
  }

  // MARK: Models and links

  @Test("Objects read back as they were put; what is transient does not")
  func objects() throws {
    try withStore { store, _ in
      var selected = books[0]
      selected.isSelected = true
      try store.write { transaction in try transaction.put(selected) }
      #expect(try store.snapshot().get(Book.self, "978-0-1") == books[0])
    }
  }

  @Test("A link leads to an object, as long as there is one")
  func links() throws {
    try withStore { store, _ in
      let snapshot = store.snapshot()
      let book = books[0]

      let author = try book.author.flatMap { link in try snapshot.get(link) }
      let authors = try snapshot.get(books.compactMap(\.author))
      let written = try snapshot.objects(Book.self, where: \.author, equals: Link(to: ada))

      #expect(author == ada)
      #expect(authors == [ada, ada])
      #expect(try Self.titles(written) == ["Notes", "Sketch"])
      try store.write { transaction in try transaction.delete(Author.self, ada.id) }
      #expect(try store.snapshot().get(Link(to: ada)) == nil)
      let stored = try #require(try store.snapshot().get(Book.self, "978-0-1"))
      #expect(stored.author == Link(to: ada))
    }
  }

  @Test("A type of its own holds what many have with many, and is looked up from both ends")
  func manyToMany() throws {
    try withStore { store, _ in
      let reader = Reader(id: 7, fullName: "Mary")
      let loan = Loan(id: UUID(), book: Link(to: books[0]), reader: Link(to: reader))
      try store.write { transaction in
        try transaction.put(reader)
        try transaction.put(loan)
      }
      let snapshot = store.snapshot()

      var borrowed: [Link<Book>] = []
      let loans = try snapshot.objects(Loan.self, where: \.reader, equals: Link(to: reader))
      while let loan = try loans.next() { borrowed.append(loan.book) }
      let books = try snapshot.get(borrowed).compactMap(\.self)

      #expect(books == [self.books[0]])
      #expect(throws: StoreError.self) {
        try snapshot.objects(Book.self, where: "tags", equals: "old")
      }
    }
  }

  @Test("A member that has another name keeps its values, in stores opened by a configuration")
  func renamed() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let before = try Store(configuration: .init(path: folder, models: [FormerReader.self]))
    try before.write { transaction in try transaction.put(FormerReader(id: 1, name: "Mary")) }
    try before.close()

    let path = folder
    let store = try Store(
      configuration: Store.Configuration(path: path, models: [Reader.self], schemaVersion: 1))

    #expect(try store.snapshot().get(Reader.self, 1)?.fullName == "Mary")
    try store.close()
  }

  // MARK: Queries

  @Test("Objects are got by their keys, one or several")
  func keys() throws {
    try withStore { store, _ in
      let snapshot = store.snapshot()

      let one = try snapshot.get(Book.self, "978-0-1")
      let several = try snapshot.get(Book.self, keys: ["978-0-2", "978-9-9"])

      #expect(one == books[0])
      #expect(several == [books[1], nil])
      #expect(throws: StoreError.self) {
        try snapshot.get(Book.self, 3)
      }
    }
  }

  @Test("Walks go in the order of keys, or against it, through all, a range or a prefix")
  func walks() throws {
    try withStore { store, _ in
      let snapshot = store.snapshot()

      var titles: [String] = []
      let walk = try snapshot.objects(Book.self, order: .descending)
      while let book = try walk.next() { titles.append(book.title) }

      let range = try snapshot.objects(Book.self, in: "978-0"..<"978-1")
      let prefix = try snapshot.objects(Book.self, prefix: "978-3")
      let count = try snapshot.count(Book.self)

      #expect(titles == ["Faust", "Sketch", "Notes"])
      #expect(try Self.titles(range) == ["Notes", "Sketch"])
      #expect(try Self.titles(prefix) == ["Faust"])
      #expect(count == 3)
    }
  }

  @Test("Objects are looked up by the value of a member, in its order")
  func members() throws {
    try withStore { store, _ in
      let snapshot = store.snapshot()

      let science = try snapshot.objects(Book.self, where: \.genre, equals: .science)
      let newest = try snapshot.objects(Book.self, where: \.year, in: 1840..., order: .descending)
      let cheap = try snapshot.objects(Book.self, where: \.price, in: 0..<20)
      let orphans = try snapshot.objects(Book.self, where: \.author, equals: nil)
      let named = try snapshot.objects(Book.self, where: \.title, selecting: .prefix("No"))
      let tagged = try snapshot.objects(Book.self, where: \.tags, contains: "old")

      #expect(try Self.titles(science) == ["Notes", "Sketch"])
      #expect(try Self.titles(newest) == ["Notes", "Sketch"])
      #expect(try Self.titles(cheap) == ["Notes", "Sketch"])
      #expect(try Self.titles(orphans) == ["Faust"])
      #expect(try Self.titles(named) == ["Notes"])
      #expect(try Self.titles(tagged) == ["Notes", "Sketch", "Faust"])
      #expect(throws: StoreError.self) {
        try snapshot.objects(Book.self, where: "price", in: 0..<20)
      }
      #expect(throws: StoreError.self) {
        try snapshot.objects(Book.self, where: "editions.year", equals: 1843)
      }
    }
  }

  @Test("A second condition is a condition of Swift")
  func conditions() throws {
    try withStore { store, _ in
      let snapshot = store.snapshot()

      let recent = try snapshot.objects(Book.self, where: \.genre, equals: .science)
        .filter { $0.year > 1842 }

      #expect(try recent.all() == [books[0]])
    }
  }

  /// The books behind the one with that key, at most `count`.
  func page(after isbn: String?, count: Int, in snapshot: StoreSnapshot) throws -> [Book] {
    let walk = try snapshot.objects(Book.self, after: isbn)
    var page: [Book] = []
    while page.count < count, let book = try walk.next() { page.append(book) }
    return page
  }

  @Test("A page begins behind the last key of the page before")
  func pages() throws {
    try withStore { store, _ in
      let snapshot = store.snapshot()
      let first = try page(after: nil, count: 2, in: snapshot)
      #expect(first == Array(books.prefix(2)))
      #expect(try page(after: first.last?.isbn, count: 2, in: snapshot) == [books[2]])
    }
  }

  /// The books from 1800 on, the newest first, behind one of them, at most `count`.
  func newest(after last: Book?, count: Int, in snapshot: StoreSnapshot) throws -> [Book] {
    let walk = try snapshot.objects(Book.self, where: \.year, in: 1800..., order: .descending)
    if let last { try walk.start(after: last) }
    var page: [Book] = []
    while page.count < count, let book = try walk.next() { page.append(book) }
    return page
  }

  @Test("A look-up by a member begins behind the last object of the page before")
  func pagesOfLookUps() throws {
    try withStore { store, _ in
      let snapshot = store.snapshot()
      let first = try newest(after: nil, count: 2, in: snapshot)
      #expect(first == Array(books.prefix(2)))
      #expect(try newest(after: first.last, count: 2, in: snapshot) == [books[2]])
    }
  }

  @Test("Numbers of objects by type are known without reading any")
  func statistics() throws {
    try withStore { store, _ in
      let totals = try store.statistics().types.filter { $0.type == "Book" }
      let count = totals.reduce(0) { $0 + $1.totals.recordCount }
      #expect(count == 3)
    }
  }

  // MARK: Transactions and snapshots

  @Test("A transaction sees its own changes; one that throws has made none")
  func transactions() throws {
    try withStore { store, _ in
      let isbn = "978-0-1"

      try store.write { transaction in
        guard var book = try transaction.get(Book.self, isbn) else { return }
        book.year += 1
        try transaction.put(book)
        try transaction.delete(Book.self, "978-3-1")
      }

      #expect(try store.snapshot().get(Book.self, isbn)?.year == 1844)
      #expect(try store.snapshot().count(Book.self) == 2)
      #expect(throws: CancellationError.self) {
        try store.write { transaction in
          try transaction.delete(Book.self, isbn)
          throw CancellationError()
        }
      }
      #expect(try store.snapshot().get(Book.self, isbn) != nil)
    }
  }

  func add(_ reader: Reader, to store: Store) async throws {
    try await store.write { transaction in try transaction.put(reader) }
  }

  @Test("The async form takes what is Sendable")
  func asyncWrites() async throws {
    let path = folder
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try Store.open(at: path, models: [Reader.self], evolution: .additive)
    try await add(Reader(id: 1, fullName: "Mary"), to: store)
    #expect(try store.snapshot().get(Reader.self, 1)?.fullName == "Mary")
    try store.close()
  }

  @Test("A snapshot shows what there was when it was taken")
  func snapshots() throws {
    try withStore { store, _ in
      let before = store.snapshot()
      try store.write { transaction in try transaction.delete(Book.self, "978-3-1") }

      #expect(try before.get(Book.self, "978-3-1") != nil)
      #expect(try store.read { snapshot in try snapshot.get(Book.self, "978-3-1") } == nil)
    }
  }

  @Test("A reader beside the writer shows what there was, until it is refreshed")
  func secondReader() throws {
    try withStore { store, path in
      let reader = try Store.open(
        at: path, models: [Book.self], evolution: .additive, configuration: .readOnly)
      try store.write { transaction in try transaction.delete(Book.self, "978-3-1") }

      #expect(try reader.snapshot().count(Book.self) == 3)
      try reader.refresh()
      #expect(try reader.snapshot().count(Book.self) == 2)
      try reader.close()
    }
  }

  @Test("A backup of an open store is put back as a store")
  func backups() throws {
    try withStore { store, _ in
      let (backup, place) = (folder + "/backup", folder + "/restored")

      try store.backup(to: backup)
      try Log.restore(backup, to: place)
      let restored = try Store.open(at: place, models: [Book.self], evolution: .additive)

      #expect(try restored.snapshot().count(Book.self) == 3)
      try restored.close()
    }
  }

  @Test("An observer learns how many records were committed")
  func observers() throws {
    let path = folder
    defer { try? FileManager.default.removeItem(atPath: path) }

    let counter = RecordCounter()
    var configuration = StoreConfiguration()
    configuration.log.observer = counter
    let store = try Store.open(
      at: path, models: [Reader.self], evolution: .additive, configuration: configuration)

    let before = counter.count
    try store.write { transaction in try transaction.put(Reader(id: 1, fullName: "Mary")) }
    #expect(counter.count > before)
    try store.close()
  }

  @Test("A value that another object has is refused by a unique member, and nothing changes")
  func uniqueMembers() throws {
    try withStore { store, _ in
      let other = Author(id: UUID(), name: "Augusta", email: "ada@example.com")
      var refused: String?

      do {
        try store.write { transaction in try transaction.put(other) }
      } catch StoreError.notUnique(_, let member, let keyText) {
        refused = "\(member) is that of author \(keyText)"
      }

      #expect(refused?.hasPrefix("email is that of author") == true)
      #expect(try store.snapshot().count(Author.self) == 1)
    }
  }

  @Test("Models that a history does not lead to are refused, and so is a second opening")
  func refusals() throws {
    try withStore { store, path in
      #expect(throws: StoreError.unregisteredModel(type: "FormerReader")) {
        try store.snapshot().count(FormerReader.self)
      }
      let second = try #require(throws: StoreError.self) {
        try Store.open(at: path, models: [Reader.self], evolution: .additive)
      }
      guard case .log(.storeIsInUse) = second else { throw second }
    }
    let path = folder
    defer { try? FileManager.default.removeItem(atPath: path) }
    let unknown = try #require(throws: StoreError.self) {
      try Store.open(at: path, models: [Reader.self], history: SchemaHistory { Base(0) {} })
    }
    guard case .schema(.unknownType) = unknown else { throw unknown }
    let short = SchemaHistory { Base(0) { Type("Reader", key: "id") { Field("id", .int64) } } }
    let different = try #require(throws: StoreError.self) {
      try Store.open(at: path, models: [Reader.self], history: short)
    }
    guard case .schema(.chainDoesNotReachModel) = different else { throw different }
  }

  @Test("A configuration whose models changed needs a higher version")
  func unraisedVersion() throws {
    let path = folder
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try Store(configuration: .init(path: path, models: [FormerReader.self]))
    try store.write { transaction in try transaction.put(FormerReader(id: 1, name: "Mary")) }
    try store.close()
    let error = try #require(throws: StoreError.self) {
      try Store(configuration: .init(path: path, models: [Reader.self]))
    }
    guard case .modelsChanged = error else { throw error }
  }

  @Test("Keys of another kind, empty keys and members that cannot be looked up are errors")
  func wrongQuestions() throws {
    try withStore { store, _ in
      let key = try #require(throws: StoreError.self) { try store.snapshot().get(Book.self, 3) }
      guard case .keyTypeMismatch = key else { throw key }
      let empty = try #require(throws: StoreError.self) {
        try store.write { try $0.put(Self.book("", "", 0, nil, 0, .fiction)) }
      }
      guard case .schema(.invalidKey) = empty else { throw empty }
      let type = try #require(throws: StoreError.self) {
        try store.snapshot().objects(Book.self, where: "price", equals: 3)
      }
      guard case .invalidLookup = type else { throw type }
      let list = try #require(throws: StoreError.self) {
        try store.snapshot().objects(Book.self, where: "editions", equals: 3)
      }
      guard case .notIndexable = list else { throw list }
    }
  }

  // MARK: A first base

  @Test("What models declare is the base of a first history")
  func firstBase() throws {
    let store = try Store(
      configuration: .init(inMemoryIdentifier: "models", models: [Author.self, Book.self]))
    let base = Base(version: store.schemaVersion, types: store.schema.types.map { Type($0) })
    let document = HistoryDocument(SchemaHistory(base: base))
    let json = String(decoding: try JSONEncoder().encode(document), as: UTF8.self)

    try store.close()
    let read = try JSONDecoder().decode(HistoryDocument.self, from: Data(json.utf8)).history
    let plain = Base(
      version: 0,
      types: base.types.map { type in
        Type(
          name: type.name, keyMember: type.keyMember,
          fields: type.fields.map { Field($0.name, $0.type) })
      })
    let byHand = SchemaHistory(base: plain)
    #expect(try read.fingerprint(at: 0) == byHand.fingerprint(at: 0))
    let path = folder
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Store.open(at: path, models: [Author.self, Book.self], history: byHand).close()
  }

  @Test("A history takes over a store that was opened by configurations, once it is migrated")
  func baseOfAStore() throws {
    let path = folder
    defer { try? FileManager.default.removeItem(atPath: path) }
    var store = try Store(configuration: .init(path: path, models: [FormerReader.self]))
    try store.write { transaction in try transaction.put(FormerReader(id: 1, name: "Mary")) }
    try store.close()
    var configuration = Store.Configuration(path: path, models: [Reader.self], schemaVersion: 1)
    configuration.compaction = .off
    store = try Store(configuration: configuration)
    try store.write { transaction in try transaction.put(Reader(id: 2, fullName: "Percy")) }
    let base = Base(version: store.schemaVersion, types: store.schema.types.map { Type($0) })
    try store.close()

    let history = SchemaHistory(base: base)
    let early = try #require(throws: StoreError.self) {
      try Store.open(at: path, models: [Reader.self], history: history)
    }
    guard case .schema(.chainIncomplete) = early else { throw early }
    store = try Store(configuration: configuration)
    try store.migrate()
    try store.close()
    store = try Store.open(at: path, models: [Reader.self], history: history)
    #expect(try store.snapshot().get(Reader.self, 1)?.fullName == "Mary")
    try store.close()
  }

  private static func titles(_ books: ObjectCursor<Book>) throws -> [String] {
    var titles: [String] = []
    while let book = try books.next() { titles.append(book.title) }
    return titles
  }

  private static func titles(_ books: MatchCursor<Book>) throws -> [String] {
    var titles: [String] = []
    while let book = try books.next() { titles.append(book.title) }
    return titles
  }
}

/// What a release before called a reader.
struct FormerReader: StorableObject {
  static let typeName = "Reader"
  static let primaryKey = "id"
  var id = 0
  var name = ""

  mutating func visitMembers<Visitor: MemberVisitor>(
    _ visitor: inout Visitor
  ) throws(StoreError) {
    try visitor.member("id", &id)
    try visitor.member("name", &name)
  }
}

final class RecordCounter: StoreObserver {
  private let records = Mutex(0)
  var count: Int { records.withLock { count in count } }

  func observe(_ event: StoreEvent) {
    guard case .committed(_, let recordCount, _) = event else { return }
    records.withLock { count in count += recordCount }
  }
}
