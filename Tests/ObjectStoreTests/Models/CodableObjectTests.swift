import FileIO
import Foundation
import ObjectStore
import Testing

@Suite("Codable types are stored without a visitor")
struct CodableObjectTests {
  enum Mood: String, Codable, CaseIterable { case calm, cross }
  enum Closed: String, Codable { case one }

  struct Address: Codable, Equatable {
    var street: String
    var floor: Int?
  }

  struct Person: CodableObject, Equatable {
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("age")]
    var id: UUID
    var name: String
    var age: Int32
    var mood: Mood
    var home: Address
    var other: Address?
    var all: [Address]
    var named: [String: Address]
    var tags: Set<String>
    var born: Date
    var price: Decimal?
  }

  static let fields = """
    (id: uuid, name: string, age: int32, mood: string, home: (street: string, floor: int64?), \
    other: (street: string, floor: int64?)?, all: [(street: string, floor: int64?)], \
    named: {string: (street: string, floor: int64?)}, tags: [string], born: date, price: string?)
    """

  static func history() throws -> SchemaHistory {
    guard case .object(let members) = try FieldType(parsing: fields) else {
      return SchemaHistory(base: Base(version: 0, types: []))
    }
    return SchemaHistory(
      base: Base(
        version: 0,
        types: [
          Type(
            name: "Person", keyMember: "id", fields: members.map { Field($0.name, $0.type) })
        ]))
  }

  static let sample = Person(
    id: UUID(), name: "Ada", age: 36, mood: .cross, home: Address(street: "a", floor: nil),
    other: Address(street: "b", floor: 3), all: [Address(street: "c", floor: 1)],
    named: ["x": Address(street: "d", floor: nil)], tags: ["t", "s"],
    born: Date(timeIntervalSinceReferenceDate: 5), price: 12.5)

  @Test("All members read back, typed and by name, and indexes hold")
  func readsBack() throws {
    let store = try Store.open(
      at: "/store", models: [Person.self], history: try Self.history(),
      configuration: .quiet, fileSystem: InMemoryFileSystem())
    var bare = Self.sample
    bare.id = UUID()
    (bare.other, bare.price, bare.all, bare.named, bare.age) = (nil, nil, [], [:], 7)
    let stored = [Self.sample, bare]
    try store.write { transaction in for person in stored { try transaction.put(person) } }
    for person in stored {
      #expect(try store.snapshot().get(Person.self, person.id) == person)
    }
    let dynamic = try store.snapshot().object(ofType: "Person", key: bare.id.dynamicValue)
    #expect(dynamic?["mood"] == .string("cross"))
    #expect(dynamic?["home"] == .object(["street": "a", "floor": .null]))
    #expect(
      try store.snapshot().objects(Person.self, where: "age", equals: Int32(7)).next() == bare)
    try store.close()
  }

  @Test("A configuration infers what changed in a Codable type, too")
  func configured() throws {
    let identifier = "codable-\(UUID())"
    let store = try Store(
      configuration: Store.Configuration(inMemoryIdentifier: identifier, models: [Person.self]))
    try store.write { try $0.put(Self.sample) }
    #expect(try store.snapshot().get(Person.self, Self.sample.id) == Self.sample)
    try store.close()
  }

  @Test("A link to a Codable object holds its key")
  func links() {
    #expect(Link<Person>.memberType == .uuid)
    #expect(Link(to: Self.sample).key == Self.sample.id.dynamicValue)
  }

  private struct Numbered: CodableObject, Codable {
    static let primaryKey = "id"
    var id = 0
    var names: [Int: String] = [:]
  }

  private struct Ranged: CodableObject, Codable {
    static let primaryKey = "id"
    var id = 0
    var range = 0..<1
  }

  @Test("What cannot be stored is told with the member that it is, and why")
  func refusedMembers() {
    for (check, text) in [
      ({ () throws in try Numbered.checkStorableMembers() }, "names: a dictionary needs keys"),
      ({ () throws in try Ranged.checkStorableMembers() }, "range: members without names"),
    ] {
      let error = #expect(throws: StoreError.self) { try check() }
      #expect(error?.description.contains(text) == true, "\(String(describing: error))")
    }
  }
}
