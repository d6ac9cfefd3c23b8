import FileIO
import LogStore
import ObjectStore
import StorageTestSupport
import Testing

/// An older app beside a newer one: what each type allows, and that nothing is lost.
@Suite struct NewerStoreTests {
  static let base = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("name", .string)
      Field("nick", .optional(.string))
      Field("age", .int32)
    }
    Type("Note", key: "id") {
      Field("id", .int64)
      Field("text", .string)
    }
    Type("Draft", key: "id") {
      Field("id", .int64)
      Field("text", .string)
    }
    Type("Tag", key: "id") {
      Field("id", .int64)
      Field("label", .string)
    }
  }
  static let older = SchemaHistory { base }
  static let newer = SchemaHistory {
    base
    Version(1) {
      On("Person") {
        Rename("name", to: "fullName")
        Add("email", .string, default: "none")
        Remove("nick")
        Widen("age", to: .int64)
      }
      On("Note") { MakeOptional("text") }
      On("Draft") { Convert("text", to: .int64) { (text: String) in text.count } }
      Type("Pet", key: "id") { Field("id", .int64) }
    }
    Version(2) { Rekey("Tag", to: "label") }
  }

  static func open(
    _ fileSystem: InMemoryFileSystem, _ history: SchemaHistory,
    _ newerStore: StoreConfiguration.NewerStore = .projected
  ) throws -> Store {
    var configuration = StoreConfiguration.quiet
    configuration.newerStore = newerStore
    return try Store.open(
      at: "/s", history: history, configuration: configuration, fileSystem: fileSystem)
  }

  static func put(_ store: Store, _ type: String, _ values: [String: Value]) throws {
    try store.write { try $0.put($0.makeObject(ofType: type, values)) }
  }

  static func get(_ store: Store, _ type: String, _ key: Value) throws -> DynamicObject? {
    try store.snapshot().object(ofType: type, key: key)
  }

  /// A store of the older app that the newer one went on with.
  static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    var store = try open(fileSystem, older)
    for id in 1...3 as ClosedRange<Int64> {
      try put(store, "Person", ["id": .int(id), "name": "Old", "nick": "O", "age": 30])
    }
    try put(store, "Tag", ["id": 1, "label": "a"])
    try store.close()
    store = try open(fileSystem, newer)
    try put(store, "Person", ["id": 1, "fullName": "Ada", "email": "ada@x", "age": 36])
    try put(store, "Person", ["id": 9, "fullName": "Big", "email": "b", "age": .int(1 << 40)])
    try put(store, "Note", ["id": 1, "text": .null])
    try put(store, "Note", ["id": 2, "text": "t"])
    try put(store, "Draft", ["id": 1, "text": 5])
    try put(store, "Pet", ["id": 1])
    try store.close()
    return fileSystem
  }

  @Test("R4: refused unless the app asks for it, and nothing changes")
  func refusedByDefault() throws {
    let fileSystem = try Self.makeStore()
    #expect(throws: StoreError.schema(.storeIsNewer(stored: 2, requested: 0))) {
      try Self.open(fileSystem, Self.older, .refused)
    }
  }

  @Test(
    "Grade full: read by what members are, and changed without losing what only the newer knows")
  func full() throws {
    let fileSystem = try Self.makeStore()
    var store = try Self.open(fileSystem, Self.older)
    let ada = try #require(try Self.get(store, "Person", 1))
    #expect(ada.members == ["id": 1, "name": "Ada", "nick": .null, "age": 36])
    #expect(try Self.get(store, "Person", 2)?["nick"] == "O")
    try Self.put(store, "Person", ["id": 1, "name": "Ada L", "nick": "A", "age": 37])
    try Self.put(store, "Person", ["id": 2, "name": "Bob", "nick": "B", "age": 1])
    try Self.put(store, "Person", ["id": 4, "name": "New", "nick": "N", "age": 2])
    #expect(try Self.get(store, "Person", 1)?["name"] == "Ada L")
    _ = try store.compact()
    #expect(try Self.get(store, "Person", 1)?["name"] == "Ada L")
    try store.close()

    store = try Self.open(fileSystem, Self.newer)
    let after = try #require(try Self.get(store, "Person", 1))
    #expect(after.members == ["id": 1, "fullName": "Ada L", "email": "ada@x", "age": 37])
    #expect(try Self.get(store, "Person", 2)?["fullName"] == "Bob")
    #expect(try Self.get(store, "Person", 4)?["email"] == "none")
    #expect(try Self.get(store, "Pet", 1) != nil)
    try store.close()
  }

  @Test("A value that does not fit is an error of that object, and others read on")
  func values() throws {
    let store = try Self.open(try Self.makeStore(), Self.older)
    do {
      _ = try Self.get(store, "Person", 9)
      Issue.record("the value was read")
    } catch StoreError.schema(.writtenByNewer(let type, let version, _)) {
      #expect(type == "Person")
      #expect(version == 2)
    }
    #expect(try Self.get(store, "Person", 3)?["name"] == "Old")
    try store.close()
  }

  @Test("Grade read only: what can be shown is, and nothing is written")
  func readOnly() throws {
    let fileSystem = try Self.makeStore()
    let store = try Self.open(fileSystem, Self.older)
    let before = try fileSystem.filesByName(in: "/s")
    #expect(try Self.get(store, "Note", 2)?["text"] == "t")
    #expect(throws: StoreError.self) { try Self.get(store, "Note", 1) }
    #expect(throws: StoreError.self) { try Self.put(store, "Note", ["id": 3, "text": "x"]) }
    #expect(throws: StoreError.self) {
      try store.write { try $0.delete(ofType: "Note", key: 2) }
    }
    #expect(try fileSystem.filesByName(in: "/s") == before)
    try store.close()
  }

  @Test("Grade refused: a type that means something else, or has other keys; others stay usable")
  func refused() throws {
    let store = try Self.open(try Self.makeStore(), Self.older)
    for type in ["Draft", "Tag"] {
      #expect(throws: StoreError.self) { try Self.get(store, type, 1) }
      #expect(throws: StoreError.self) { try store.snapshot().objects(ofType: type) }
      #expect(throws: StoreError.self) {
        try store.snapshot().objects(ofType: type, where: "id", selecting: .equal(to: 1))
      }
      #expect(throws: StoreError.self) { try Self.put(store, type, ["id": 1]) }
    }
    #expect(try Self.get(store, "Person", 1) != nil)
    try store.close()
  }

  @Test("Types that only the newer app has: what an older one writes of them, that one reads")
  func foreignTypes() throws {
    let fileSystem = try Self.makeStore()
    var store = try Self.open(fileSystem, Self.older)
    #expect(try Self.get(store, "Pet", 1) != nil)
    try Self.put(store, "Pet", ["id": 1])
    try Self.put(store, "Pet", ["id": 2])
    #expect(try Self.get(store, "Pet", 2) != nil)
    _ = try store.compact()
    try store.close()
    // Again, as the older app's version is described now.
    store = try Self.open(fileSystem, Self.older)
    try Self.put(store, "Pet", ["id": 3])
    try store.close()
    store = try Self.open(fileSystem, Self.newer)
    for id in 1...3 as ClosedRange<Int64> { #expect(try Self.get(store, "Pet", .int(id)) != nil) }
    #expect(try store.validate().failures.isEmpty)
    try store.migrate()
    _ = try store.compact()
    for id in 1...3 as ClosedRange<Int64> { #expect(try Self.get(store, "Pet", .int(id)) != nil) }
    try store.close()
  }
}
