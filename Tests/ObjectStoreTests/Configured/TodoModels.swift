import ObjectStore

/// One type with other keys, and one that holds embedded objects.
enum TodoModels {
  struct First: StorableObject, Equatable {
    static let typeName = "Todo"
    static let primaryKey = "id"
    var id = 0
    var title = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("title", &title)
    }
  }

  struct OtherKey: StorableObject {
    static let typeName = "Todo"
    static let primaryKey = "other"
    var other = 0
    var id = 0
    var title = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("other", &other)
      try visitor.member("id", &id)
      try visitor.member("title", &title)
    }
  }

  struct TitleKey: StorableObject {
    static let typeName = "Todo"
    static let primaryKey = "title"
    var id = 0
    var title = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("title", &title)
    }
  }

  struct TextKey: StorableObject {
    static let typeName = "Todo"
    static let primaryKey = "id"
    var id = ""
    var title = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("title", &title)
    }
  }

  /// The same key under another name.
  struct RenamedKey: StorableObject, Equatable {
    static let typeName = "Todo"
    static let primaryKey = "number"
    static let formerNames = ["number": ["id"]]
    var number = 0
    var title = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("number", &number)
      try visitor.member("title", &title)
    }
  }

  /// The same without a word of the former one.
  struct NumberKey: StorableObject {
    static let typeName = "Todo"
    static let primaryKey = "number"
    var number = 0
    var title = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("number", &number)
      try visitor.member("title", &title)
    }
  }

  struct Home: EmbeddedObject, Equatable {
    var street = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("street", &street) }
  }

  /// With more, the new members before and behind the known one.
  struct GrownHome: EmbeddedObject, Equatable {
    var country = "DE"
    var street = ""
    var zip: Int?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("country", &country)
      try visitor.member("street", &street)
      try visitor.member("zip", &zip)
    }
  }

  /// With another type of the one member.
  struct NumberedHome: EmbeddedObject, Equatable {
    var street = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("street", &street) }
  }

  /// What may be the same member under another name, or another one.
  struct RoadHome: EmbeddedObject, Equatable {
    var country = "DE"
    var road = ""
    var zip: Int?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("country", &country)
      try visitor.member("road", &road)
      try visitor.member("zip", &zip)
    }
  }

  /// Holds homes in every way.
  struct Resident<Home: EmbeddedObject & Equatable>: StorableObject, Equatable {
    static var typeName: String { "Resident" }
    static var primaryKey: String { "id" }
    var id = 0
    var base = Home()
    var home: Home?
    var homes: [Home] = []
    var places: [String: Home] = [:]
    var rows: [[Home]] = []
    var full = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("base", &base)
      try visitor.member("home", &home)
      try visitor.member("homes", &homes)
      try visitor.member("places", &places)
      try visitor.member("rows", &rows)
      try visitor.member("full", &full)
    }

    static func with(_ id: Int, _ home: Home, full: String = "") -> Self {
      Self(
        id: id, base: home, home: home, homes: [home, home], places: ["a": home],
        rows: [[home], []], full: full)
    }
  }
}
