import Foundation
public import ObjectStore

// The models of `Documentation/Models.md`, as they stand there.

enum Genre: String, StorableValue, CaseIterable { case fiction, history, science }

@Model struct Author: Equatable {
  @PrimaryKey var id: UUID
  var name: String
  @Unique var email: String?
}

@Model struct Book: Equatable {
  @PrimaryKey var isbn: String
  var title: String
  @Indexed var year = 0
  @Indexed var author: Link<Author>?
  @Indexed var price = 0.0
  @Indexed var genre: Genre
  var editions: [Edition]
  @Indexed var tags: Set<String>
  @Transient var isSelected = false
}

/// Without a key: a part of other objects.
@Model struct Edition: Equatable {
  var publisher = ""
  var year = 0
}

/// A book has many readers, and a reader many books.
@Model struct Loan: Equatable {
  @PrimaryKey var id: UUID
  @Indexed var book: Link<Book>
  @Indexed var reader: Link<Reader>
}

@Model public struct Reader: Sendable, Equatable {
  @PrimaryKey public var id: Int
  @Renamed(from: "name") public var fullName: String

  public init(id: Int, fullName: String) {
    self.id = id
    self.fullName = fullName
  }
}
