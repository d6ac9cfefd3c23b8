import FileIO
import ObjectStore
import Synchronization
import Testing

/// The examples of `Documentation/Models.md` about watching objects, as they stand there.
@Suite("What the guide says of watching objects is so")
struct ChangeGuideTests {
  /// What an app shows.
  private final class Screen: Sendable {
    let books = Mutex<[String: Book]>([:])
    let count = Mutex(0)
    func show(_ count: Int) { self.count.withLock { shown in shown = count } }

    func follow(_ store: Store) async throws {
      let changes = try store.changes(of: Book.self)
      try load(store)
      for await change in changes {
        guard let links = change.links.map(Array.init) else {
          try load(store)
          continue
        }
        for (link, book) in zip(links, try store.snapshot().get(links)) {
          if let book { insert(book) } else { remove(link) }
        }
      }
    }

    func load(_ store: Store) throws {
      let all = try store.snapshot().objects(Book.self).all()
      books.withLock { books in books = Dictionary(uniqueKeysWithValues: all.map { ($0.isbn, $0) })
      }
    }

    func insert(_ book: Book) { books.withLock { books in books[book.isbn] = book } }

    func remove(_ link: Link<Book>) {
      guard case .string(let isbn) = link.key else { return }
      books.withLock { books in books[isbn] = nil }
    }
  }

  private static func book(_ isbn: String, _ genre: Genre) -> Book {
    Book(
      isbn: isbn, title: "", year: 0, author: nil, price: 0, genre: genre, editions: [], tags: [])
  }

  private static func open() throws -> Store {
    try Store.open(
      at: "/library", models: [Author.self, Book.self], evolution: .additive,
      fileSystem: InMemoryFileSystem())
  }

  @Test("A screen that follows the changes shows what the store has")
  func follow() async throws {
    let store = try Self.open()
    let screen = Screen()
    try await store.write { try $0.put(Self.book("978-0-1", .science)) }
    let task = Task { try await screen.follow(store) }
    try await store.write { transaction in
      try transaction.put(Self.book("978-0-2", .fiction))
      try transaction.delete(Book.self, "978-0-1")
    }
    while screen.books.withLock({ $0.keys.sorted() }) != ["978-0-2"] { await Task.yield() }
    try store.close()
    try await task.value
  }

  @Test("A query that is watched shows each change")
  func query() async throws {
    let store = try Self.open()
    let screen = Screen()
    let task = Task {
      let counts = try store.values(watching: Book.self) { snapshot in
        try snapshot.objects(Book.self, where: \.genre, equals: .science).count()
      }
      for try await count in counts { screen.show(count) }
    }
    for key in 1...3 { try await store.write { try $0.put(Self.book("\(key)", .science)) } }
    while screen.count.withLock({ $0 }) != 3 { await Task.yield() }
    try store.close()
    try await task.value
  }
}
