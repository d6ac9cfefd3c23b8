import FileIO
import ObjectStore
import Testing

/// Older apps that read what newer versions took or changed, by `inverse:` and `readAs:`.
@Suite struct WayBackTests {
  static let base = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("name", .string)
      Field("age", .int32)
      Field("zip", .int64)
      Field("city", .string)
      Field("title", .string)
    }
    Type("Note", key: "id") {
      Field("id", .int64)
      Field("text", .string)
      Field("rank", .int64)
    }
  }
  static let older = SchemaHistory { base }
  static let newer = SchemaHistory {
    base
    Version(1) {
      On("Person") {
        Split(
          "name", into: "first", "last", at: " ",
          inverse: .join([.member("first"), .member("last")], separator: " "))
        Convert("zip", to: .string, inverse: ValueExpression.member("zip").parseInteger.orElse(-1))
        {
          (code: Int) in "\(code)"
        }
        Remove("title", readAs: "none")
      }
      On("Note") {
        MakeOptional("text", readAs: "empty")
        Rename("rank", to: "order")
      }
    }
    Version(2) {
      On("Person") {
        Rename("first", to: "given")
        Merge(
          "place", from: "zip", "city", separator: " ",
          inverse: [
            "zip": ValueExpression.member("place").textBefore(" "),
            "city": ValueExpression.member("place").textAfter(" "),
          ])
      }
    }
  }

  static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try NewerStoreTests.open(fileSystem, newer)
    try NewerStoreTests.put(
      store, "Person",
      ["id": 1, "given": "Ada", "last": "King", "age": 36, "place": "8000 Zurich"])
    try NewerStoreTests.put(store, "Note", ["id": 1, "text": .null, "order": 3])
    try NewerStoreTests.put(store, "Note", ["id": 2, "text": "t", "order": 4])
    try store.close()
    return fileSystem
  }

  @Test("Ways back lead over several versions, by what members are")
  func reads() throws {
    let store = try NewerStoreTests.open(try Self.makeStore(), Self.older)
    let ada = try #require(try NewerStoreTests.get(store, "Person", 1))
    #expect(
      ada.members
        == ["id": 1, "name": "Ada King", "age": 36, "zip": 8000, "city": "Zurich", "title": "none"])
    #expect(throws: StoreError.self) {
      try NewerStoreTests.put(store, "Person", ada.members)
    }
    try store.close()
  }

  @Test("Grade full: what was read for nil and not changed stays nil; what was changed is written")
  func optional() throws {
    let fileSystem = try Self.makeStore()
    var store = try NewerStoreTests.open(fileSystem, Self.older)
    let note = try #require(try NewerStoreTests.get(store, "Note", 1))
    #expect(note.members == ["id": 1, "text": "empty", "rank": 3])
    try NewerStoreTests.put(store, "Note", ["id": 1, "text": "empty", "rank": 5])
    try NewerStoreTests.put(store, "Note", ["id": 2, "text": "u", "rank": 6])
    try store.close()
    store = try NewerStoreTests.open(fileSystem, Self.newer)
    #expect(
      try NewerStoreTests.get(store, "Note", 1)?.members == ["id": 1, "text": .null, "order": 5])
    #expect(
      try NewerStoreTests.get(store, "Note", 2)?.members == ["id": 2, "text": "u", "order": 6])
    try store.close()
  }

  @Test("A way back that has no value for one object is an error of that object")
  func failing() throws {
    let fileSystem = try Self.makeStore()
    var store = try NewerStoreTests.open(fileSystem, Self.newer)
    try NewerStoreTests.put(
      store, "Person", ["id": 2, "given": "B", "last": "C", "age": 1, "place": "nowhere"])
    try store.close()
    store = try NewerStoreTests.open(fileSystem, Self.older)
    do {
      _ = try NewerStoreTests.get(store, "Person", 2)
      Issue.record("it was read")
    } catch StoreError.schema(.writtenByNewer(let type, let version, let reason)) {
      #expect(type == "Person")
      #expect(version == 2)
      #expect(reason.contains("city of 2 cannot be read back"))
    }
    #expect(try NewerStoreTests.get(store, "Person", 1) != nil)
    try store.close()
  }

  @Test("Grades: reading alone for ways back, everything for nil that is read as a value")
  func grades() throws {
    let person = TypeIdentity(introducedIn: 0, originalName: "Person")
    let note = TypeIdentity(introducedIn: 0, originalName: "Note")
    #expect(Self.newer.issues == [])
    #expect(Self.newer.forwardGrade(of: person, since: 0) == .readOnly)
    #expect(Self.newer.forwardGrade(of: note, since: 0) == .full)
    let codes = Set(try Self.newer.check(.forward, since: 0).map(\.code))
    #expect(codes == [.readOnlyInverse])
    #expect(
      try Self.newer.check(.additive, since: 0).contains { $0.code == .optionalityLoosened })
  }
}
