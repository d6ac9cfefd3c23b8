import FileIO
import LogStore
import SchemaRegistry
import Testing

@testable import ObjectStore

/// What is looked up by key paths is what is looked up by the names of the members.
@Suite("Members are named by key paths (R37)")
struct KeyPathLookupTests {
  enum Genre: String, StorableValue, CaseIterable { case science, poetry }
  /// No value of it takes any memory.
  enum Edition: String, StorableValue, CaseIterable { case first }

  struct Place: EmbeddedObject, Equatable {
    var shelf = 0
    var room = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("shelf", &shelf)
      try visitor.member("room", &room)
    }
  }

  struct Name: EmbeddedObject, Equatable {
    var edition = Edition.first
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("edition", &edition) }
  }

  struct Author: StorableObject {
    static let primaryKey = "id"
    var name = Name()
    var id = 0
    var edition = Edition.first
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("name", &name)
      try visitor.member("id", &id)
      try visitor.member("edition", &edition)
    }
  }

  struct Book: StorableObject, Equatable {
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("genre"), IndexDeclaration("year")]
    var place = Place()
    var id = 0
    var title = ""
    var subtitle = ""
    var genre = Genre.poetry
    var edition = Edition.first
    var oldEdition = Edition.first
    var year: Int?
    var price = 0.0
    var author: Link<Author>?
    var tags: [String] = []
    var marks: Set<Int32>?
    private(set) var pageCount = 0
    var noted = "" { didSet { notes += 1 } }
    var notes = 0
    var length: Int { title.count }
    var isOld: Bool {
      get { year ?? 0 < 1800 }
      set { year = newValue ? 1700 : 2000 }
    }
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      // Other names than Swift's, and one is that of another member.
      try visitor.member("subtitle", &title)
      try visitor.member("title", &subtitle)
      try visitor.member("genre", &genre)
      try visitor.member("edition", &edition)
      try visitor.member("oldEdition", &oldEdition)
      try visitor.member("year", &year)
      try visitor.member("price", &price)
      try visitor.member("author", &author)
      try visitor.member("tags", &tags)
      try visitor.member("marks", &marks)
      try visitor.member("pageCount", &pageCount)
      try visitor.member("noted", &noted)
      try visitor.member("place", &place)
    }
  }

  final class Note: StorableObject {
    static let primaryKey = "id"
    var id = 0
    var text = ""
    var other = ""
    var seen = "" { didSet { seenCount += 1 } }
    var heard = "" { didSet { seenCount += 1 } }
    private(set) var seenCount = 0
    var edition = Edition.first
    var upper: String {
      get { text.uppercased() }
      set { text = newValue }
    }
    func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("text", &text)
      try visitor.member("other", &other)
      try visitor.member("seen", &seen)
      try visitor.member("heard", &heard)
      try visitor.member("edition", &edition)
    }
  }

  struct Coded: CodableObject {
    static let primaryKey = "id"
    var id = 0
    var name = ""
  }

  static let models: [any StorableObject.Type] = [Book.self, Author.self, Note.self, Coded.self]

  private func withBooks(_ body: (Store) throws -> Void) throws {
    let store = try Store.open(
      at: "/s", models: Self.models, evolution: .additive, configuration: .quiet,
      fileSystem: InMemoryFileSystem())
    try store.write { transaction in
      for id in 0..<40 {
        var book = Book()
        (book.id, book.title, book.subtitle) = (id, "T\(id % 4)", "S\(id % 3)")
        (book.genre, book.year) = (id % 2 == 0 ? .science : .poetry, id % 5 == 0 ? nil : id)
        (book.price, book.tags) = (Double(id) / 2, ["t\(id % 6)"])
        book.author = id % 7 == 0 ? nil : Link(key: id % 7)
        book.marks = id % 8 == 0 ? nil : [Int32(id % 8)]
        try transaction.put(book)
        let note = Note()
        (note.id, note.text, note.other) = (id, "n\(id % 4)", "o\(id % 3)")
        try transaction.put(note)
      }
    }
    try body(store)
    try store.close()
  }

  @Test("Every kind of look-up finds by a key path what it finds by the name")
  func everyKindIsTheSame() throws {
    try withBooks { store in
      let snapshot = store.snapshot()
      func expect(
        _ byPath: MatchCursor<Book>, _ byName: MatchCursor<Book>, _ count: Int,
        _ location: SourceLocation = #_sourceLocation
      ) throws {
        let found = try byPath.all().map(\.id)
        #expect(found == (try byName.all().map(\.id)), sourceLocation: location)
        #expect(found.count == count, sourceLocation: location)
      }
      try expect(
        try snapshot.objects(Book.self, where: \.genre, equals: .science),
        try snapshot.objects(Book.self, where: "genre", equals: Genre.science), 20)
      try expect(
        try snapshot.objects(Book.self, where: \.title, equals: "T1", order: .descending),
        try snapshot.objects(Book.self, where: "subtitle", equals: "T1", order: .descending), 10)
      try expect(
        try snapshot.objects(Book.self, where: \.year, equals: nil),
        try snapshot.objects(Book.self, where: "year", equals: nil as Int?), 8)
      try expect(
        try snapshot.objects(Book.self, where: \.year, equals: 7),
        try snapshot.objects(Book.self, where: "year", equals: 7), 1)
      try expect(
        try snapshot.objects(Book.self, where: \.year, in: 10..<20, order: .descending),
        try snapshot.objects(Book.self, where: "year", in: 10..<20, order: .descending), 8)
      try expect(
        try snapshot.objects(Book.self, where: \.price, in: 0..<5),
        try snapshot.objects(Book.self, where: "price", in: 0.0..<5.0), 10)
      try expect(
        try snapshot.objects(Book.self, where: \.author, equals: nil),
        try snapshot.objects(Book.self, where: "author", equals: nil as Link<Author>?), 6)
      try expect(
        try snapshot.objects(Book.self, where: \.author, equals: Link(key: 3)),
        try snapshot.objects(Book.self, where: "author", equals: Link<Author>(key: 3)), 6)
      try expect(
        try snapshot.objects(Book.self, where: \.tags, contains: "t2"),
        try snapshot.objects(Book.self, where: "tags", contains: "t2"), 7)
      try expect(
        try snapshot.objects(Book.self, where: \.marks, contains: 3),
        try snapshot.objects(Book.self, where: "marks", contains: Int32(3)), 5)
      try expect(
        try snapshot.objects(Book.self, where: \.subtitle, selecting: .prefix("S2")),
        try snapshot.objects(Book.self, where: "title", selecting: .prefix("S2")), 13)
      try expect(
        try snapshot.objects(Book.self, where: \.pageCount, equals: 0),
        try snapshot.objects(Book.self, where: "pageCount", equals: 0), 40)
    }
  }

  @Test("A transaction looks up and deletes by key paths")
  func transactions() throws {
    try withBooks { store in
      let counts = try store.write { transaction in
        try [
          transaction.objects(Book.self, where: \.genre, equals: .science).count(),
          transaction.delete(Book.self, where: \.genre, equals: .science),
          transaction.delete(Book.self, where: \.year, in: ...9),
          transaction.delete(Book.self, where: \.price, in: 5..<10),
          transaction.delete(Book.self, where: \.tags, contains: "t3"),
          transaction.delete(Book.self, where: \.marks, contains: 5),
          transaction.delete(Book.self, where: \.title, selecting: .prefix("T3")),
          transaction.delete(Note.self, where: \.other, equals: "o1"),
        ]
      }
      // Odd ones: 1, 3, 7, 9; 11, 13, 15, 17, 19; 21, 27, 33, 39; 5, 29, 37; 23, 31, 35.
      #expect(counts == [20, 20, 4, 5, 4, 3, 3, 13])
      #expect(try store.snapshot().count(Note.self) == 27)
    }
  }

  @Test("Members of classes are found where they lie, and only those")
  func classes() throws {
    #expect(try Note.memberName(at: \.id) == "id")
    #expect(try Note.memberName(at: \.text) == "text")
    #expect(try Note.memberName(at: \.other) == "other")
    for path in [\Note.seen, \Note.heard, \Note.upper] {
      #expect(throws: StoreError.self) { try Note.memberName(at: path) }
    }
    try withBooks { store in
      let found = try store.snapshot().objects(Note.self, where: \.text, equals: "n2").all()
      #expect(found.map(\.id) == Array(stride(from: 2, to: 40, by: 4)))
    }
  }

  @Test("What is no stored member of its own is refused with its remedy, and never another one")
  func refusals() throws {
    func expectRefusal<Model: StorableObject, Member>(
      _ path: KeyPath<Model, Member>, _ location: SourceLocation = #_sourceLocation
    ) {
      #expect(sourceLocation: location) {
        try Model.memberName(at: path)
      } throws: { error in
        guard case .invalidLookup(let type, _, let reason) = error as? StoreError else {
          return false
        }
        return type == Model.typeName && reason.contains("where: \"name\"")
      }
    }
    expectRefusal(\Book.length)
    expectRefusal(\Book.isOld)
    expectRefusal(\Book.noted)
    // At the beginning of the object, and inside of the member that lies there.
    expectRefusal(\Book.place.shelf)
    expectRefusal(\Book.place.room)
    expectRefusal(\Book.title.count)
    expectRefusal(\Book.tags[0])
    expectRefusal(\Book.notes)
    expectRefusal(\Book.self)
    expectRefusal(\Coded.name)
    #expect(try Book.memberName(at: \.place) == "place")
  }

  @Test("A member that takes no memory is looked up by its name, as its place is that of others")
  func membersWithoutSize() throws {
    #expect(MemoryLayout<Edition>.size == 0)
    func expectRefusal<Model: StorableObject>(_ path: KeyPath<Model, Edition>) {
      #expect {
        try Model.memberName(at: path)
      } throws: { error in
        "\(error)"
          == "objects of \(Model.typeName) cannot be looked up by a key path to Edition: its "
          + "values take no memory, so their place does not tell which member is meant; give the "
          + "member's name, as in where: \"name\""
      }
    }
    expectRefusal(\Book.edition)
    expectRefusal(\Book.oldEdition)
    expectRefusal(\Note.edition)
    // It lies where the only member of the type does.
    expectRefusal(\Author.name.edition)
    expectRefusal(\Author.edition)
    try withBooks { store in
      let found = try store.snapshot().objects(
        Book.self, where: "edition", equals: Edition.first)
      #expect(try found.count() == 40)
    }
  }

  @Test("A cursor is filtered, and gives what a filter of all its objects gives")
  func filters() throws {
    try withBooks { store in
      let snapshot = store.snapshot()
      let all = try snapshot.objects(Book.self, where: \.genre, equals: .science).all()
      let wanted = all.filter { $0.price > 5 && $0.title == "T2" }
      #expect(wanted.count == 7)
      func cursor() throws -> FilteredCursor<MatchCursor<Book>> {
        try snapshot.objects(Book.self, where: \.genre, equals: .science)
          .filter { $0.price > 5 && $0.title == "T2" }
      }
      #expect(try cursor().all() == wanted)
      #expect(try cursor().first() == wanted.first)
      #expect(try cursor().count() == 7)
      #expect(try cursor().filter { $0.id > 20 }.all() == wanted.filter { $0.id > 20 })
      #expect(try snapshot.objects(Book.self).filter { $0.id % 9 == 8 }.count() == 4)
    }
  }
}
