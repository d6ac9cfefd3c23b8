import FileIO
import Foundation
import ObjectStore
import Testing

@Suite("What apps do every day, in one line")
struct EverydayTests {
  struct Note: StorableObject, Codable, Equatable {
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("folder"), .unique("slug")]
    var id = 0
    var folder = ""
    var slug: String?
    var size = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("folder", &folder)
      try visitor.member("slug", &slug)
      try visitor.member("size", &size)
    }
  }

  /// Notes 0 to 9, of which every third is in folder "a".
  static func makeStore(_ configuration: StoreConfiguration = .quiet) throws -> Store {
    let store = try Store.open(
      at: "/s", models: [Note.self], evolution: .additive, configuration: configuration,
      fileSystem: InMemoryFileSystem())
    try store.write { transaction in
      for id in 0..<10 {
        try transaction.put(
          Note(id: id, folder: id % 3 == 0 ? "a" : "b", slug: "s\(id)", size: id))
      }
    }
    return store
  }

  @Test("Cursors give all that is left, the first of it, or each to a closure")
  func cursors() throws {
    let snapshot = try Self.makeStore().snapshot()
    #expect(try snapshot.objects(Note.self).all().map(\.id) == Array(0..<10))
    #expect(try snapshot.objects(Note.self, order: .descending).first()?.id == 9)
    #expect(try snapshot.objects(Note.self, in: 20...).first() == nil)
    let cursor = try snapshot.objects(Note.self, where: "folder", equals: "a")
    #expect(try cursor.first()?.id == 0)
    #expect(try cursor.all().map(\.id) == [3, 6, 9])
    #expect(try cursor.all() == [])
    var keys: [Value] = []
    try snapshot.objects(ofType: "Note").each { keys.append($0.key) }
    #expect(keys == (0..<10).map { .int($0) })
    #expect(
      try snapshot.objects(ofType: "Note", where: "folder", selecting: .equal(to: "a")).all()
        .map(\.key) == [0, 3, 6, 9])
    struct Stop: Error {}
    #expect(throws: Stop.self) { try snapshot.objects(Note.self).each { _ in throw Stop() } }
  }

  @Test("Objects with one value come in either order of their keys")
  func order() throws {
    let snapshot = try Self.makeStore().snapshot()
    let sizes = try snapshot.objects(Note.self, where: "size", equals: 7, order: .descending)
    #expect(try sizes.all().map(\.id) == [7])
    let found = try snapshot.objects(
      Note.self, where: "folder", equals: "a", order: .descending)
    #expect(try found.all().map(\.id) == [9, 6, 3, 0])
  }

  @Test("Inserting refuses a key that an object has, and says which")
  func insert() throws {
    let store = try Self.makeStore()
    try store.write { transaction in
      try transaction.insert(Note(id: 10, slug: "s10"))
      #expect(throws: StoreError.alreadyExists(type: "Note", keyText: "10")) {
        try transaction.insert(Note(id: 10, slug: "other"))
      }
      #expect(throws: StoreError.alreadyExists(type: "Note", keyText: "3")) {
        try transaction.insert(Note(id: 3))
      }
      try transaction.delete(Note.self, 3)
      try transaction.insert(Note(id: 3, slug: "new"))
    }
    #expect(try store.snapshot().get(Note.self, 3)?.slug == "new")
    #expect(try store.snapshot().get(Note.self, 10)?.slug == "s10")
    #expect(
      StoreError.alreadyExists(type: "Note", keyText: "3").description
        == "there is a Note 3 already; the object was not stored. Put it to replace that "
        + "one, or choose another key")
  }

  @Test("An object is deleted by itself, whatever else it holds")
  func deleteObject() throws {
    let store = try Self.makeStore()
    try store.write { transaction in
      try transaction.delete(Note(id: 4, folder: "other"))
      try transaction.delete(Note(id: 400))
    }
    let snapshot = store.snapshot()
    #expect(try snapshot.count(Note.self) == 9)
    #expect(try snapshot.get(Note.self, 4) == nil)
    #expect(try snapshot.objects(Note.self, where: "slug", equals: "s4").all() == [])
  }

  @Test("All objects of a type go at once, and of those looked up, with their index keys")
  func deleteMany() throws {
    let store = try Self.makeStore()
    try store.write { (transaction) throws in
      #expect(try transaction.delete(Note.self, where: "folder", equals: "a") == 4)
      #expect(try transaction.delete(Note.self, where: "folder", equals: "a") == 0)
      #expect(try transaction.delete(Note.self, where: "size", in: 7...) == 2)
      #expect(try transaction.delete(Note.self, where: "slug", selecting: .prefix("s1")) == 1)
    }
    #expect(try store.snapshot().objects(Note.self).all().map(\.id) == [2, 4, 5])
    try store.write { transaction in
      try transaction.put(Note(id: 11))
      #expect(try transaction.deleteAll(of: Note.self) == 4)
      #expect(try transaction.deleteAll(of: Note.self) == 0)
      // What was unique is free again.
      try transaction.insert(Note(id: 1, slug: "s2"))
    }
    #expect(try store.snapshot().objects(Note.self).all().map(\.id) == [1])
    #expect(try store.snapshot().objects(Note.self, where: "folder", equals: "b").all() == [])
  }

  @Test("More than a transaction keeps in memory is deleted all the same")
  func deleteBeyondMemory() throws {
    var configuration = StoreConfiguration.quiet
    configuration.log.transactionByteCountInMemory = 64 << 10
    let store = try Self.makeStore(configuration)
    try store.write { transaction in
      for id in 0..<20_000 {
        try transaction.put(Note(id: id, folder: id % 2 == 0 ? "a" : "b", slug: "s\(id)"))
      }
    }
    let half = try store.write { try $0.delete(Note.self, where: "folder", equals: "a") }
    #expect(half == 10_000)
    #expect(try store.snapshot().count(Note.self) == 10_000)
    #expect(try store.write { try $0.deleteAll(of: Note.self) } == 10_000)
    #expect(try store.snapshot().count(Note.self) == 0)
  }

  struct Keyed<Key: StorableKey & PlaceholderValue & Codable & Equatable>: StorableObject {
    static var typeName: String { "Keyed" }
    static var primaryKey: String { "id" }
    var id = Key.placeholder
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("id", &id) }
  }

  struct Holder<Key: StorableKey & PlaceholderValue & Codable & Equatable>: Codable, Equatable {
    var link: Link<Keyed<Key>>
    var several: [Link<Keyed<Key>>] = []
    var none: Link<Keyed<Key>>?
  }

  static func json<Key: StorableKey & PlaceholderValue & Codable & Equatable>(
    _ key: Key
  ) throws -> String {
    let holder = Holder<Key>(link: Link(key: key), several: [Link(key: key)])
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(holder)
    #expect(try JSONDecoder().decode(Holder<Key>.self, from: data) == holder)
    return String(decoding: data, as: UTF8.self)
  }

  @Test("A link is encoded as its bare key, and read from it, for each type of key")
  func links() throws {
    #expect(try Self.json(7) == #"{"link":7,"several":[7]}"#)
    #expect(try Self.json(-7 as Int32) == #"{"link":-7,"several":[-7]}"#)
    #expect(try Self.json("a") == #"{"link":"a","several":["a"]}"#)
    #expect(try Self.json(Data([1, 2])) == #"{"link":"AQI=","several":["AQI="]}"#)
    let text = "B4D8F1A0-0000-4000-8000-000000000001"
    let uuid = try #require(UUID(uuidString: text))
    #expect(try Self.json(uuid) == "{\"link\":\"\(text)\",\"several\":[\"\(text)\"]}")
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Link<Keyed<Int>>.self, from: Data(#""a""#.utf8))
    }
  }
}
