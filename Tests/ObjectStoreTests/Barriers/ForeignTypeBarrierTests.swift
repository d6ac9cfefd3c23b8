import FileIO
import ObjectStore
import Testing

@Suite("Types that the history never had stay what they are when barriers run (R28)")
struct ForeignTypeBarrierTests {
  static func addingForeign(to fileSystem: InMemoryFileSystem) throws {
    let foo = try TypeShape(
      name: "Foo", identity: TypeIdentity(introducedIn: 0, originalName: "Foo"), keyMember: "id",
      members: [MemberShape("id", .int64), MemberShape("text", .string)])
    let store = try Store.open(
      at: "/people", adding: [foo], configuration: .quiet, fileSystem: fileSystem)
    try store.write { transaction in
      try transaction.put(transaction.makeObject(ofType: "Foo", ["id": 1, "text": "a"]))
    }
    try store.close()
  }

  @Test("The version of a barrier below the latest describes them, as the highest one stored")
  func belowTheLatest() throws {
    let fileSystem = try BarrierTests.makeStore()
    try Self.addingForeign(to: fileSystem)
    let history = SchemaHistory {
      BarrierTests.base
      Version(1) { Barrier("b", touching: "Person") { _ in } }
      Version(2) {}
    }
    try BarrierTests.open(fileSystem, history).close()
    let asStored = try Store.open(at: "/people", configuration: .quiet, fileSystem: fileSystem)
    #expect(asStored.schema.types.map(\.name).sorted() == ["Foo", "Person"])
    #expect(try asStored.snapshot().object(ofType: "Foo", key: 1)?["text"] == "a")
    try asStored.close()
    let store = try BarrierTests.open(fileSystem, history)
    #expect(try BarrierTests.all(store, "Foo").count == 1)
    try store.close()
  }

  @Test("One whose name the history gives to a type of its own does not come back by a barrier")
  func takenName() throws {
    let fileSystem = try BarrierTests.makeStore()
    try Self.addingForeign(to: fileSystem)
    let history = SchemaHistory {
      BarrierTests.base
      Version(1) { Barrier("b", touching: "Person") { _ in } }
      Version(2) { Type("Foo", key: "key") { Field("key", .string) } }
    }
    let store = try BarrierTests.open(fileSystem, history)
    #expect(try BarrierTests.all(store, "Foo").isEmpty)
    try store.close()
  }
}
