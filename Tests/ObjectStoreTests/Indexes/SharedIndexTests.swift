import FileIO
import Foundation
import LogStore
import SchemaRegistry
import Testing

@testable import ObjectStore

/// Apps that cannot upgrade the same objects share an index: whoever made it, look-ups are right.
@Suite("Indexes that another app made")
struct SharedIndexTests {
  struct OldNote: StorableObject {
    static let typeName = "Note"
    static let primaryKey = "id"
    static let indexes: [IndexDeclaration] = [.unique("text")]
    var id = 0
    var text = ""
    var size: Int32 = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("text", &text)
      try visitor.member("size", &size)
    }
  }

  struct Note: StorableObject {
    static let primaryKey = "id"
    static let indexes: [IndexDeclaration] = [.unique("text")]
    var id = 0
    var text = ""
    var size = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("text", &text)
      try visitor.member("size", &size)
    }
  }

  /// The old one without an index.
  struct PlainNote: StorableObject {
    static let typeName = "Note"
    static let primaryKey = "id"
    var id = 0
    var text = ""
    var size: Int32 = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("text", &text)
      try visitor.member("size", &size)
    }
  }

  static let base = Base(0) {
    Type("Note", key: "id") {
      Field("id", .int64)
      Field("text", .string)
      Field("size", .int32)
    }
  }
  static let widened = SchemaHistory {
    base
    Version(1) { On("Note") { Widen("size", to: .int64) } }
  }
  static let coded = SchemaHistory {
    base
    Version(1) { On("Note") { Convert("size", to: .int64) { (size: Int32) in Int64(size) } } }
  }

  static func open(
    _ fileSystem: InMemoryFileSystem, _ models: [any StorableObject.Type], _ history: SchemaHistory
  ) throws -> Store {
    var configuration = StoreConfiguration.quiet
    configuration.newerStore = .projected
    return try Store.open(
      at: "/s", models: models, history: history, configuration: configuration,
      fileSystem: fileSystem)
  }

  /// The keys of the objects that are found, and −1 for each failure, as they come.
  static func found(
    _ store: Store, _ selection: MemberSelection, _ order: KeyOrder = .ascending
  ) throws -> [Value] {
    let cursor = try store.snapshot().objects(
      ofType: "Note", where: "text", selecting: selection, order: order)
    var keys: [Value] = []
    while true {
      do throws(StoreError) {
        guard let object = try cursor.next() else { return keys }
        keys.append(object.key)
      } catch { keys.append(-1) }
    }
  }

  /// How many objects the only index has without a value, and with one.
  static func counts(_ store: Store) throws -> [Int] {
    let index = try #require(store.reader.catalog.indexes.first { $0.phase == .ready })
    let cursor = try store.log.snapshot().records(in: index.collection)
    var counts = [0, 0]
    while let next = try cursor.next() {
      counts[next.key.starts(with: IndexedValueCoding.unknown) ? 0 : 1] += 1
    }
    return counts
  }

  /// A store whose objects a newer app put, and whose index an older app made: it cannot read the
  /// sizes of two of the three.
  static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let newer = try open(fileSystem, [], widened)
    try newer.write { transaction in
      for (id, text, size) in [(1, "b", 1 << 40), (2, "a", 5), (3, "c", 1 << 40)] {
        try transaction.put(
          transaction.makeObject(
            ofType: "Note",
            ["id": .int(Int64(id)), "text": .string(text), "size": .int(Int64(size))]))
      }
    }
    try newer.close()
    let older = try open(fileSystem, [OldNote.self], SchemaHistory { base })
    try older.buildIndexes()
    #expect(older.incompleteIndexes == [])
    #expect(try counts(older) == [2, 1])
    #expect(try found(older, .between()) == [2, -1, -1])
    try older.close()
    return fileSystem
  }

  static func expectRefused(
    _ store: Store, _ note: Note, other: String, _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(
      throws: StoreError.notUnique(type: "Note", member: "text", keyText: other),
      sourceLocation: location
    ) {
      try store.write { try $0.put(note) }
    }
  }

  @Test(
    "R37, R38: objects that the older app could not read stand among the others, and are unique")
  func olderAppBuilds() throws {
    let store = try Self.open(try Self.makeStore(), [Note.self], Self.widened)
    #expect(store.incompleteIndexes == [])
    #expect(try Self.found(store, .equal(to: "b")) == [1])
    #expect(try Self.found(store, .between()) == [2, 1, 3])
    #expect(try Self.found(store, .between(), .descending) == [3, 1, 2])
    #expect(try Self.found(store, .between(.including("b"), .excluding("c"))) == [1])
    #expect(try Self.found(store, .prefix("c")) == [3])
    #expect(try Self.found(store, .equal(to: "d")) == [])
    Self.expectRefused(store, Note(id: 4, text: "b"), other: "1")
    Self.expectRefused(store, Note(id: 2, text: "c"), other: "3")
    try store.close()
  }

  @Test("R37: the older app finds what it cannot read by what it can, with an index and without")
  func olderAppLooksUp() throws {
    let fileSystem = try Self.makeStore()
    for model in [OldNote.self, PlainNote.self] as [any StorableObject.Type] {
      let store = try Self.open(fileSystem, [model], SchemaHistory { Self.base })
      #expect(try Self.found(store, .equal(to: "a")) == [2])
      #expect(try Self.found(store, .equal(to: "b")) == [-1])
      #expect(try Self.found(store, .equal(to: "d")) == [])
      #expect(try Self.found(store, .between(), .descending) == [2, -1, -1])
      try store.close()
    }
    let store = try Self.open(fileSystem, [OldNote.self], SchemaHistory { Self.base })
    #expect(throws: StoreError.notUnique(type: "Note", member: "text", keyText: "1")) {
      try store.write { try $0.put(OldNote(id: 4, text: "b")) }
    }
    try store.close()
  }

  @Test("R37: a change puts the object's value in the place of what says that it is not known")
  func changes() throws {
    let store = try Self.open(try Self.makeStore(), [Note.self], Self.widened)
    // The same text as before.
    try store.write { try $0.put(Note(id: 1, text: "b", size: 6)) }
    #expect(try Self.counts(store) == [1, 2])
    #expect(try Self.found(store, .between()) == [2, 1, 3])
    try store.write { try $0.put(Note(id: 3, text: "0", size: 6)) }
    #expect(try Self.counts(store) == [0, 3])
    #expect(try Self.found(store, .between()) == [3, 2, 1])
    try store.close()
  }

  @Test("R37: who is gone leaves nothing in the index, though its value was not known")
  func deletes() throws {
    let store = try Self.open(try Self.makeStore(), [Note.self], Self.widened)
    try store.write { try $0.delete(Note.self, 1) }
    #expect(try Self.counts(store) == [1, 1])
    #expect(try Self.found(store, .between()) == [2, 3])
    try store.write { try $0.put(Note(id: 4, text: "b")) }
    try store.close()
  }

  @Test("R37: building gives objects of a complete index the values that are known now")
  func building() throws {
    let fileSystem = try Self.makeStore()
    var store = try Self.open(fileSystem, [Note.self], Self.widened)
    #expect(try store.buildIndexes().objectCount == 2)
    #expect(try Self.counts(store) == [0, 3])
    #expect(try store.buildIndexes().objectCount == 0)
    #expect(try Self.found(store, .between()) == [2, 1, 3])
    try store.close()
    // What only the older app cannot read comes last, as in a walk over all objects.
    store = try Self.open(fileSystem, [OldNote.self], SchemaHistory { Self.base })
    #expect(store.incompleteIndexes == [])
    #expect(try Self.found(store, .between()) == [2, -1, -1])
    #expect(try store.buildIndexes().objectCount == 0)
    try store.close()
  }

  @Test("R37: a tool that reads objects as they are stored writes what they hold from then on")
  func tool() throws {
    let fileSystem = InMemoryFileSystem()
    let changed = SchemaHistory {
      Self.base
      Version(1) {
        On("Note") {
          Widen("size", to: .int64)
          Convert("text", to: .string) { (text: String) in text.uppercased() }
        }
      }
    }
    let values: [String: Value] = ["id": 1, "text": "a", "size": 1]
    var store = try Self.open(fileSystem, [], SchemaHistory { Self.base })
    try store.write { try $0.put($0.makeObject(ofType: "Note", values)) }
    try store.close()
    store = try Self.open(fileSystem, [Note.self], changed)
    try store.buildIndexes()
    #expect(try Self.found(store, .equal(to: "A")) == [1])
    try store.close()
    // The text is the stored one, which from now on means itself.
    store = try Store.open(at: "/s", configuration: .quiet, fileSystem: fileSystem)
    try store.write { try $0.put($0.makeObject(ofType: "Note", values)) }
    try store.close()
    store = try Self.open(fileSystem, [Note.self], changed)
    #expect(store.incompleteIndexes == [])
    #expect(try Self.found(store, .equal(to: "a")) == [1])
    #expect(try Self.found(store, .between()) == [1])
    Self.expectRefused(store, Note(id: 2, text: "a"), other: "1")
    try store.close()
  }

  @Test("R37: an index made by who has a history without its code, and asked by who has the code")
  func withoutCode() throws {
    let fileSystem = InMemoryFileSystem()
    var store = try Self.open(fileSystem, [], SchemaHistory { Self.base })
    try store.write { transaction in
      for id in 1...3 as ClosedRange<Int64> {
        try transaction.put(
          transaction.makeObject(
            ofType: "Note", ["id": .int(id), "text": .string("\(9 - id)"), "size": 1]))
      }
    }
    try store.close()
    let file = try JSONEncoder().encode(HistoryDocument(Self.coded))
    let described = try JSONDecoder().decode(HistoryDocument.self, from: file).history
    store = try Self.open(fileSystem, [Note.self], described)
    try store.buildIndexes()
    #expect(try Self.counts(store) == [3, 0])
    try store.close()
    store = try Self.open(fileSystem, [Note.self], Self.coded)
    #expect(store.incompleteIndexes == [])
    #expect(try Self.found(store, .equal(to: "7")) == [2])
    #expect(try Self.found(store, .between()) == [3, 2, 1])
    Self.expectRefused(store, Note(id: 4, text: "7"), other: "2")
    try store.buildIndexes()
    #expect(try Self.counts(store) == [0, 3])
    try store.write { try $0.put(Note(id: 3, text: "9")) }
    try store.close()
    // The other way round: failures come last, whatever the index has.
    store = try Self.open(fileSystem, [Note.self], described)
    #expect(try Self.found(store, .between()) == [3, -1, -1])
    try store.close()
  }
}
