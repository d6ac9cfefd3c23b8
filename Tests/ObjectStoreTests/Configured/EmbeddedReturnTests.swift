import FileIO
import Testing

@testable import ObjectStore

@Suite("R23: a member inside of an embedded object that was removed and came back is a new one")
struct EmbeddedReturnTests {
  typealias Timing = Store.Configuration.MigrationTiming
  typealias Models = TodoModels

  /// The third form of a home: what was removed is back.
  struct Back: EmbeddedObject, Equatable {
    var street = ""
    var zip: Int?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("street", &street)
      try visitor.member("zip", &zip)
    }
  }

  struct BackWithValue: EmbeddedObject, Equatable {
    var street = ""
    var zip = 7
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("street", &street)
      try visitor.member("zip", &zip)
    }
  }

  /// Opens, puts an object, and closes.
  static func write<Home: EmbeddedObject & Equatable>(
    _ home: Home, _ id: Int, _ version: UInt64, _ fileSystem: any FileSystem
  ) throws {
    typealias Model = Models.Resident<Home>
    let store = try MigrationOnceTests.open(fileSystem, [Model.self], version, .onRead)
    try store.write { try $0.put(Model.with(id, home)) }
    try store.close()
  }

  /// Homes as the third version reads them: 1 was written by the first one, 2 by the second.
  static func read<First: EmbeddedObject & Equatable, Third: EmbeddedObject & Equatable>(
    _ first: First, as third: Third.Type, _ timing: Timing
  ) throws -> [Third] {
    let fileSystem = InMemoryFileSystem()
    try write(first, 1, 0, fileSystem)
    try write(Models.Home(street: "t"), 2, 1, fileSystem)
    let store = try MigrationOnceTests.open(fileSystem, [Models.Resident<Third>.self], 2, timing)
    defer { try? store.close() }
    return try ChangedKeyTests.all(store, Models.Resident<Third>.self).map(\.base)
  }

  @Test("It is nil, or begins as the model says", arguments: SeedExampleTests.timings)
  func returned(timing: Timing) throws {
    #expect(
      try Self.read(Back(street: "s", zip: 4), as: Back.self, timing)
        == [Back(street: "s"), Back(street: "t")])
    #expect(
      try Self.read(BackWithValue(street: "s", zip: 4), as: BackWithValue.self, timing)
        == [BackWithValue(street: "s"), BackWithValue(street: "t")])
    // Another type than before is no obstacle either.
    #expect(
      try Self.read(BackWithValue(street: "s", zip: 4), as: Back.self, timing)
        == [Back(street: "s"), Back(street: "t")])
  }

  @Test("In lists and optionals of them, too", arguments: SeedExampleTests.timings)
  func deeper(timing: Timing) throws {
    typealias Holder = EmbeddedChangeTests.Holder
    typealias Model = Models.Resident<Holder<Back>>
    let fileSystem = InMemoryFileSystem()
    let home = Back(street: "s", zip: 4)
    try Self.write(Holder(home: home, homes: [home]), 1, 0, fileSystem)
    let middle = Models.Home(street: "t")
    try Self.write(Holder(home: middle, homes: [middle]), 2, 1, fileSystem)
    let store = try MigrationOnceTests.open(fileSystem, [Model.self], 2, timing)
    let found = try ChangedKeyTests.all(store, Model.self).map(\.base)
    for (holder, street) in zip(found, ["s", "t"]) {
      #expect(holder == Holder(home: Back(street: street), homes: [Back(street: street)]))
    }
    try store.close()
  }

  @Test("What stayed all the while keeps its values", arguments: SeedExampleTests.timings)
  func stayed(timing: Timing) throws {
    let fileSystem = InMemoryFileSystem()
    try Self.write(Back(street: "s", zip: 4), 1, 0, fileSystem)
    try Self.write(Back(street: "t", zip: 5), 2, 1, fileSystem)
    let store = try MigrationOnceTests.open(
      fileSystem, [Models.Resident<Back>.self], 2, timing)
    #expect(
      try ChangedKeyTests.all(store, Models.Resident<Back>.self).map(\.base.zip) == [4, 5])
    try store.close()
  }
}
