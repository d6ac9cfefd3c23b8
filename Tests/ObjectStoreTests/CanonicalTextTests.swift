import FileIO
import ObjectStore
import SchemaRegistry
import Testing

/// Texts that Swift calls equal are two values where their bytes differ, wherever values are
/// compared.
@Suite("Texts are told apart by their bytes")
struct CanonicalTextTests {
  static let composed = "caf\u{E9}"
  static let decomposed = "cafe\u{301}"

  @Test("Values are equal where they are stored as the same bytes")
  func values() {
    let makers: [(String) -> Value] = [
      { .string($0) }, { .list([.string($0)]) }, { .dictionary(["a": .string($0)]) },
      { .dictionary([$0: 1]) }, { .object(["a": .list([.string($0)])]) },
    ]
    for make in makers {
      let pair = [make(Self.composed), make(Self.decomposed)]
      #expect(pair[0] != pair[1])
      #expect(Set(pair).count == 2)
      #expect(pair == [make(Self.composed), make("cafe" + "\u{301}")])
      #expect(Set(pair + [make(Self.composed)]).count == 2)
    }
    #expect(Value.dictionary(["a": 1, "b": 2]) == .dictionary(["b": 2, "a": 1]))
    #expect(Value.dictionary(["a": 1]) != .dictionary(["b": 1]))
  }

  @Test("P14: what an older app writes is kept, where it is canonically equal to what was there")
  func olderApp() throws {
    let fileSystem = InMemoryFileSystem()
    let newer = SchemaHistory {
      NewerStoreTests.base
      Version(1) { On("Note") { MakeOptional("text", readAs: "") } }
    }
    var store = try NewerStoreTests.open(fileSystem, newer)
    try NewerStoreTests.put(store, "Note", ["id": 7, "text": .string(Self.composed)])
    try store.close()
    store = try NewerStoreTests.open(fileSystem, NewerStoreTests.older)
    try NewerStoreTests.put(store, "Note", ["id": 7, "text": .string(Self.decomposed)])
    let note = try NewerStoreTests.get(store, "Note", 7)
    #expect(note?["text"] == .string(Self.decomposed))
    try store.close()
  }

  @Test("R12: DropRecords drops the objects that a look-up by the same value finds")
  func dropped() throws {
    let base = Base(0) {
      Type("Item", key: "id") {
        Field("id", .int64)
        Field("code", .string)
      }
    }
    let fileSystem = InMemoryFileSystem()
    var store = try NewerStoreTests.open(fileSystem, SchemaHistory { base })
    try NewerStoreTests.put(store, "Item", ["id": 1, "code": .string(Self.composed)])
    try NewerStoreTests.put(store, "Item", ["id": 2, "code": .string(Self.decomposed)])
    try store.close()
    store = try NewerStoreTests.open(
      fileSystem,
      SchemaHistory {
        base
        Version(1) {
          On("Item") { DropRecords(where: .member("code").isEqual(to: .string(Self.composed))) }
        }
      })
    #expect(try NewerStoreTests.get(store, "Item", 1) == nil)
    #expect(try NewerStoreTests.get(store, "Item", 2)?["code"] == .string(Self.decomposed))
    try store.close()
  }

  struct Named: CodableObject, Equatable {
    static let primaryKey = "id"
    var id = 0
    var text = CanonicalTextTests.composed
  }

  @Test("A CodableObject is read as it was stored, where it equals what init() makes")
  func codable() throws {
    let store = try Store.open(
      at: "/s", models: [Named.self], evolution: .additive, configuration: .quiet,
      fileSystem: InMemoryFileSystem())
    try store.write { try $0.put(Named(id: 0, text: Self.decomposed)) }
    let found = try store.snapshot().get(Named.self, 0)
    #expect(found.map { Array($0.text.utf8) } == Array(Self.decomposed.utf8))
    try store.close()
  }
}
