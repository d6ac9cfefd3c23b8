import FileIO
import LogStore
import Testing

@testable import ObjectStore

/// What a version added inside of embedded objects, and recorded so (decision 142).
@Suite(
  "R22: embedded objects of a version hold for ever what the first later version added to them")
struct EmbeddedRecordedTests {
  typealias Timing = Store.Configuration.MigrationTiming
  typealias Home = TodoModels.Home
  typealias GrownHome = TodoModels.GrownHome

  /// A grown home that begins otherwise, and has one member more.
  struct MovedHome: EmbeddedObject, Equatable {
    var country = "AT"
    var street = "none"
    var zip: Int?
    var floor = 3
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("country", &country)
      try visitor.member("street", &street)
      try visitor.member("zip", &zip)
      try visitor.member("floor", &floor)
    }
  }

  struct Bare: CodableObject {
    static let typeName = "Resident"
    static let primaryKey = "id"
    var id = 0
  }

  static func put<Home: EmbeddedObject & Equatable>(
    _ id: Int, _ home: Home, _ version: UInt64, _ fileSystem: InMemoryFileSystem
  ) throws {
    typealias Model = TodoModels.Resident<Home>
    let store = try MigrationOnceTests.open(fileSystem, [Model.self], version, .onRead)
    try store.write { try $0.put(Model.with(id, home)) }
    try store.close()
  }

  static func residents<Home: EmbeddedObject & Equatable>(
    _ home: Home.Type, _ version: UInt64, _ fileSystem: InMemoryFileSystem, _ timing: Timing
  ) throws -> [TodoModels.Resident<Home>] {
    let store = try MigrationOnceTests.open(
      fileSystem, [TodoModels.Resident<Home>.self], version, timing)
    defer { try? store.close() }
    return try ChangedKeyTests.all(store, TodoModels.Resident<Home>.self)
  }

  @Test(
    "A member inside keeps the value of the version that added it, at every depth",
    arguments: SeedExampleTests.timings)
  func added(timing: Timing) throws {
    let fileSystem = InMemoryFileSystem()
    try Self.put(1, Home(street: "s"), 0, fileSystem)
    try Self.put(2, GrownHome(country: "CH", street: "t", zip: 4), 1, fileSystem)
    let known = MovedHome(country: "DE", street: "s")
    let other = MovedHome(country: "CH", street: "t", zip: 4)
    for version in [2, 3] as [UInt64] {
      #expect(
        try Self.residents(MovedHome.self, version, fileSystem, timing)
          == [.with(1, known), .with(2, other)])
      try Self.put(3, MovedHome(), version, fileSystem)
      let store = try MigrationOnceTests.open(
        fileSystem, [TodoModels.Resident<MovedHome>.self], version, timing)
      try store.write { _ = try $0.delete(TodoModels.Resident<MovedHome>.self, 3) }
      try store.close()
    }
  }

  @Test(
    "A member that was added whole keeps its value when its type grows or shrinks",
    arguments: SeedExampleTests.timings)
  func addedWhole(timing: Timing) throws {
    func filled() throws -> InMemoryFileSystem {
      let fileSystem = InMemoryFileSystem()
      try RenamedOntoMemberTests.put(fileSystem, 0, Bare(id: 1))
      try Self.put(2, GrownHome(), 1, fileSystem)
      return fileSystem
    }
    var fileSystem = try filled()
    let grown = try Self.residents(MovedHome.self, 2, fileSystem, timing)
    #expect(grown.map(\.base) == Array(repeating: MovedHome(country: "DE", street: ""), count: 2))
    fileSystem = try filled()
    let shrunken = try Self.residents(Abroad.self, 2, fileSystem, timing)
    #expect(shrunken.map(\.base) == [Abroad(country: "DE"), Abroad(country: "DE")])
  }

  struct Abroad: EmbeddedObject, Equatable {
    var country = "AT"
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("country", &country) }
  }

  @Test(
    "R23: what was recorded of a member that was removed says nothing of one that came back",
    arguments: SeedExampleTests.timings)
  func returned(timing: Timing) throws {
    let fileSystem = InMemoryFileSystem()
    try Self.put(1, Home(street: "s"), 0, fileSystem)
    try Self.put(2, GrownHome(street: "t"), 1, fileSystem)
    try Self.put(3, Home(street: "u"), 2, fileSystem)
    #expect(
      try Self.residents(MovedHome.self, 3, fileSystem, timing).map(\.base)
        == ["s", "t", "u"].map { MovedHome(country: "AT", street: $0) })
  }

  /// The catalog's record of the models of version 1, which added a country inside of one member.
  static func record(_ fileSystem: InMemoryFileSystem) throws -> [UInt8] {
    try RenamedOntoMemberTests.put(fileSystem, 0, Owner<Home>(id: 1))
    try RenamedOntoMemberTests.put(fileSystem, 1, Owner<GrownHome>(id: 2))
    let log = try Log.open(at: "/people", fileSystem: fileSystem)
    defer { try? log.close() }
    return try #require(try log.snapshot().record(for: key, in: .catalog)).payload
  }

  static let key: [UInt8] = [4, 0, 0, 0, 0, 0, 0, 0, 1]

  /// An object with a home, of whichever kind.
  struct Owner<Home: EmbeddedObject & Equatable>: StorableObject {
    static var typeName: String { "Owner" }
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

  @Test("The catalog's record of what is inside never changes")
  func golden() throws {
    let hex = GoldenIndexTests.hex(try Self.record(InMemoryFileSystem()))
    let values = "03" + "01" + "00054f776e6572" + "01" + "0004686f6d65" + "050002444500"
    let sum = "01" + "00" + "8900f73cb1fe151ec204bb8d322fa666"
    let inside = "01" + "00" + "01" + "00054f776e6572" + "0004686f6d65" + "0b02"
    let added = "07636f756e747279" + "05024445" + "037a6970" + "00"
    let lineages = "01" + "00054f776e6572" + "00" + "00"
    #expect(hex == values + sum + inside + added + lineages)
  }

  @Test("P14: a damaged record of it is refused with a typed error, at every length")
  func hostile() throws {
    let fileSystem = InMemoryFileSystem()
    let payload = try Self.record(fileSystem)
    var accepted: [Int] = []
    for count in 0...payload.count {
      let log = try Log.open(at: "/people", fileSystem: fileSystem)
      let wrong = count == payload.count ? payload + [0] : Array(payload[..<count])
      try log.transact { try $0.put(Self.key, in: .catalog, schemaVersion: 0, payload: wrong) }
      try log.close()
      do {
        try MigrationOnceTests.open(fileSystem, [Owner<GrownHome>.self], 1, .onRead).close()
        accepted.append(count)
      } catch let error as StoreError {
        if case .malformedCatalog = error { continue }
        accepted.append(count)
      }
    }
    #expect(accepted == [])
  }
}
