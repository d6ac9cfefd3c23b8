import FileIO
import ObjectStore
import Testing

/// An older app beside a newer one whose enumerations have other cases.
@Suite struct OlderCasesTests {
  static let base = Base(0) {
    Type("Order", key: "id") {
      Field("id", .int64)
      Field("status", .string, cases: ["new", "paid", "void"])
      Field("note", .string)
    }
  }
  static let older = SchemaHistory { base }

  static func newer(_ versions: Version...) -> SchemaHistory {
    SchemaHistory(base: base, versions: versions)
  }

  /// A store to which the newer app wrote an order for each status.
  static func makeStore(_ history: SchemaHistory, _ statuses: Value...) throws -> InMemoryFileSystem
  {
    let fileSystem = InMemoryFileSystem()
    let store = try NewerStoreTests.open(fileSystem, history)
    for (id, status) in statuses.enumerated() { try put(store, id, status) }
    try store.close()
    return fileSystem
  }

  static func put(_ store: Store, _ id: Int, _ status: Value, note: Value = "") throws {
    try NewerStoreTests.put(
      store, "Order", ["id": .int(Int64(id)), "status": status, "note": note])
  }

  static func statuses(_ store: Store, count: Int) throws -> [Value?] {
    try (0..<count).map {
      try NewerStoreTests.get(store, "Order", .int(Int64($0)))?.members["status"]
    }
  }

  @Test("Grade full: an added case is read as another, and stays while nobody changes it")
  func readAs() throws {
    let history = Self.newer(
      Version(1) { On("Order") { AddCases("status", ["refunded"], readAs: "paid") } },
      Version(2) { On("Order") { AddCases("status", ["lost"], readAs: "refunded") } })
    let fileSystem = try Self.makeStore(history, "new", "refunded", "lost")
    var store = try NewerStoreTests.open(fileSystem, Self.older)
    #expect(try Self.statuses(store, count: 3) == ["new", "paid", "paid"])
    try Self.put(store, 1, "paid", note: "seen")
    try Self.put(store, 2, "void")
    try store.close()
    store = try NewerStoreTests.open(fileSystem, history)
    #expect(try Self.statuses(store, count: 3) == ["new", "refunded", "void"])
    #expect(try NewerStoreTests.get(store, "Order", 1)?.members["note"] == "seen")
    try store.close()
  }

  @Test("Grade full: an older app writes no value that is no case there, or is read as another")
  func written() throws {
    let history = Self.newer(
      Version(1) { On("Order") { AddCases("status", ["refunded"], readAs: "paid") } },
      Version(2) {
        On("Order") {
          Rename("status", to: "state")
          MakeOptional("state", readAs: "new")
        }
      })
    let fileSystem = InMemoryFileSystem()
    var store = try NewerStoreTests.open(fileSystem, history)
    try NewerStoreTests.put(store, "Order", ["id": 0, "state": .null, "note": ""])
    try NewerStoreTests.put(store, "Order", ["id": 1, "state": "refunded", "note": ""])
    try store.close()
    store = try NewerStoreTests.open(fileSystem, Self.older)
    #expect(try Self.statuses(store, count: 2) == ["new", "paid"])
    let refused: [(Value, String)] = [
      ("odd", "status cannot take this string, which is no case there"),
      ("refunded", "status cannot take this string, which would be read back as another value"),
    ]
    for (value, wanted) in refused {
      do {
        try Self.put(store, 0, value)
        Issue.record("it was written")
      } catch StoreError.schema(.writtenByNewer(let type, let version, let reason)) {
        #expect(type == "Order")
        #expect(version == 2)
        #expect(reason == wanted)
      }
    }
    try Self.put(store, 0, "void")
    try Self.put(store, 1, "paid", note: "seen")
    // An object of its own is in its own version, and is upgraded.
    try Self.put(store, 2, "void")
    #expect(try Self.statuses(store, count: 3) == ["void", "paid", "void"])
    try store.close()
    store = try NewerStoreTests.open(fileSystem, history)
    let states = try (0..<3).map {
      try NewerStoreTests.get(store, "Order", .int(Int64($0)))?.members["state"]
    }
    #expect(states == ["void", "refunded", "void"])
    try store.close()
  }

  @Test("A case that went and came back is not written by an app that knew the old one")
  func comingBack() throws {
    let first = Version(1) { On("Order") { RemoveCase("status", "void", to: "paid") } }
    let history = Self.newer(
      first, Version(2) { On("Order") { AddCases("status", ["void"], readAs: "new") } })
    let fileSystem = try Self.makeStore(history, "void", "paid")
    var store = try NewerStoreTests.open(fileSystem, Self.older)
    #expect(try Self.statuses(store, count: 2) == ["new", "paid"])
    #expect(throws: StoreError.self) { try Self.put(store, 1, "void") }
    try store.close()
    store = try NewerStoreTests.open(fileSystem, Self.newer(first))
    try Self.put(store, 1, "new")
    #expect(throws: StoreError.self) { try Self.put(store, 1, "void") }
    #expect(try Self.statuses(store, count: 2) == ["new", "new"])
    try store.close()
  }

  @Test("A value that was never declared stays readable to the app that wrote it")
  func undeclared() throws {
    let plain = Base(0) {
      Type("Order", key: "id") {
        Field("id", .int64)
        Field("status", .string)
        Field("note", .string)
      }
    }
    let fileSystem = InMemoryFileSystem()
    var store = try NewerStoreTests.open(fileSystem, SchemaHistory { plain })
    try Self.put(store, 0, "odd")
    try store.close()
    // The declaration comes late, and forgets what an early build wrote.
    let history = Self.newer(
      Version(1) { On("Order") { AddCases("status", ["refunded"], readAs: "paid") } })
    store = try NewerStoreTests.open(fileSystem, history)
    try Self.put(store, 0, "odd", note: "seen")
    try store.close()
    store = try NewerStoreTests.open(fileSystem, SchemaHistory { plain })
    #expect(try Self.statuses(store, count: 1) == ["odd"])
    try Self.put(store, 0, "odd", note: "again")
    #expect(try Self.statuses(store, count: 1) == ["odd"])
    try store.close()
  }

  @Test("Read only: a case with another name is read by its old one; added ones without readAs too")
  func readOnly() throws {
    let renamed = Self.newer(
      Version(1) { On("Order") { RenameCase("status", "void", to: "gone") } })
    var store = try NewerStoreTests.open(
      try Self.makeStore(renamed, "gone", "new"), Self.older)
    #expect(try Self.statuses(store, count: 2) == ["void", "new"])
    #expect(throws: StoreError.self) { try Self.put(store, 1, "paid") }
    try store.close()
    let added = Self.newer(Version(1) { On("Order") { AddCases("status", ["refunded"]) } })
    store = try NewerStoreTests.open(try Self.makeStore(added, "new"), Self.older)
    #expect(try Self.statuses(store, count: 1) == ["new"])
    #expect(throws: StoreError.self) { try Self.put(store, 0, "paid") }
    try store.close()
  }
}
