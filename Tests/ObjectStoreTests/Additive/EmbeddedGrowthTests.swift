import FileIO
import ObjectStore
import StorageTestSupport
import Testing

/// Apps whose models differ inside embedded objects share a store.
@Suite("Embedded objects grow by additions in additive stores")
struct EmbeddedGrowthTests {
  struct Place: EmbeddedObject, Equatable {
    var latitude = 0.0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("latitude", &latitude)
    }
  }

  struct NewerPlace: EmbeddedObject, Equatable {
    var latitude = 0.0
    var height = 4
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("latitude", &latitude)
      try visitor.member("height", &height)
    }
  }

  struct Address: EmbeddedObject, Equatable {
    var street = ""
    var city: String?
    var place = Place()
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("street", &street)
      try visitor.member("city", &city)
      try visitor.member("place", &place)
    }
  }

  /// Without the city, and with something else.
  struct NewerAddress: EmbeddedObject, Equatable {
    var zip = 7
    var note: String?
    var place: NewerPlace = NewerPlace()
    var street = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("zip", &zip)
      try visitor.member("note", &note)
      try visitor.member("place", &place)
      try visitor.member("street", &street)
    }
  }

  struct Person: StorableObject {
    static let primaryKey = "id"
    var id = 0
    var home = Address()
    var work: Address?
    var other: [String: Address] = [:]
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("home", &home)
      try visitor.member("work", &work)
      try visitor.member("other", &other)
    }
  }

  struct NewerPerson: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var home = NewerAddress()
    var work: NewerAddress?
    var other: [String: NewerAddress] = [:]
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("home", &home)
      try visitor.member("work", &work)
      try visitor.member("other", &other)
    }
  }

  static func open(
    _ model: any StorableObject.Type, _ fileSystem: some FileSystem,
    _ configuration: StoreConfiguration = .quiet, _ body: (Store) throws -> Void
  ) throws {
    let store = try Store.open(
      at: "/s", models: [model], evolution: .additive, configuration: configuration,
      fileSystem: fileSystem)
    try body(store)
    try store.close()
  }

  static func address(_ street: String, _ city: String?) -> Address {
    Address(street: street, city: city, place: Place(latitude: 1.5))
  }

  static func newer(
    _ street: String, zip: Int = 7, note: String? = nil, height: Int = 4, latitude: Double = 1.5
  ) -> NewerAddress {
    NewerAddress(
      zip: zip, note: note, place: NewerPlace(latitude: latitude, height: height), street: street)
  }

  static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    try open(Person.self, fileSystem) { (store) throws in
      try store.write { transaction in
        try transaction.put(
          Person(
            id: 1, home: address("h", "Rome"), work: address("w", nil),
            other: ["a": address("a", "Bonn"), "b": address("b", nil)]))
      }
    }
    return fileSystem
  }

  @Test(
    "Additive: older objects have the values of who added, and no app loses what another set",
    arguments: [false, true])
  func turns(_ compacting: Bool) throws {
    let fileSystem = try Self.makeStore()
    try Self.open(NewerPerson.self, fileSystem) { (store) throws in
      #expect(store.schemaVersion == 1)
      var person = try #require(try store.snapshot().get(NewerPerson.self, 1))
      #expect(person.home == Self.newer("h"))
      #expect(person.work == Self.newer("w"))
      #expect(person.other == ["a": Self.newer("a"), "b": Self.newer("b")])
      person.home = Self.newer("h2", zip: 1, note: "n", height: 9)
      person.work?.zip = 2
      person.other["a"]?.place.height = 11
      person.other["c"] = Self.newer("c", zip: 3)
      try store.write { try $0.put(person) }
      if compacting { _ = try store.compact() }
    }
    try Self.open(Person.self, fileSystem) { (store) throws in
      #expect(store.schemaVersion == 1)
      var person = try #require(try store.snapshot().get(Person.self, 1))
      #expect(person.home == Self.address("h2", "Rome"))
      #expect(person.work == Self.address("w", nil))
      #expect(person.other["a"] == Self.address("a", "Bonn"))
      #expect(person.other["c"] == Self.address("c", nil))
      person.home.street = "h3"
      person.home.place.latitude = 2
      person.work = nil
      person.other["a"]?.city = "Köln"
      person.other["b"] = nil
      person.other["d"] = Self.address("d", "Wien")
      try store.write { transaction in
        try transaction.put(person)
        try transaction.put(Person(id: 2, home: Self.address("x", nil)))
      }
      if compacting { _ = try store.compact() }
    }
    try Self.open(NewerPerson.self, fileSystem) { (store) throws in
      #expect(store.schemaVersion == 1)
      let person = try #require(try store.snapshot().get(NewerPerson.self, 1))
      #expect(person.home == Self.newer("h3", zip: 1, note: "n", height: 9, latitude: 2))
      #expect(person.work == nil)
      #expect(
        person.other == [
          "a": Self.newer("a", height: 11), "c": Self.newer("c", zip: 3), "d": Self.newer("d"),
        ])
      #expect(try store.snapshot().get(NewerPerson.self, 2)?.home == Self.newer("x"))
      try store.write { try $0.put(person) }
    }
    try Self.open(Person.self, fileSystem) { (store) throws in
      let person = try #require(try store.snapshot().get(Person.self, 1))
      #expect(person.home.city == "Rome")
      #expect(person.other["a"]?.city == "Köln")
      #expect(person.other["d"]?.city == "Wien")
    }
  }

  @Test("Additive: a third app that knows nothing of an embedded object makes whole ones")
  func thirdApp() throws {
    let fileSystem = try Self.makeStore()
    try Self.open(NewerPerson.self, fileSystem) { (store) throws in
      try store.write { try $0.put(NewerPerson(id: 3)) }
    }
    struct Bare: StorableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      mutating func visitMembers<Visitor: MemberVisitor>(
        _ visitor: inout Visitor
      ) throws(StoreError) {
        try visitor.member("id", &id)
      }
    }
    try Self.open(Bare.self, fileSystem) { (store) throws in
      try store.write { transaction in
        try transaction.put(Bare(id: 1))
        try transaction.put(Bare(id: 4))
      }
    }
    try Self.open(NewerPerson.self, fileSystem) { (store) throws in
      #expect(
        try store.snapshot().get(NewerPerson.self, 4)?.home == Self.newer("", latitude: 0))
      #expect(try store.snapshot().get(NewerPerson.self, 1)?.home == Self.newer("h"))
    }
  }

  struct Clocked: EmbeddedObject {
    var street = ""
    var when = SystemTimeSource().monotonicNanoseconds()
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("street", &street)
      try visitor.member("when", &when)
    }
  }

  struct Other: EmbeddedObject {
    var street = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("street", &street)
    }
  }

  @Test("Additive: with other types, and with nothing to begin with, it is refused")
  func refused() throws {
    let fileSystem = InMemoryFileSystem()
    struct Single<Embedded: StorableValue>: StorableObject {
      static var typeName: String { "Single" }
      static var primaryKey: String { "id" }
      var id = 0
      var home: Embedded?
      mutating func visitMembers<Visitor: MemberVisitor>(
        _ visitor: inout Visitor
      ) throws(StoreError) {
        try visitor.member("id", &id)
        try visitor.member("home", &home)
      }
    }
    try Self.open(Single<Address>.self, fileSystem) { (store) throws in
      try store.write { try $0.put(Single<Address>(id: 1, home: Self.address("s", nil))) }
    }
    #expect(
      throws: StoreError.schema(
        .notAdditive(changes: [], withoutDefault: ["Single.home.when"]))
    ) { try Self.open(Single<Clocked>.self, fileSystem) { _ in } }
    do {
      try Self.open(Single<Other>.self, fileSystem) { _ in }
      Issue.record("another type was accepted")
    } catch StoreError.schema(.notAdditive(let changes, _)) {
      #expect(
        changes.contains(
          .memberTypeChanged(type: "Single", member: "home.street", from: .string, to: .int64)))
    }
    try Self.open(Single<NewerAddress>.self, fileSystem) { (store) throws in
      let found = try store.snapshot().get(Single<NewerAddress>.self, 1)
      #expect(found?.home == Self.newer("s"))
    }
  }

  @Test("Additive, P1: cut off at any write, neither app has lost anything inside")
  func crashes() throws {
    let configuration = AdditiveCrashTests.configuration
    let start = SimulatedFileSystem()
    try Self.open(Person.self, start, configuration) { (store) throws in
      try store.write { transaction in
        for id in 0..<12 {
          try transaction.put(Person(id: id, home: Self.address("s\(id)", "c\(id)")))
        }
      }
    }
    let files = start.snapshotOfFiles(in: "/s")
    let fileSystem = SimulatedFileSystem(files: files, in: "/s")
    fileSystem.recordCrashPoints()
    try Self.open(NewerPerson.self, fileSystem, configuration) { (store) throws in
      for half in [0..<6, 6..<12] as [Range<Int>] {
        try store.write { transaction in
          for id in half {
            try transaction.put(NewerPerson(id: id, home: Self.newer("n\(id)", zip: id + 100)))
          }
        }
      }
      _ = try store.compact()
    }
    var outcomes: Set<Int> = []
    func check(_ fileSystem: SimulatedFileSystem) throws {
      var written = 0
      try Self.open(NewerPerson.self, fileSystem, configuration) { (store) throws in
        for id in 0..<12 {
          let home = try store.snapshot().get(NewerPerson.self, id)?.home
          if home == Self.newer("n\(id)", zip: id + 100) {
            written += 1
          } else if home != Self.newer("s\(id)") {
            throw CaseFailure("\(id) is \(String(describing: home))")
          }
        }
      }
      try Self.open(Person.self, fileSystem, configuration) { (store) throws in
        for id in 0..<12 {
          let home = try store.snapshot().get(Person.self, id)?.home
          guard home?.city == "c\(id)" else { throw CaseFailure("\(id) lost its city") }
        }
      }
      outcomes.insert(written)
    }
    var failures: [String] = []
    for point in fileSystem.crashPoints {
      for choice in point.choices(exhaustiveUnitCount: 2, randomCount: 1) {
        do { try check(point.afterCrash(choice)) } catch { failures.append("\(point): \(error)") }
      }
    }
    #expect(failures == [])
    #expect(outcomes == [0, 6, 12])
  }
}
