import FileIO
import Foundation
import Testing

@testable import ObjectStore

@Suite("R22, R26: what nil becomes is what the version says that made the member required")
struct RequiredAgainTests {
  struct Bare: CodableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
  }

  struct Optional: CodableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var rank: Int?
  }

  struct Seven: CodableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var rank: Int? = 7
  }

  struct Three: CodableObject, Equatable {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var rank = 3
  }

  static let touch: Store.Configuration.MigrationClosure = { migration, _ in
    migration.enumerateObjects(ofType: "Item") { _, _ in }
  }

  static func open(
    _ fileSystem: InMemoryFileSystem, _ timing: Store.Configuration.MigrationTiming
  ) throws -> Store {
    try MigrationOnceTests.open(fileSystem, [Three.self], 2, timing, touch)
  }

  @Test(
    "An initial value from when it was optional is none, whichever version the objects have",
    arguments: SeedExampleTests.timings, [false, true])
  func fill(timing: Store.Configuration.MigrationTiming, compacts: Bool) throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, Optional(id: 1))
    try RenamedOntoMemberTests.put(fileSystem, 1, Seven(id: 2, rank: nil))
    if compacts {
      let store = try MigrationOnceTests.open(fileSystem, [Seven.self], 1, .onRead)
      try store.compact()
      try store.close()
    }
    for _ in 0..<2 {
      let store = try Self.open(fileSystem, timing)
      #expect(
        try ChangedKeyTests.all(store, Three.self) == [
          Three(id: 1, rank: 3), Three(id: 2, rank: 3),
        ]
      )
      try store.close()
    }
  }

  @Test(
    "Objects from before the member have what it began with",
    arguments: SeedExampleTests.timings)
  func added(timing: Store.Configuration.MigrationTiming) throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, Bare(id: 1))
    try RenamedOntoMemberTests.put(fileSystem, 1, Seven(id: 2, rank: nil))
    let store = try Self.open(fileSystem, timing)
    #expect(
      try ChangedKeyTests.all(store, Three.self) == [Three(id: 1, rank: 7), Three(id: 2, rank: 3)])
    try store.close()
  }

  @Test(
    "R24: what nil became stays when the member is optional again",
    arguments: SeedExampleTests.timings, [false, true])
  func optionalAgain(timing: Store.Configuration.MigrationTiming, compacts: Bool) throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, Optional(id: 1))
    try RenamedOntoMemberTests.put(fileSystem, 1, Three(id: 2, rank: 4), Self.touch)
    if compacts {
      let store = try MigrationOnceTests.open(fileSystem, [Three.self], 1, .onRead, Self.touch)
      try store.compact()
      try store.close()
    }
    let store = try MigrationOnceTests.open(fileSystem, [Optional.self], 2, timing, Self.touch)
    #expect(try ChangedKeyTests.all(store, Optional.self).map(\.rank) == [3, 4])
    try store.write { try $0.put(Optional(id: 3)) }
    #expect(try ChangedKeyTests.all(store, Optional.self).map(\.rank) == [3, 4, nil])
    if compacts { try store.compact() }
    try store.close()
    let last = try MigrationOnceTests.open(fileSystem, [Five.self], 3, timing, Self.touch)
    #expect(try ChangedKeyTests.all(last, Five.self).map(\.rank) == [3, 4, 5])
    try last.close()
  }

  @Test("R22: what only code knows of it is asked for when the code is gone")
  func optionalAgainWithoutCode() throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, Optional(id: 1))
    try RenamedOntoMemberTests.put(fileSystem, 1, Three(id: 2, rank: 4), Self.touch)
    for timing in SeedExampleTests.timings {
      #expect(
        RenamedOntoMemberTests.refusal(fileSystem, Optional.self, 2, timing)
          == .migrationNeeded(
            type: "Item", member: "rank", from: .optional(.int64), to: .optional(.int64),
            version: 0))
    }
    // A device that never saw it required has nothing to ask.
    let unseen = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(unseen, 0, Optional(id: 1))
    let store = try MigrationOnceTests.open(unseen, [Optional.self], 2, .onRead)
    #expect(try ChangedKeyTests.all(store, Optional.self).map(\.rank) == [nil])
    try store.close()
  }

  @Test(
    "R24: nor is what it became lost to objects from before the member",
    arguments: SeedExampleTests.timings)
  func addedAndOptionalAgain(timing: Store.Configuration.MigrationTiming) throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, Bare(id: 1))
    try RenamedOntoMemberTests.put(fileSystem, 1, Optional(id: 2))
    try RenamedOntoMemberTests.put(fileSystem, 2, Three(id: 3, rank: 4), Self.touch)
    let store = try MigrationOnceTests.open(fileSystem, [Optional.self], 3, timing, Self.touch)
    #expect(try ChangedKeyTests.all(store, Optional.self).map(\.rank) == [3, 3, 4])
    try store.close()
  }

  struct Born: CodableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var born = Date()
  }

  struct MaybeBorn: CodableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var born: Date?
  }

  @Test("R22: what only code gave an added member is asked for at each opening, or at none")
  func addedByCodeAndOptionalAgain() throws {
    let day = Date(timeIntervalSinceReferenceDate: 86_400)
    let set: Store.Configuration.MigrationClosure = { migration, old in
      guard old < 1 else { return }
      migration.enumerateObjects(ofType: "Item") { _, new in new?["born"] = day }
    }
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, Bare(id: 1))
    try RenamedOntoMemberTests.put(fileSystem, 1, Born(id: 2, born: day), set)
    for id in [3, 4] {
      #expect(
        RenamedOntoMemberTests.refusal(fileSystem, MaybeBorn.self, 2, .onRead)
          == .migrationNeeded(
            type: "Item", member: "born", from: nil, to: .optional(.date), version: 0))
      let store = try MigrationOnceTests.open(fileSystem, [MaybeBorn.self], 2, .onRead, set)
      try store.write { try $0.put(MaybeBorn(id: id)) }
      let known = try ChangedKeyTests.all(store, MaybeBorn.self).prefix(2).map(\.born)
      #expect(known == [day, day])
      try store.close()
    }
  }

  struct Ranked: CodableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    static let formerNames = ["place": ["rank"]]
    var id = 0
    var place = 5
    var rank: String?
  }

  struct RankedAnew: CodableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    static let formerNames = ["place": ["rank"]]
    var id = 0
    var place = 7
    var rank: String?
  }

  @Test(
    "R24: also where the member was renamed and its old name used again at once",
    arguments: SeedExampleTests.timings)
  func renamed(timing: Store.Configuration.MigrationTiming) throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, Optional(id: 1))
    try RenamedOntoMemberTests.put(fileSystem, 1, Ranked(id: 2), Self.touch)
    let store = try MigrationOnceTests.open(fileSystem, [RankedAnew.self], 2, timing, Self.touch)
    #expect(try ChangedKeyTests.all(store, RankedAnew.self).map(\.place) == [5, 5])
    try store.close()
  }

  struct Five: CodableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var rank = 5
  }

  @Test(
    "R22: objects from before a member have what it began with, also once it is called otherwise",
    arguments: SeedExampleTests.timings)
  func addedAndRenamed(timing: Store.Configuration.MigrationTiming) throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, Bare(id: 1))
    try RenamedOntoMemberTests.put(fileSystem, 1, Five(id: 2))
    try RenamedOntoMemberTests.put(fileSystem, 2, RankedAnew(id: 3, place: 1))
    for version in [2, 3] as [UInt64] {
      let store = try MigrationOnceTests.open(fileSystem, [RankedAnew.self], version, timing)
      #expect(try ChangedKeyTests.all(store, RankedAnew.self).map(\.place) == [5, 5, 1])
      try store.close()
    }
  }
}
