import FileIO
import Foundation
import ObjectStore
import Testing

@Suite("Keys and links that no object can have")
struct ImpossibleKeyTests {
  struct Text: StorableObject, Equatable {
    static let primaryKey = "name"
    var name = ""
    var size = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("name", &name)
      try visitor.member("size", &size)
    }
  }

  struct Number: StorableObject, Equatable {
    static let primaryKey = "id"
    var id: Int32 = 0
    var text: Link<Text> = .placeholder
    var next: Link<Number> = .placeholder
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("text", &text)
      try visitor.member("next", &next)
    }
  }

  struct Blob: StorableObject, Equatable {
    static let primaryKey = "key"
    var key = Data()
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("key", &key) }
  }

  static func makeStore() throws -> Store {
    try Store.open(
      at: "/store", models: [Text.self, Number.self, Blob.self], evolution: .additive,
      configuration: .quiet, fileSystem: InMemoryFileSystem())
  }

  static func putOne(_ store: Store) throws {
    try store.write { transaction in
      try transaction.put(Text(name: "a"))
      try transaction.put(Number(id: 0, text: Link(key: "a")))
      try transaction.put(Blob(key: Data([1])))
    }
  }

  static let texts = ["", String(repeating: "x", count: 4097)]
  static let numbers = [1 << 31, -(1 << 40), Int.max]

  @Test("are absent for those who get or delete them, before the first object and afterwards")
  func absent() throws {
    let store = try Self.makeStore()
    for hasObjects in [false, true] {
      if hasObjects { try Self.putOne(store) }
      let snapshot = store.snapshot()
      for text in Self.texts {
        #expect(try snapshot.get(Text.self, text) == nil)
        #expect(try snapshot.get(Link<Text>(key: text)) == nil)
        #expect(try snapshot.object(ofType: "Text", key: .string(text)) == nil)
        #expect(try snapshot.get(Blob.self, Data(text.utf8)) == nil)
        try store.write { transaction in
          #expect(try transaction.get(Text.self, text) == nil)
          #expect(try transaction.get(Link<Text>(key: text)) == nil)
          try transaction.delete(Text.self, text)
          try transaction.delete(Blob.self, Data(text.utf8))
          try transaction.delete(ofType: "Text", key: .string(text))
        }
      }
      for number in Self.numbers {
        #expect(try snapshot.get(Number.self, number) == nil)
        try store.write { try $0.delete(Number.self, number) }
      }
      let keys = ["", "a", Self.texts[1], "b", "a", ""]
      let found = try snapshot.get(Text.self, keys: keys)
      #expect(
        found.map { $0?.name } == [nil, hasObjects ? "a" : nil, nil, nil, found[1]?.name, nil])
      #expect(try snapshot.get(Text.self, keys: [""]) == [nil])
      #expect(try snapshot.get(keys.map { Link<Text>(key: $0) }) == found)
    }
    try store.close()
  }

  @Test("are errors where an object would be stored, and so are keys of another kind")
  func mistakes() throws {
    let store = try Self.makeStore()
    try Self.putOne(store)
    let snapshot = store.snapshot()
    #expect(throws: StoreError.self) { try snapshot.get(Text.self, 5) }
    #expect(throws: StoreError.self) { try snapshot.get(Text.self, keys: [5]) }
    #expect(throws: StoreError.self) { try snapshot.get(Number.self, "") }
    #expect(throws: StoreError.self) { try snapshot.object(ofType: "Text", key: .null) }
    for text in Self.texts {
      #expect(throws: StoreError.self) { try store.write { try $0.put(Text(name: text)) } }
    }
    #expect(throws: StoreError.self) { try store.write { try $0.delete(Text.self, 5) } }
    #expect(throws: StoreError.self) { try store.write { try $0.delete(Number.self, "") } }
    try store.close()
  }

  @Test("A link that was never set leads to no object; stored, it is the key 0")
  func placeholders() throws {
    let store = try Self.makeStore()
    try Self.putOne(store)
    let unset = Number(id: 1)
    try store.write { transaction in
      #expect(try transaction.get(unset.next) == nil)
      #expect(try transaction.get(unset.text) == nil)
      #expect(try transaction.get(Link<Number>(key: Int32(0)))?.id == 0)
      try transaction.put(unset)
    }
    let snapshot = store.snapshot()
    #expect(try snapshot.get(unset.next) == nil)
    #expect(try snapshot.get(unset.text) == nil)
    let links = [unset.next, Link<Number>(key: Int32(0)), .placeholder, Link(key: Int32(1))]
    #expect(try snapshot.get(links).map { $0?.id } == [nil, 0, nil, 1])
    let stored = try #require(try snapshot.get(Number.self, 1 as Int32))
    #expect(try snapshot.get(stored.next)?.id == 0)
    #expect(try snapshot.get(stored.text) == nil)
    try store.close()
  }

  @Test("Counting gives the number of objects, in a transaction with its changes")
  func counting() throws {
    let store = try Self.makeStore()
    #expect(try store.snapshot().count(Text.self) == 0)
    try Self.putOne(store)
    try store.write { transaction in
      try transaction.put(Text(name: "b"))
      #expect(try transaction.count(Text.self) == 2)
      #expect(try transaction.count(ofType: "Text") == 2)
      #expect(try store.read { try $0.count(Text.self) } == 1)
      try transaction.delete(Text.self, "a")
      try transaction.put(Text(name: "c"))
    }
    #expect(try store.snapshot().count(Text.self) == 2)
    #expect(try store.snapshot().count(ofType: "Blob") == 1)
    #expect(throws: StoreError.self) { try store.snapshot().count(ofType: "Nothing") }
    try store.close()
  }
}
