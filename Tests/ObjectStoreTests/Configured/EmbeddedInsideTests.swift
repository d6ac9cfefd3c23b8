import FileIO
import SchemaRegistry
import Testing

@testable import ObjectStore

/// What was added inside of what was added (decision 142).
@Suite("R22: what a version added deep inside is recorded for each version that lacked it")
struct EmbeddedInsideTests {
  typealias Timing = Store.Configuration.MigrationTiming
  typealias Recorded = EmbeddedRecordedTests

  /// A place on the map, of which versions begin with other values.
  struct First: EmbeddedObject, Equatable {
    var latitude = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("latitude", &latitude) }
  }

  struct Second: EmbeddedObject, Equatable {
    var latitude = 0
    var longitude: Int? = 2
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("latitude", &latitude)
      try visitor.member("longitude", &longitude)
    }
  }

  struct Third: EmbeddedObject, Equatable {
    var latitude = 0
    var longitude: Int? = 9
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("latitude", &latitude)
      try visitor.member("longitude", &longitude)
    }
  }

  /// A home that knows a place, and may know some.
  struct Home<Place: EmbeddedObject & Equatable>: EmbeddedObject, Equatable {
    var street = ""
    var place: Place?
    var places: [Place] = []
    init() {}
    init(_ street: String, _ place: Place?) {
      (self.street, self.place, places) = (street, place, place.map { [$0] } ?? [])
    }
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("street", &street)
      try visitor.member("place", &place)
      try visitor.member("places", &places)
    }
  }

  @Test(
    "Members added inside keep their value beside objects that lack all around them",
    arguments: SeedExampleTests.timings, [true, false])
  func besideWhole(timing: Timing, hasFirst: Bool) throws {
    let fileSystem = InMemoryFileSystem()
    var expected: [Home<Third>] = []
    if hasFirst {
      try Recorded.put(1, TodoModels.Home(street: "s"), 0, fileSystem)
      expected.append(Home("s", nil))
    }
    try Recorded.put(2, Home("t", First(latitude: 1)), 1, fileSystem)
    try Recorded.put(3, Home("u", Second(latitude: 2, longitude: 5)), 2, fileSystem)
    expected += [
      Home("t", Third(latitude: 1, longitude: 2)), Home("u", Third(latitude: 2, longitude: 5)),
    ]
    for version in [3, 4] as [UInt64] {
      let found = try Recorded.residents(Home<Third>.self, version, fileSystem, timing)
      #expect(found.map(\.base) == expected)
    }
  }

  /// A home that begins at a place of its own.
  struct Placed<Place: EmbeddedObject & Equatable>: EmbeddedObject, Equatable {
    static var beginning: Place? {
      // What the version says that added the place.
      (First(latitude: 5) as? Place) ?? (Second(latitude: 6, longitude: 7) as? Place)
    }
    var street = ""
    var place = beginning
    var places = beginning.map { [$0] } ?? []
    init() {}
    init(_ street: String, _ place: Place) {
      (self.street, self.place, places) = (street, place, [place])
    }
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("street", &street)
      try visitor.member("place", &place)
      try visitor.member("places", &places)
    }
  }

  @Test(
    "What was added whole is completed, alone and in lists, and says nothing of others",
    arguments: SeedExampleTests.timings)
  func whole(timing: Timing) throws {
    let fileSystem = InMemoryFileSystem()
    try Recorded.put(1, TodoModels.Home(street: "s"), 0, fileSystem)
    try Recorded.put(2, Placed("t", First(latitude: 1)), 1, fileSystem)
    try Recorded.put(3, Placed("u", Second(latitude: 3, longitude: 4)), 2, fileSystem)
    for version in [3, 4] as [UInt64] {
      let found = try Recorded.residents(Placed<Third>.self, version, fileSystem, timing)
      #expect(
        found.map(\.base) == [
          Placed("s", Third(latitude: 5, longitude: 2)),
          Placed("t", Third(latitude: 1, longitude: 2)),
          Placed("u", Third(latitude: 3, longitude: 4)),
        ])
    }
  }

  @Test("A version reads the same before and after it wrote", arguments: SeedExampleTests.timings)
  func sameVersion(timing: Timing) throws {
    let fileSystem = InMemoryFileSystem()
    try Recorded.put(1, TodoModels.Home(street: "s"), 0, fileSystem)
    try Recorded.put(2, Home("t", First(latitude: 1)), 1, fileSystem)
    let expected = [Home("s", nil), Home("t", Second(latitude: 1, longitude: 2))]
    for _ in 0..<2 {
      let found = try Recorded.residents(Home<Second>.self, 2, fileSystem, timing)
      #expect(found.prefix(2).map(\.base) == expected)
      try Recorded.put(3, Home("u", Second()), 2, fileSystem)
    }
  }

  /// The home has another name, and its old one means something else at once.
  struct Addressed<Home: EmbeddedObject & Equatable>: StorableObject {
    static var typeName: String { "Owner" }
    static var primaryKey: String { "id" }
    static var formerNames: [String: [String]] { ["address": ["home"]] }
    var id = 0
    var address = Home()
    var home: String?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("address", &address)
      try visitor.member("home", &home)
    }
  }

  @Test(
    "R24: a member whose old name was used again at once keeps what was recorded of it",
    arguments: SeedExampleTests.timings)
  func renamed(timing: Timing) throws {
    let fileSystem = InMemoryFileSystem()
    typealias Grown = Addressed<TodoModels.GrownHome>
    typealias Moved = Addressed<Recorded.MovedHome>
    try RenamedOntoMemberTests.put(
      fileSystem, 0, Recorded.Owner(id: 1, home: TodoModels.Home(street: "s")))
    try RenamedOntoMemberTests.put(fileSystem, 1, Grown(id: 2))
    let store = try MigrationOnceTests.open(fileSystem, [Moved.self], 2, timing)
    #expect(
      try ChangedKeyTests.all(store, Moved.self).map(\.address) == [
        Recorded.MovedHome(country: "DE", street: "s"),
        Recorded.MovedHome(country: "DE", street: ""),
      ])
    try store.close()
  }

  @Test(
    "R23: what was given up under another name comes back as new, compacted or not",
    arguments: SeedExampleTests.timings, [false, true])
  func givenUp(timing: Timing, compacts: Bool) throws {
    let fileSystem = InMemoryFileSystem()
    typealias Middle = Addressed<TodoModels.Home>
    typealias Moved = Addressed<Recorded.MovedHome>
    try RenamedOntoMemberTests.put(
      fileSystem, 0, Recorded.Owner(id: 1, home: TodoModels.Home(street: "s")))
    try RenamedOntoMemberTests.put(fileSystem, 1, Recorded.Owner<TodoModels.GrownHome>(id: 2))
    try RenamedOntoMemberTests.put(fileSystem, 2, Middle(id: 3))
    if compacts {
      let store = try MigrationOnceTests.open(fileSystem, [Middle.self], 2, .onRead)
      try store.compact()
      try store.close()
    }
    let store = try MigrationOnceTests.open(fileSystem, [Moved.self], 3, timing)
    #expect(
      try ChangedKeyTests.all(store, Moved.self).map(\.address.country) == ["AT", "AT", "AT"])
    try store.close()
  }

  @Test("An addition that is all of an object is none of a whole one")
  func allInside() {
    typealias Form = [(name: String, type: FieldType)]
    func object(_ members: Form) -> FieldType {
      .object(members.map { MemberShape($0.name, $0.type, introducedIn: 0) })
    }
    let before = object([("place", object([("a", .int64), ("b", .int64)]))])
    let after = object([("place", object([("b", .int64)]))])
    let value = Value.object(["place": .object(["b": .int(3)])])
    let inside = EmbeddedInitialValues(recorded: value, since: [before], through: [after])
    #expect(inside.values.isEmpty)
    #expect(inside.inner["place"]?.values.isEmpty == true)
    let older = object([("place", object([("a", .int64)]))])
    let added = EmbeddedInitialValues(recorded: value, since: [older], through: [after])
    #expect(added.values.isEmpty)
    #expect(added.inner["place"]?.values == ["b": .int(3)])
    let whole = EmbeddedInitialValues(recorded: value, since: [object([])], through: [after])
    #expect(whole.values == ["place": .object(["b": .int(3)])])
  }
}
