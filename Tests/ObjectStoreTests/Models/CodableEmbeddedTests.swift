import FileIO
import Testing

@testable import ObjectStore

@Suite("Embedded objects inside of Codable types begin with what they say themselves")
struct CodableEmbeddedTests {
  struct Address: EmbeddedObject, Codable, Equatable {
    var street = "s"
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("street", &street)
    }
  }

  struct NewerAddress: EmbeddedObject, Codable, Equatable {
    var street = "s"
    var zip = 7
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("street", &street)
      try visitor.member("zip", &zip)
    }
  }

  struct Box: Codable, Equatable { var address: Address }
  struct NewerBox: Codable, Equatable { var address: NewerAddress }

  struct Person: CodableObject, Equatable {
    static let primaryKey = "id"
    var id: Int
    var home: Address
    var work: Address?
    var all: [Address]
    var box: Box
  }

  struct NewerPerson: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id: Int
    var home: NewerAddress
    var work: NewerAddress?
    var all: [NewerAddress]
    var box: NewerBox
    /// Required, and said by its own type.
    var other: NewerAddress
  }

  /// Says itself what it begins with, but nothing of what is not there.
  struct InitialisedPerson: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var home = NewerAddress(street: "", zip: 9)
    var work: NewerAddress?
    var all: [NewerAddress] = []
    var box = NewerBox(address: NewerAddress())
  }

  static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let address = Address(street: "a")
    try CodableInitialValueTests.put(
      .additive,
      Person(id: 1, home: address, work: address, all: [address], box: Box(address: address)),
      fileSystem)
    return fileSystem
  }

  @Test("Additive: what is added inside of them gets their initial values")
  func additive() throws {
    let fileSystem = try Self.makeStore()
    let address = NewerAddress(street: "a", zip: 7)
    let box = NewerBox(address: address)
    try CodableInitialValueTests.open(.additive, NewerPerson.self, fileSystem) { (store) throws in
      #expect(
        try store.snapshot().get(NewerPerson.self, 1)
          == NewerPerson(
            id: 1, home: address, work: address, all: [address], box: box, other: NewerAddress()))
    }
  }

  @Test("Additive: an init() goes before them, and they tell of what it leaves out")
  func initialised() throws {
    let fileSystem = try Self.makeStore()
    let address = NewerAddress(street: "a", zip: 7)
    try CodableInitialValueTests.open(.additive, InitialisedPerson.self, fileSystem) {
      (store) throws in
      let found = try store.snapshot().get(InitialisedPerson.self, 1)
      #expect(found?.home.zip == 9)
      #expect(found?.work == address && found?.all == [address])
    }
  }

  struct Bare: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id: Int
  }

  struct Homed: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id: Int
    var home: Address
  }

  @Test(
    "A required one that is new begins as its type says",
    arguments: CodableInitialValueTests.Way.allCases)
  func added(_ way: CodableInitialValueTests.Way) throws {
    let fileSystem = InMemoryFileSystem()
    try CodableInitialValueTests.put(way, Bare(id: 1), version: 0, fileSystem)
    try CodableInitialValueTests.open(way, Homed.self, fileSystem) { (store) throws in
      #expect(try store.snapshot().get(Homed.self, 1) == Homed(id: 1, home: Address()))
    }
  }
}
