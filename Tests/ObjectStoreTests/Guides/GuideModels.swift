import Foundation
import ObjectStore

// The models of `Documentation/Models.md`, written by hand. As they stand there they are in
// `MacroTests`, where the same tests use them: swift-syntax is not built here.

enum Genre: String, StorableValue, CaseIterable { case fiction, history, science }

struct Author: StorableObject, Equatable {
  static let primaryKey = "id"
  static let indexes = [IndexDeclaration.unique("email")]
  var id = UUID.placeholder
  var name = ""
  var email: String?

  mutating func visitMembers<Visitor: MemberVisitor>(
    _ visitor: inout Visitor
  ) throws(StoreError) {
    try visitor.member("id", &id)
    try visitor.member("name", &name)
    try visitor.member("email", &email)
  }
}

struct Book: StorableObject, Equatable {
  static let primaryKey = "isbn"
  static let indexes = ["year", "author", "price", "genre", "tags"].map { IndexDeclaration($0) }
  var isbn = ""
  var title = ""
  var year = 0
  var author: Link<Author>?
  var price = 0.0
  var genre = Genre.fiction
  var editions: [Edition] = []
  var tags: Set<String> = []
  var isSelected = false

  mutating func visitMembers<Visitor: MemberVisitor>(
    _ visitor: inout Visitor
  ) throws(StoreError) {
    try visitor.member("isbn", &isbn)
    try visitor.member("title", &title)
    try visitor.member("year", &year)
    try visitor.member("author", &author)
    try visitor.member("price", &price)
    try visitor.member("genre", &genre)
    try visitor.member("editions", &editions)
    try visitor.member("tags", &tags)
  }
}

struct Edition: EmbeddedObject, Equatable {
  var publisher = ""
  var year = 0

  mutating func visitMembers<Visitor: MemberVisitor>(
    _ visitor: inout Visitor
  ) throws(StoreError) {
    try visitor.member("publisher", &publisher)
    try visitor.member("year", &year)
  }
}

struct Loan: StorableObject, Equatable {
  static let primaryKey = "id"
  static let indexes = [IndexDeclaration("book"), IndexDeclaration("reader")]
  var id = UUID.placeholder
  var book = Link<Book>.placeholder
  var reader = Link<Reader>.placeholder

  mutating func visitMembers<Visitor: MemberVisitor>(
    _ visitor: inout Visitor
  ) throws(StoreError) {
    try visitor.member("id", &id)
    try visitor.member("book", &book)
    try visitor.member("reader", &reader)
  }
}

struct Reader: StorableObject, Equatable {
  static let primaryKey = "id"
  static let formerNames = ["fullName": ["name"]]
  var id = 0
  var fullName = ""

  mutating func visitMembers<Visitor: MemberVisitor>(
    _ visitor: inout Visitor
  ) throws(StoreError) {
    try visitor.member("id", &id)
    try visitor.member("fullName", &fullName)
  }
}
