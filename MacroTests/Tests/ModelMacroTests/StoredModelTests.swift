public import Foundation
public import ObjectStore
import Testing

@Model struct Address: Equatable {
  var street = ""
  var city: String?
}

enum Mood: String, StorableValue, CaseIterable { case calm, cross }

@Model public struct Person: Equatable {
  @PrimaryKey public var id: UUID
  public var fullName: String
  @Indexed var age: Int = 18
  @Unique var email: String?
  var mood: Mood
  var home = Address()
  var others: [Address]
  var `default` = 1, second = 2
  @Renamed(from: "nick") @Renamed(from: "alias") var nickname: String
  @Transient var isSelected = false
  static let unit = "years"
  var initial: Character? { fullName.first }
  @Transient var watched = 0 { didSet { isSelected = true } }

  public init() {
    (id, fullName, mood, others, nickname) = (UUID(), "", .calm, [], "")
  }
}

@Model final class Pet {
  @PrimaryKey var name: String
  var owner: Link<Person>?
  var friends: [Link<Pet>] = []
  init(name: String) { self.name = name }
}

@Model struct Plain { @PrimaryKey var id = 0 }

/// Have initial values for all members, and an initialiser besides.
@Model struct Counter {
  @ObjectStore.PrimaryKey var id = 1
  var level = 5
  init(level: Int) { self.level = level }
}

@Model final class Tally {
  @PrimaryKey var id = 1
  init(id: Int) { self.id = id }
}

/// Have an initialiser whose parameters all have defaults, in the body or beside it.
@Model final class Item {
  @PrimaryKey var id: UUID
  var name: String
  init(id: UUID = UUID(), name: String = "new") { (self.id, self.name) = (id, name) }
}

@Model public struct Part: Sendable {
  @PrimaryKey public var id: UUID
  public var name: String
  public init(id: UUID = UUID(), name: String = "new") { (self.id, self.name) = (id, name) }
}

@Model struct Note {
  @PrimaryKey var id: UUID
  var text: String
}

extension Note {
  init(_ id: UUID = UUID()) { self.init(id: id, text: "new") }
}

/// Have members whose type is that of the next, or in parentheses.
@Model struct Point {
  @PrimaryKey var id = 1
  var x, y: Int?
  var z: (Int?)
}

@Model final class Corner {
  @PrimaryKey var id = 1
  var left, right: String
}

/// Need each other.
@Model struct Hen: Equatable {
  @PrimaryKey var name: String
  var egg: Link<Egg>
}

@Model struct Egg: Equatable {
  @PrimaryKey var id: Int
  var hen: Link<Hen>
}

/// Their members are as public as they are, without a word of their own.
public enum Shop {}
extension Shop {
  @Model public struct Visit {
    @PrimaryKey public var id = 0
    @Transient var note: String!
  }
  @Model public struct Order {
    @PrimaryKey public var id: Int
  }
  @Model internal struct Inner { @PrimaryKey var id = 0 }
}

/// With operators, and with the conformance that others leave to the macro.
@Model struct Ranked: StorableObject, Comparable {
  @PrimaryKey var id: Int
  static func < (left: Ranked, right: Ranked) -> Bool { left.id < right.id }
}

@Model final class Named: Hashable {
  @PrimaryKey var id: Int
  static func == (left: Named, right: Named) -> Bool { left.id == right.id }
  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

@Model struct Amount: EmbeddedObject, AdditiveArithmetic {
  var cents = 0
  static let zero = Amount()
  static func + (left: Amount, right: Amount) -> Amount { Amount(cents: left.cents + right.cents) }
  static func - (left: Amount, right: Amount) -> Amount { Amount(cents: left.cents - right.cents) }
}

@Model public struct Stall { @PrimaryKey public var id = 0 }

@Model public final class Cart { @PrimaryKey public var id = 0 }

@Model package struct Basket {
  @PrimaryKey package var id = 0
  package init(id: Int) { self.id = id }
}

/// Have initialisers in some builds only; the first of each pair has one in this build.
@Model struct Sometimes {
  @PrimaryKey var id = 1
  #if swift(>=6)
    init(id: Int, level: Int) { self.id = id + level }
  #endif
}

@Model struct Never {
  @PrimaryKey var id = 1
  #if swift(<6)
    init(id: Int, level: Int) { self.id = id + level }
  #elseif !os(Linux) && os(Linux)
    init(level: Int) { id = level }
  #endif
}

@Model public struct PublicSometimes {
  @PrimaryKey public var id = 1
  #if swift(>=6)
    public init(level: Int) { id = level }
  #endif
}

@Model public struct PublicNever {
  @PrimaryKey public var id = 1
  #if swift(<6)
    public init(level: Int) { id = level }
  #endif
}

@Model final class ClassSometimes {
  @PrimaryKey var id = 1
  #if swift(>=6)
    init(level: Int) { id = level }
  #endif
}

@Model final class ClassNever {
  @PrimaryKey var id = 1
  #if swift(<6)
    init(level: Int) { id = level }
  #endif
}

/// Says what it is in an extension.
@Model struct Beside { @PrimaryKey var id = 1 }
extension Beside: StorableObject {}

@Model struct PartBeside { var id = 1 }
extension PartBeside: EmbeddedObject {}

/// Have a member that begins with what its wrapper gives it.
@propertyWrapper struct Limited {
  var wrappedValue: Int
  init(wrappedValue: Int, to limit: Int) { self.wrappedValue = min(wrappedValue, limit) }
}

@Model struct Dial {
  @PrimaryKey var id = 1
  @Limited(to: 4) var level = 5
  @Transient @Limited(wrappedValue: 5, to: 9) var shown: Int
}

@Model final class Gauge {
  @PrimaryKey var id: Int
  @Transient @Limited(wrappedValue: 5, to: 9) var shown: Int
}

@Suite("Models that the macro wrote are stored as ones written by hand")
struct StoredModelTests {
  static let history = SchemaHistory {
    Base(0) {
      Type("Person", key: "id") {
        Field("id", .uuid)
        Field("fullName", .string)
        Field("age", .int64)
        Field("email", .optional(.string))
        Field("mood", .string)
        Field("home", Address.memberType)
        Field("others", .list(Address.memberType))
        Field("default", .int64)
        Field("second", .int64)
        Field("nickname", .string)
      }
      Type("Pet", key: "name") {
        Field("name", .string)
        Field("owner", .optional(.uuid))
        Field("friends", .list(.string))
      }
      Type("Plain", key: "id") { Field("id", .int64) }
    }
  }

  @Test func objectsReadBackAsTheyWerePut() throws {
    let path = NSTemporaryDirectory() + "models-\(UUID()).logstore"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try Store.open(
      at: path, models: [Person.self, Pet.self, Plain.self], history: Self.history)
    var ada = Person()
    ada.fullName = "Ada"
    ada.home.city = "London"
    ada.others = [Address(street: "a", city: nil)]
    ada.default = 7
    let rex = Pet(name: "Rex")
    rex.owner = Link(to: ada)
    rex.friends = [Link(key: "Tom")]
    let (stored, pet) = (ada, rex)
    try store.write { transaction in
      try transaction.put(stored)
      try transaction.put(pet)
      try transaction.put(Plain(id: 3))
    }
    let found = try #require(try store.snapshot().get(Pet.self, "Rex"))
    #expect(found.friends == [Link(key: "Tom")])
    let owner = try store.snapshot().get(try #require(found.owner))
    ada.isSelected = owner?.isSelected ?? false
    #expect(owner == ada)
    #expect(try store.snapshot().get(Plain.self, 3) != nil)
    try store.close()
  }

  @Test func initialisersBesidesTheOneThatModelsNeed() {
    #expect(Counter().level == 5 && Counter.primaryKey == "id")
    #expect(Tally().id == 1)
  }

  @Test func membersThatTheirWrappersInitialise() {
    #expect(Dial().level == 4 && Dial().shown == 5 && Gauge().shown == 5)
  }

  @Test func initialisersWithDefaultsOfTheAuthorAreTheOnesThatCodeCalls() throws {
    #expect(Item().name == "new" && Item().id != Item().id)
    #expect(Part().name == "new" && Note().text == "new")
    let path = NSTemporaryDirectory() + "models-\(UUID()).logstore"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try Store.open(at: path, models: [Item.self, Part.self], evolution: .additive)
    try store.write { transaction in
      for _ in 0..<3 { try transaction.put(Item()) }
      for _ in 0..<2 { try transaction.put(Part()) }
    }
    #expect(try store.snapshot().count(Item.self) == 3)
    #expect(try store.snapshot().objects(Part.self).all().map(\.name) == ["new", "new"])
    try store.close()
  }

  @Test func initialisersOfSomeBuilds() {
    #expect(Sometimes().id == 1 && Sometimes(id: 1, level: 2).id == 3)
    #expect(Never().id == 1 && Never(id: 2).id == 2)
    #expect(PublicSometimes().id == 1 && PublicSometimes(level: 2).id == 2)
    #expect(PublicNever().id == 1)
    #expect(ClassSometimes().id == 1 && ClassSometimes(level: 2).id == 2)
    #expect(ClassNever().id == 1)
  }

  @Test func conformancesOfExtensions() {
    #expect(Beside.primaryKey == "id" && PartBeside.memberType.description == "(id: int64)")
  }

  @Test func membersWhoseTypeStandsAtTheNextOne() {
    #expect(Point().x == nil && Point(id: 2, x: 3, y: 4, z: 5).z == 5)
    #expect(Corner().left.isEmpty)
  }

  @Test func requiredLinksInCircles() throws {
    let path = NSTemporaryDirectory() + "models-\(UUID()).logstore"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try Store.open(at: path, models: [Hen.self, Egg.self], evolution: .additive)
    try store.write { try $0.put(Hen(name: "Ada", egg: Link(key: 7))) }
    #expect(try store.snapshot().get(Hen.self, "Ada") == Hen(name: "Ada", egg: Link(key: 7)))
    try store.close()
  }

  @Test func attributesBecomeDeclarations() {
    #expect(Person.primaryKey == "id")
    #expect(Shop.Visit.primaryKey == "id" && Shop.Visit().note == nil)
    #expect(Shop.Order.primaryKey == "id" && Shop.Order().id == 0)
    #expect(Shop.Inner.primaryKey == "id" && Shop.Inner(id: 4).id == 4)
    #expect(Ranked(id: 1) < Ranked(id: 2) && Named() == Named())
    #expect(Amount(cents: 1) + Amount(cents: 2) == Amount(cents: 3))
    #expect(Stall().id == 0 && Cart().id == 0 && Basket().id == 0)
    #expect(Person.indexes == [IndexDeclaration("age"), .unique("email")])
    #expect(Person.formerNames == ["nickname": ["nick", "alias"]])
    #expect(Pet.indexes.isEmpty && Pet.formerNames.isEmpty)
    #expect(Pet().name.isEmpty)
    #expect(Address.memberType == (try? FieldType(parsing: "(street: string, city: string?)")))
  }
}
