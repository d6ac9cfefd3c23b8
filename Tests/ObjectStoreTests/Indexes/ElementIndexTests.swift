import FileIO
import Foundation
import LogStore
import SchemaRegistry
import Testing

@testable import ObjectStore

/// Look-ups by what a list or set contains, through an index and without one.
@Suite("Objects are looked up by the elements of a list (R37)")
struct ElementIndexTests {
  struct Tag: StorableObject {
    static let primaryKey = "id"
    var id = UUID.placeholder
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("id", &id) }
  }

  struct Page: StorableObject, Equatable {
    static let primaryKey = "id"
    static let indexes = ["words", "tags", "marks", "gaps"].map { IndexDeclaration($0) }
    var id = 0
    var words: [String] = []
    var tags: [Link<Tag>] = []
    var marks: Set<Int32>?
    var gaps: [Double?] = []
    var title = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("words", &words)
      try visitor.member("tags", &tags)
      try visitor.member("marks", &marks)
      try visitor.member("gaps", &gaps)
      try visitor.member("title", &title)
    }
  }

  /// The same without indexes.
  struct PlainPage: StorableObject {
    static let typeName = "Page"
    static let primaryKey = "id"
    var page = Page()
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try page.visitMembers(&visitor) }
  }

  static let history = SchemaHistory {
    Base(0) {
      Type("Tag", key: "id") { Field("id", .uuid) }
      Type("Page", key: "id") {
        Field("id", .int64)
        Field("words", .list(.string))
        Field("tags", .list(.uuid))
        Field("marks", .optional(.list(.int32)))
        Field("gaps", .list(.optional(.double)))
        Field("title", .string)
      }
    }
  }

  static func open<Model: StorableObject>(
    _ fileSystem: any FileSystem = InMemoryFileSystem(), _ model: Model.Type = Page.self
  ) throws -> Store {
    try Store.open(
      at: "/s", models: [model, Tag.self], history: history, configuration: .quiet,
      fileSystem: fileSystem)
  }

  /// The keys of pages that are found, as they come.
  static func found(
    _ store: Store, _ member: String, _ element: some StorableValue,
    _ order: KeyOrder = .ascending
  ) throws -> [Int] {
    try store.snapshot().objects(Page.self, where: member, contains: element, order: order)
      .all().map(\.id)
  }

  static let one = Tag(id: UUID())
  static let other = Tag(id: UUID())
  static let pages = [
    Page(id: 3, words: ["b", "a", "b"], tags: [Link(to: one)], marks: [1, 2], gaps: [nil, 1.5]),
    Page(id: 1, words: ["a"], tags: [Link(to: other), Link(to: one)], marks: [], gaps: [1.5]),
    Page(id: 2, words: ["", "ab"], tags: [], marks: nil, gaps: []),
  ]

  @Test("Elements of each kind, each object once, in the order of keys", arguments: [false, true])
  func kinds(isBuilt: Bool) throws {
    let fileSystem = InMemoryFileSystem()
    var store = try Self.open(fileSystem, PlainPage.self)
    try store.write { try $0.put(contentsOf: Self.pages.map { PlainPage(page: $0) }) }
    try store.close()
    store = try Self.open(fileSystem)
    let names = ["Page.gaps", "Page.marks", "Page.tags", "Page.words"]
    #expect(store.incompleteIndexes == names)
    if isBuilt {
      #expect(try store.buildIndexes().objectCount == 3)
      #expect(store.incompleteIndexes == [])
    }
    #expect(try Self.found(store, "words", "a") == [1, 3])
    #expect(try Self.found(store, "words", "a", .descending) == [3, 1])
    #expect(try Self.found(store, "words", "b") == [3])
    #expect(try Self.found(store, "words", "") == [2])
    #expect(try Self.found(store, "words", "c") == [])
    #expect(try Self.found(store, "tags", Link(to: Self.one)) == [1, 3])
    #expect(try Self.found(store, "tags", Link(to: Self.other)) == [1])
    #expect(try Self.found(store, "marks", Int32(2)) == [3])
    #expect(try Self.found(store, "gaps", 1.5) == [1, 3])
    #expect(try Self.found(store, "gaps", nil as Double?) == [3])
    #expect(try Self.found(store, "marks", nil as Int32?) == [])
    let deleted = try store.write { try $0.delete(Page.self, where: "words", contains: "a") }
    #expect(deleted == 2)
    #expect(try Self.found(store, "words", "a") == [] && Self.found(store, "words", "ab") == [2])
    try store.close()
  }

  @Test("A put writes the keys of elements that came, and removes those of elements that went")
  func changes() throws {
    let store = try Self.open()
    try store.write { try $0.put(contentsOf: Self.pages) }
    func keys(_ member: String) throws -> Int {
      let index = try #require(
        store.reader.catalog.indexes.first { $0.member.originalName == member })
      #expect(index.isOfElements && index.phase == .ready)
      let cursor = try store.log.snapshot().records(in: index.collection)
      var count = 0
      while try cursor.next() != nil { count += 1 }
      return count
    }
    #expect(try keys("words") == 5 && keys("tags") == 3 && keys("marks") == 2)
    #expect(try keys("gaps") == 3)
    // The second commit copies what the first described.
    try store.write { try $0.put(Self.pages[1]) }
    let before = try store.statistics().log.lastSequence.rawValue
    var page = Self.pages[0]
    page.title = "changed"
    try store.write { try $0.put(page) }
    #expect(try store.statistics().log.lastSequence.rawValue == before + 1)
    page.words = ["c", "a"]
    try store.write { try $0.put(page) }
    #expect(try store.statistics().log.lastSequence.rawValue == before + 4, "the page, c and b")
    #expect(try Self.found(store, "words", "b") == [] && Self.found(store, "words", "c") == [3])
    #expect(try keys("words") == 5)
    try store.write { try $0.delete(Page.self, 3) }
    #expect(try keys("words") == 3 && keys("tags") == 2 && keys("marks") == 0)
    try store.close()
  }

  @Test("Long texts that begin alike are told apart, and one object is found once by them")
  func longTexts() throws {
    let store = try Self.open()
    let long = String(repeating: "x", count: 300)
    try store.write { transaction in
      try transaction.put(Page(id: 1, words: [long + "1", long + "2"]))
      try transaction.put(Page(id: 2, words: [long + "2"]))
    }
    #expect(try Self.found(store, "words", long + "2") == [1, 2])
    try store.write { try $0.put(Page(id: 1, words: [long + "1"])) }
    #expect(try Self.found(store, "words", long + "2") == [2])
    #expect(try Self.found(store, "words", long + "1") == [1])
    #expect(try Self.found(store, "words", long) == [])
    try store.close()
  }

  @Test("A transaction finds what it has put, and no more what it has taken away")
  func inTransaction() throws {
    let store = try Self.open()
    try store.write { try $0.put(contentsOf: Self.pages) }
    try store.write { transaction in
      try transaction.put(Page(id: 9, words: ["a", "z"]))
      try transaction.put(Page(id: 1, words: []))
      let found = try transaction.objects(Page.self, where: "words", contains: "a").all()
      #expect(found.map(\.id) == [3, 9])
    }
    try store.close()
  }

  struct Unique: StorableObject {
    static let typeName = "Page"
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration.unique("words")]
    var page = Page()
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try page.visitMembers(&visitor) }
  }

  struct Misspelt: StorableObject {
    static let typeName = "Page"
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("word")]
    var page = Page()
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try page.visitMembers(&visitor) }
  }

  @Test("No list is unique, lists equal nothing, and other members contain nothing")
  func mistakes() throws {
    for (model, member) in [(Unique.self, "words"), (Misspelt.self, "word")]
      as [(any StorableObject.Type, String)]
    {
      let error = try #require(throws: StoreError.self) {
        try Store.open(
          at: "/s", models: [model], history: Self.history, configuration: .quiet,
          fileSystem: InMemoryFileSystem())
      }
      guard case .invalidIndex("Page", member, _) = error else { throw error }
    }
    let store = try Self.open()
    let snapshot = store.snapshot()
    let selections: [(String, MemberSelection)] = [
      ("words", .equal(to: "a")), ("words", .prefix("a")), ("words", .between()),
      ("title", .containing("a")), ("words", .containing(.int(1))),
      ("words", .containing(.list(["a"]))),
    ]
    for (member, selection) in selections {
      let error = try #require(throws: StoreError.self) {
        try snapshot.objects(Page.self, where: member, selecting: selection)
      }
      guard case .invalidLookup("Page", member, _) = error else { throw error }
    }
    try store.close()
  }

  @Test("An object without room for one of its elements is refused, or keeps an index incomplete")
  func longKeys() throws {
    struct Text: StorableObject {
      static let typeName = "Text"
      static let primaryKey = "path"
      static let indexes = [IndexDeclaration("words")]
      var path = ""
      var words: [String] = []
      mutating func visitMembers<Visitor: MemberVisitor>(
        _ visitor: inout Visitor
      ) throws(StoreError) {
        try visitor.member("path", &path)
        try visitor.member("words", &words)
      }
    }
    let history = SchemaHistory {
      Base(0) {
        Type("Text", key: "path") {
          Field("path", .string)
          Field("words", .list(.string))
        }
      }
    }
    func open(_ fileSystem: InMemoryFileSystem, _ models: [any StorableObject.Type]) throws -> Store
    {
      try Store.open(
        at: "/s", models: models, history: history, configuration: .quiet, fileSystem: fileSystem)
    }
    let (long, word) = (String(repeating: "k", count: 4080), String(repeating: "w", count: 40))
    let fileSystem = InMemoryFileSystem()
    var store = try open(fileSystem, [])
    try store.write { try $0.put([.string(long), .list(["a", .string(word)])], ofType: "Text") }
    try store.close()
    store = try open(fileSystem, [Text.self])
    #expect(try store.buildIndexes().oversized.map(\.key) == [.string(long)])
    #expect(store.incompleteIndexes == ["Text.words"])
    let found = try store.snapshot().objects(Text.self, where: "words", contains: word).all()
    #expect(found.map(\.path) == [long])
    // What it had it may keep, and lose.
    try store.write { try $0.put(Text(path: long, words: [word, "b"])) }
    let error = try #require(throws: StoreError.self) {
      try store.write { try $0.put(Text(path: long, words: [word, word + "x"])) }
    }
    guard case .keyTooLongForIndex("Text", "words", 4080, _) = error else { throw error }
    try store.write { try $0.put(Text(path: long, words: ["b"])) }
    #expect(try store.buildIndexes().oversized == [])
    #expect(store.incompleteIndexes == [])
    #expect(try store.snapshot().objects(Text.self, where: "words", contains: "b").all().count == 1)
    try store.close()
  }

  struct Word: StorableObject {
    static let typeName = "Page"
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("words")]
    var id = 0
    var words = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("words", &words)
    }
  }

  struct Words: StorableObject {
    static let typeName = "Page"
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("words")]
    var id = 0
    var words: [String] = []
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("words", &words)
    }
  }

  @Test("H6: a text that becomes a list, and a list that becomes a text, have other indexes then")
  func changedKind() throws {
    let text = SchemaHistory {
      Base(0) {
        Type("Page", key: "id") {
          Field("id", .int64)
          Field("words", .string)
        }
      }
    }
    let list = SchemaHistory(
      base: text.base,
      versions: [
        Version(1) {
          On("Page") {
            Convert("words", to: .list(.string)) { (text: String) in text.map(String.init) }
          }
        }
      ])
    let back = SchemaHistory(
      base: list.base,
      versions: list.versions + [
        Version(2) { On("Page") { Head("words", as: .string, default: "-") } }
      ])
    let fileSystem = InMemoryFileSystem()
    func open(_ model: any StorableObject.Type, _ history: SchemaHistory) throws -> Store {
      try Store.open(
        at: "/s", models: [model], history: history, configuration: .quiet, fileSystem: fileSystem)
    }
    var store = try open(Word.self, text)
    try store.write { try $0.put(contentsOf: [Word(id: 1, words: "ab"), Word(id: 2, words: "b")]) }
    try store.close()
    store = try open(Words.self, list)
    for _ in 0..<2 {
      let found = try store.snapshot().objects(Words.self, where: "words", contains: "b").all()
      #expect(found.map(\.id) == [1, 2])
      try store.buildIndexes()
      #expect(store.incompleteIndexes == [])
    }
    try store.write { try $0.put(Words(id: 3, words: ["x", "b"])) }
    try store.close()
    store = try open(Word.self, back)
    for _ in 0..<2 {
      let found = try store.snapshot().objects(Word.self, where: "words", equals: "b").all()
      #expect(found.map(\.id) == [2])
      let first = try store.snapshot().objects(Word.self, where: "words", in: "a"..."x").all()
      #expect(first.map(\.id) == [1, 2, 3])
      try store.buildIndexes()
      #expect(store.incompleteIndexes == [])
    }
    try store.close()
  }
}
