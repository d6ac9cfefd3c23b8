import FileIO
import ObjectStore
import Testing

/// What an older app reads for nil, and does not change, stays nil, also where its author left
/// optional members out of it (decision 104).
@Suite struct OlderNilTests {
  static let home = FieldType.object([
    MemberShape("city", .string), MemberShape("zip", .optional(.int32)),
  ])
  static let place = FieldType.object([
    MemberShape("owner", .string), MemberShape("home", home),
  ])
  static let short: Value = .object(["city": "none"])
  static let whole: Value = .object(["city": "none", "zip": .null])
  static let base = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("name", .string)
      Field("home", home)
      Field("place", place)
      Field("places", .list(place))
    }
  }
  static let older = SchemaHistory { base }
  static let newer = SchemaHistory {
    base
    Version(1) {
      On("Person") {
        MakeOptional("home", readAs: short)
        On("place") { MakeOptional("home", readAs: short) }
        Each("places") { MakeOptional("home", readAs: short) }
      }
    }
  }

  private static func place(_ owner: String, _ home: Value) -> Value {
    .object(["owner": .string(owner), "home": home])
  }

  @Test("An older app that changes another member leaves nil as it is, of records and inside")
  func untouched() throws {
    let fileSystem = InMemoryFileSystem()
    var store = try NewerStoreTests.open(fileSystem, Self.newer)
    let town: Value = .object(["city": "town", "zip": 5])
    try NewerStoreTests.put(
      store, "Person",
      [
        "id": 1, "name": "a", "home": .null, "place": Self.place("p", .null),
        "places": .list([Self.place("x", .null), Self.place("y", town)]),
      ])
    try store.close()
    store = try NewerStoreTests.open(fileSystem, Self.older)
    var read = try #require(try NewerStoreTests.get(store, "Person", 1)).members
    #expect(read["home"] == Self.whole)
    #expect(read["place"] == Self.place("p", Self.whole))
    read["name"] = "b"
    read["place"] = Self.place("q", Self.whole)
    // Elements are the same, wherever they are now.
    read["places"] = .list([Self.place("y", town), Self.place("x", Self.whole)])
    try NewerStoreTests.put(store, "Person", read)
    try store.close()
    store = try NewerStoreTests.open(fileSystem, Self.newer)
    let after = try #require(try NewerStoreTests.get(store, "Person", 1)).members
    #expect(
      after == [
        "id": 1, "name": "b", "home": .null, "place": Self.place("q", .null),
        "places": .list([Self.place("y", town), Self.place("x", .null)]),
      ])
    try store.close()
  }
}
