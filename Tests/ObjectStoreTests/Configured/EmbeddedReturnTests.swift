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

  struct Coded: EmbeddedObject, Equatable {
    var street = ""
    var code: Int?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("street", &street)
      try visitor.member("code", &code)
    }
  }

  struct Zip: EmbeddedObject, Equatable {
    var zip: Int?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("zip", &zip) }
  }

  @Test(
    "R23: what went before another came was not renamed to it, and what came first may be alone",
    arguments: SeedExampleTests.timings)
  func oneAfterAnother(timing: Timing) throws {
    #expect(
      try Self.read(Back(street: "s", zip: 4), as: Coded.self, timing)
        == [Coded(street: "s"), Coded(street: "t")])
    let fileSystem = InMemoryFileSystem()
    try Self.write(Models.Home(street: "s"), 1, 0, fileSystem)
    try Self.write(Back(street: "t", zip: 5), 2, 1, fileSystem)
    let store = try MigrationOnceTests.open(fileSystem, [Models.Resident<Zip>.self], 2, timing)
    #expect(
      try ChangedKeyTests.all(store, Models.Resident<Zip>.self).map(\.base)
        == [Zip(), Zip(zip: 5)])
    try store.close()
  }

  private static func asksForCode(_ error: any Error) -> Bool {
    if case .migrationNeeded("Resident", "base", _, _, _)? = error as? StoreError {
      true
    } else {
      false
    }
  }

  @Test(
    "R24: what went where another came asks for code, whatever else versions between have",
    arguments: SeedExampleTests.timings)
  func atOnce(timing: Timing) throws {
    for isBefore in [true, false] {
      let fileSystem = InMemoryFileSystem()
      try Self.write(Back(street: "s", zip: 4), 1, 0, fileSystem)
      if isBefore {
        try Self.write(Back(street: "s", zip: 4), 2, 1, fileSystem)
      } else {
        let store = try MigrationOnceTests.open(
          fileSystem, [Models.Resident<Coded>.self], 1, .onRead, EmbeddedChangeTests.touch())
        try store.write { try $0.put(Models.Resident.with(2, Coded(street: "t"))) }
        try store.close()
      }
      #expect {
        try MigrationOnceTests.open(fileSystem, [Models.Resident<Coded>.self], 2, timing).close()
      } throws: { Self.asksForCode($0) }
    }
  }

  /// With the old name for another member besides.
  struct CodedBack: EmbeddedObject, Equatable {
    var street = ""
    var code: Int?
    var zip: Int?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("street", &street)
      try visitor.member("code", &code)
      try visitor.member("zip", &zip)
    }
  }

  @Test(
    "R24: a member that may have another name asks for code, also where its own is back",
    arguments: SeedExampleTests.timings)
  func renamedAndBack(timing: Timing) throws {
    for model in [Models.Resident<CodedBack>.self, Models.Resident<Back>.self]
      as [any StorableObject.Type]
    {
      let fileSystem = InMemoryFileSystem()
      try Self.write(Back(street: "s", zip: 4), 1, 0, fileSystem)
      let store = try MigrationOnceTests.open(
        fileSystem, [Models.Resident<Coded>.self], 1, .onRead, EmbeddedChangeTests.touch())
      try store.write { try $0.put(Models.Resident.with(2, Coded(street: "t"))) }
      try store.write { _ = try $0.delete(Models.Resident<Coded>.self, 2) }
      try store.close()
      #expect {
        try MigrationOnceTests.open(fileSystem, [model], 2, timing).close()
      } throws: { Self.asksForCode($0) }
    }
  }

  struct MaybeHome: StorableObject {
    static let typeName = "Resident"
    static let primaryKey = "id"
    var id = 0
    var base: Models.Home?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("base", &base)
    }
  }

  struct GrownAlways: StorableObject {
    static let typeName = "Resident"
    static let primaryKey = "id"
    var id = 0
    var base = Models.GrownHome(country: "AT")
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("base", &base)
    }
  }

  @Test(
    "R26: an embedded object that grew and became required keeps its values where it was there",
    arguments: SeedExampleTests.timings)
  func required(timing: Timing) throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, MaybeHome(id: 1, base: Models.Home(street: "s")))
    try RenamedOntoMemberTests.put(fileSystem, 0, MaybeHome(id: 2))
    #expect(throws: StoreError.self) {
      try MigrationOnceTests.open(fileSystem, [GrownAlways.self], 1, timing).close()
    }
    let store = try MigrationOnceTests.open(fileSystem, [GrownAlways.self], 1, timing) {
      migration, _ in
      migration.enumerateObjects(ofType: "Resident") { _, _ in }
    }
    #expect(
      try ChangedKeyTests.all(store, GrownAlways.self).map(\.base)
        == [Models.GrownHome(street: "s"), Models.GrownHome(country: "AT")])
    try store.close()
  }
}
