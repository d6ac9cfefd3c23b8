import Foundation
import ObjectStore

/// Codable types of one name, as one app has them after the other.
enum CodablePeople {
  enum Mood: String, Codable, CaseIterable { case calm, cross }

  struct Home: Codable, Equatable { var street: String }

  struct First: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id: Int
    var home: Home
    static func named(_ id: Int) -> First { First(id: id, home: Home(street: "a")) }
  }

  struct HomeWithFloor: Codable, Equatable {
    var street: String
    var floor: Int?
  }

  struct Floored: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id: Int
    var home: HomeWithFloor
    static func at(_ id: Int, floor: Int?) -> Floored {
      Floored(id: id, home: HomeWithFloor(street: "a", floor: floor))
    }
  }

  /// Adds optionals and nothing else, and does not say what an object begins with.
  struct Optionals: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration.unique("nick")]
    var id: Int
    var home: HomeWithFloor
    var nick: String?
    var age: Int?
    var site: URL?
    var other: HomeWithFloor?

    static func bare(_ id: Int) -> Optionals {
      Optionals(id: id, home: HomeWithFloor(street: "a", floor: nil))
    }
  }

  /// What earlier releases took for the initial values of `Optionals`.
  struct RecordedOptionals: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id: Int
    var home: HomeWithFloor
    var nick: String?
    var age: Int?
    var site: URL?
    var other: HomeWithFloor?

    init() {
      (id, nick, age, site) = (0, "", 0, URL(filePath: "/"))
      home = HomeWithFloor(street: "", floor: 0)
      other = home
    }
  }

  /// Adds a required member. Its value is not decoded from, so nobody can know it.
  struct Levelled: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id: Int
    var home: Home
    var level = 5
  }

  /// What earlier releases took for the initial values of `Levelled`.
  struct RecordedLevelled: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var home = Home(street: "")
    var level = 0
  }

  struct HomeWithZip: Codable, Equatable {
    var street: String
    var zip: String
  }

  struct Zipped: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id: Int
    var home: HomeWithZip
  }

  /// Says what an object begins with.
  struct Initialised: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id: Int
    var home: HomeWithZip
    var level: Int
    var nick: String?
    var age: Int?

    init() {
      (id, level, nick) = (0, 5, "n")
      home = HomeWithZip(street: "", zip: "z")
    }
  }

  /// Has an `init()` from the compiler, as each member has an initial value.
  struct Valued: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var home = Home(street: "")
    var level = 5
    var nick: String?
  }

  /// With required members of which a zero would be no value.
  struct Moody: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id: Int
    var home: MoodyHome
    var mood: Mood
    var site: URL
  }

  struct MoodyHome: Codable, Equatable {
    var street: String
    var mood: Mood
    var floor: Int?
  }

  struct OptionalNick: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id: Int
    var nick: String?
    var mood: Mood?
  }

  struct RequiredNick: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id: Int
    var nick: String
    var mood: Mood
  }
}
