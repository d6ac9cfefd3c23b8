import FileIO
import StorageTestSupport
import Synchronization
import Testing

@testable import ObjectStore

/// What embedded objects hold that an app made which does not know all that is in them.
@Suite("Additive stores give embedded objects what was recorded of their members")
struct EmbeddedDefaultTests {
  struct Street: EmbeddedObject, Equatable {
    var street = "s"
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("street", &street)
    }
  }

  /// With members that may have no object, some, or one.
  struct Spots<Spot: EmbeddedObject & Equatable>: EmbeddedObject, Equatable {
    var street = "s"
    var place: Spot?
    var places: [String: Spot] = [:]
    var marked: [String: Spot] = ["m": Spot()]
    var known: Spot? = Spot()
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("street", &street)
      try visitor.member("place", &place)
      try visitor.member("places", &places)
      try visitor.member("marked", &marked)
      try visitor.member("known", &known)
    }
  }

  struct Person<Home: EmbeddedObject & Equatable>: StorableObject {
    static var typeName: String { "Person" }
    static var primaryKey: String { "id" }
    var id = 0
    var home = Home()
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("home", &home)
    }
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

  typealias Older = Person<Spots<EmbeddedGrowthTests.Place>>
  typealias Newer = Person<Spots<EmbeddedGrowthTests.NewerPlace>>

  @Test(
    "Additive: nil and an empty dictionary stay what they are when something is added inside later",
    arguments: [false, true])
  func whole(_ addsMembersLater: Bool) throws {
    let fileSystem = InMemoryFileSystem()
    func put<Model: StorableObject>(_ objects: Model...) throws {
      try EmbeddedGrowthTests.open(Model.self, fileSystem) { (store) throws in
        try store.write { transaction in for object in objects { try transaction.put(object) } }
      }
    }
    if addsMembersLater { try put(Person<Street>(id: 0)) }
    try put(Older(id: 1))
    try put(Newer(id: 2))
    try put(Person<Street>(id: 3))
    try put(Bare(id: 4))
    try EmbeddedGrowthTests.open(Newer.self, fileSystem) { (store) throws in
      let homes = try ((addsMembersLater ? 0 : 1)..<5).map { id in
        try store.snapshot().get(Newer.self, id)?.home
      }
      #expect(homes == homes.map { _ in Newer().home })
    }
  }

  @Test("Additive: what a configuration recorded stays known when something is added inside")
  func configured() throws {
    let fileSystem = InMemoryFileSystem()
    var configuration = Store.Configuration(path: "/s", models: [Older.self])
    configuration.compaction = .off
    let store = try Store.open(configuration, path: "/s", fileSystem: fileSystem)
    try store.write { try $0.put(Older(id: 1)) }
    try store.close()
    try EmbeddedGrowthTests.open(Newer.self, fileSystem) { (store) throws in
      try store.write { try $0.put(Newer(id: 2)) }
    }
    try EmbeddedGrowthTests.open(Bare.self, fileSystem) { (store) throws in
      try store.write { try $0.put(Bare(id: 3)) }
    }
    try EmbeddedGrowthTests.open(Newer.self, fileSystem) { (store) throws in
      #expect(try store.snapshot().get(Newer.self, 3)?.home == Newer().home)
    }
  }

  /// With a member that the street's does not have.
  struct Address: EmbeddedObject, Equatable {
    var street = "s"
    var country = "de"
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("street", &street)
      try visitor.member("country", &country)
    }
  }

  struct Mover<Home: EmbeddedObject>: StorableObject {
    static var typeName: String { "Mover" }
    static var primaryKey: String { "id" }
    var id = 0
    var home: Home?
    var homes: [String: Home] = [:]
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("home", &home)
      try visitor.member("homes", &homes)
    }
  }

  @Test(
    "Additive: what objects begin with is recorded before there are any, whichever app is first",
    arguments: [false, true])
  func unborn(_ richerIsFirst: Bool) throws {
    let fileSystem = InMemoryFileSystem()
    func poorer(_ id: Int) throws {
      try EmbeddedGrowthTests.open(Mover<Street>.self, fileSystem) { (store) throws in
        try store.write {
          try $0.put(Mover<Street>(id: id, home: Street(), homes: ["a": Street()]))
        }
      }
    }
    if !richerIsFirst { try poorer(1) }
    try EmbeddedGrowthTests.open(Mover<Address>.self, fileSystem) { (store) throws in
      try store.write { try $0.put(Mover<Address>(id: 2)) }
    }
    try poorer(3)
    try poorer(2)
    try EmbeddedGrowthTests.open(Mover<Address>.self, fileSystem) { (store) throws in
      for id in richerIsFirst ? [2, 3] : [1, 2, 3] {
        let mover = try store.snapshot().get(Mover<Address>.self, id)
        #expect(mover?.home == Address() && mover?.homes == ["a": Address()])
      }
    }
  }

  /// Objects at places that nobody fills, on two levels.
  struct Nested<Inner: EmbeddedObject>: EmbeddedObject {
    var street = "s"
    var inner: Inner?
    var each: [String: Inner] = [:]
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("street", &street)
      try visitor.member("inner", &inner)
      try visitor.member("each", &each)
    }
  }

  @Test(
    "Additive: what objects inside of objects begin with is recorded before there are any",
    arguments: [false, true])
  func unbornInside(_ addsMembersLater: Bool) throws {
    let fileSystem = InMemoryFileSystem()
    if addsMembersLater {
      try EmbeddedGrowthTests.open(Mover<Street>.self, fileSystem) { (store) throws in
        try store.write { try $0.put(Mover<Street>(id: 1)) }
      }
    }
    typealias Poorer = Mover<Nested<Street>>
    typealias Richer = Mover<Nested<Address>>
    try EmbeddedGrowthTests.open(Richer.self, fileSystem) { (store) throws in
      try store.write { try $0.put(Richer(id: 2)) }
    }
    let nested = Nested(inner: Street(street: "i"), each: ["e": Street()])
    try EmbeddedGrowthTests.open(Poorer.self, fileSystem) { (store) throws in
      try store.write { try $0.put(Poorer(id: 3, home: nested, homes: ["h": nested])) }
    }
    try EmbeddedGrowthTests.open(Richer.self, fileSystem) { (store) throws in
      let found = try store.snapshot().get(Richer.self, 3)
      for home in [found?.home, found?.homes["h"]] {
        #expect(home?.inner == Address(street: "i") && home?.each == ["e": Address()])
      }
    }
  }

  @Test("Additive: an app that would write zeros into what another app requires is refused")
  func unknown() throws {
    let fileSystem = InMemoryFileSystem()
    let address = FieldType.object([
      MemberShape("street", .string), MemberShape("country", .string),
    ])
    // A history records no initial values.
    let history = SchemaHistory {
      Base(0) {
        Type("Mover", key: "id") {
          Field("id", .int64)
          Field("home", .optional(address))
          Field("homes", .dictionary(address))
        }
      }
    }
    let store = try NewerStoreTests.open(fileSystem, history)
    try NewerStoreTests.put(store, "Mover", ["id": 1, "homes": .dictionary([:])])
    try store.close()
    let lost = ["home.country", "homes.country"].map {
      SchemaDifference.memberRemoved(type: "Mover", member: $0, held: .string)
    }
    #expect(throws: StoreError.schema(.notAdditive(changes: lost, withoutDefault: []))) {
      try EmbeddedGrowthTests.open(Mover<Street>.self, fileSystem) { _ in }
    }
    try EmbeddedGrowthTests.open(Mover<Address>.self, fileSystem) { (store) throws in
      #expect(try store.snapshot().get(Mover<Address>.self, 1) != nil)
    }
    // Nor can it be recorded what is another value each time.
    typealias Clocked = EmbeddedGrowthTests.Clocked
    let other = InMemoryFileSystem()
    try EmbeddedGrowthTests.open(Mover<Clocked>.self, other) { (store) throws in
      try store.write { try $0.put(Mover<Clocked>(id: 1)) }
    }
    let times = ["home.when", "homes.when"].map {
      SchemaDifference.memberRemoved(type: "Mover", member: $0, held: .int64)
    }
    #expect(throws: StoreError.schema(.notAdditive(changes: times, withoutDefault: []))) {
      try EmbeddedGrowthTests.open(Mover<Street>.self, other) { _ in }
    }
  }

  /// Tells how often one was made.
  struct Innermost: EmbeddedObject, Equatable {
    static let count = Mutex(0)
    var value = 4
    init() { Self.count.withLock { $0 += 1 } }
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("value", &value)
    }
  }

  struct Around<Inner: EmbeddedObject>: EmbeddedObject {
    var inner = Inner()
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("inner", &inner)
    }
  }

  typealias Deeper<Inner: EmbeddedObject> = Around<Around<Around<Around<Inner>>>>

  @Test("Additive: what an object in twelve objects begins with is asked a few times on each level")
  func depth() throws {
    typealias Outermost = Deeper<Deeper<Deeper<Innermost>>>
    var found = try #require(Outermost.embeddedInitialValues)
    for _ in 0..<12 { found = try #require(found.inner["inner"]) }
    #expect(found.values == ["value": 4])
    _ = Outermost.memberType
    _ = Outermost.linkTargets
    // Twelve levels and the innermost: two objects of each for values, one for types and links.
    #expect(Innermost.count.withLock { $0 } == 13 * 4)
  }
}
