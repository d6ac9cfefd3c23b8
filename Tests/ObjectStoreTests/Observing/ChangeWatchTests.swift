import FileIO
import StorageTestSupport
import Testing

@testable import LogStore
@testable import ObjectStore

extension Store {
  /// Writes from async code without going through the store's own thread.
  func writeNow(
    durability: Durability? = nil, _ body: (StoreTransaction) throws -> Void
  ) throws { try write(durability: durability, body) }
}

/// Who watches objects is told each commit that changed some, and no less.
@Suite("Watching objects tells every change that was committed")
struct ChangeWatchTests {
  struct Note: StorableObject, Equatable {
    static let primaryKey = "id"
    var id = 0
    var text = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("text", &text)
    }
  }

  struct Tag: StorableObject, Equatable {
    static let primaryKey = "name"
    static let indexes = [IndexDeclaration("weight")]
    var name = ""
    var weight = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("name", &name)
      try visitor.member("weight", &weight)
    }
  }

  struct Unknown: StorableObject {
    static let primaryKey = "id"
    var id = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("id", &id) }
  }

  struct GivenUp: Error {}

  static func open(
    _ fileSystem: any FileSystem = InMemoryFileSystem(),
    _ configuration: StoreConfiguration = .quiet
  ) throws -> Store {
    try Store.open(
      at: "/store", models: [Note.self, Tag.self], evolution: .additive,
      configuration: configuration, fileSystem: fileSystem)
  }

  static func notes(_ keys: Int...) -> Set<Link<Note>> { Set(keys.map { Link(key: $0) }) }

  /// What a watch of `sequence` would be told at once; nothing when nothing waits.
  static func waiting<Model>(_ sequence: ObjectChangeSequence<Model>) async -> ObjectChanges<Model>?
  {
    sequence.lease.watch.isRung ? await sequence.first { _ in true } : nil
  }

  @Test("Each way to change objects is told, and only to those who watch their type")
  func everyWay() async throws {
    let store = try Self.open()
    let (notes, tags) = (try store.changes(of: Note.self), try store.changes(of: Tag.self))
    func expect(
      _ noteKeys: Set<Int>, _ tagKeys: Set<String>,
      _ body: (StoreTransaction) throws -> Void, line: Int = #line
    ) async throws {
      try store.writeNow(body)
      let (noted, tagged) = (await Self.waiting(notes), await Self.waiting(tags))
      #expect((noted?.links ?? []) == Set(noteKeys.map { Link(key: $0) }), "line \(line)")
      #expect((tagged?.links ?? []) == Set(tagKeys.map { Link(key: $0) }), "line \(line)")
      #expect((noted == nil) == noteKeys.isEmpty && (tagged == nil) == tagKeys.isEmpty)
    }
    try await expect([1], []) { try $0.put(Note(id: 1)) }
    try await expect([2, 3, 4], []) { try $0.put(contentsOf: (2...4).map { Note(id: $0) }) }
    // With an index they are put one by one.
    try await expect([], ["a", "b"]) { transaction in
      try transaction.put(contentsOf: [Tag(name: "a", weight: 1), Tag(name: "b", weight: 2)])
    }
    try await expect([5], []) { try $0.insert(Note(id: 5)) }
    try await expect([6], []) { transaction in
      try transaction.put(
        try transaction.makeObject(ofType: "Note", ["id": .int(6), "text": .string("")]))
    }
    try await expect([7], []) { try $0.put([.int(7), .string("")], ofType: "Note") }
    try await expect([1, 2], ["b"]) { transaction in
      try transaction.delete(Note.self, 1)
      try transaction.delete(Note(id: 2))
      #expect(try transaction.delete(Tag.self, where: "weight", in: 2...) == 1)
    }
    try await expect([3], []) { try $0.delete(ofType: "Note", key: .int(3)) }
    try await expect([4, 5, 6, 7], []) { try $0.deleteAll(of: Note.self) }
    try await expect([], []) { _ = try $0.get(Tag.self, "a") }
    try await expect([], []) { _ in }
    try store.close()
  }

  @Test("A deletion that finds no object is not told where an index tells so")
  func nothingDeleted() async throws {
    let store = try Self.open()
    try store.writeNow { try $0.put(Tag(name: "a", weight: 1)) }
    let tags = try store.changes(of: Tag.self)
    try store.writeNow { transaction in
      try transaction.delete(Tag.self, "b")
      try transaction.delete(Tag(name: "c", weight: 1))
      try transaction.delete(ofType: "Tag", key: .string("d"))
    }
    #expect(!tags.lease.watch.isRung)
    // Twice, and what the transaction itself has put.
    try store.writeNow { transaction in
      for _ in 0..<2 { try transaction.delete(Tag.self, "a") }
      try transaction.put(Tag(name: "e", weight: 2))
      try transaction.delete(Tag.self, "e")
    }
    #expect(await Self.waiting(tags)?.links == [Link(key: "a"), Link(key: "e")])
    try store.close()
  }

  @Test("A deletion of what a step drops is told: it counts as an object until it goes")
  func droppedObjectDeleted() async throws {
    let base = Base(0) {
      Type("Tag", key: "name") {
        Field("name", .string)
        Field("weight", .int64)
      }
    }
    let fileSystem = InMemoryFileSystem()
    func open(_ history: SchemaHistory) throws -> Store {
      try Store.open(
        at: "/store", models: [Tag.self], history: history, configuration: .quiet,
        fileSystem: fileSystem)
    }
    var store = try open(SchemaHistory { base })
    try store.writeNow { try $0.put(Tag(name: "a")) }
    try store.close()
    store = try open(
      SchemaHistory {
        base
        Version(1) { On("Tag") { DropRecords(where: .member("weight").isEqual(to: 0)) } }
      })
    #expect(try store.snapshot().get(Tag.self, "a") == nil)
    let tags = try store.changes(of: Tag.self)
    try store.writeNow { try $0.deleteAll(of: Tag.self) }
    #expect(await Self.waiting(tags)?.links == [Link(key: "a")])
    try store.close()
  }

  @Test("What was not committed is not told: a body that throws, a change that is refused")
  func notCommitted() async throws {
    let store = try Self.open()
    let notes = try store.changes(of: Note.self)
    #expect(throws: GivenUp.self) {
      try store.writeNow { transaction in
        try transaction.put(Note(id: 1))
        throw GivenUp()
      }
    }
    await #expect(throws: GivenUp.self) {
      try await store.write { transaction in
        try transaction.put(Note(id: 2))
        throw GivenUp()
      }
    }
    #expect(!notes.lease.watch.isRung)
    try store.writeNow { transaction in
      try transaction.put(Note(id: 3))
      #expect(throws: StoreError.self) { try transaction.insert(Note(id: 3)) }
    }
    #expect(await Self.waiting(notes)?.links == Self.notes(3))
    try store.close()
  }

  @Test("A commit whose synchronization fails is not told")
  func failedSynchronization() async throws {
    let fileSystem = SimulatedFileSystem()
    let store = try Self.open(fileSystem)
    try store.writeNow { try $0.put(Note(id: 1)) }
    let notes = try store.changes(of: Note.self)
    fileSystem.setFaults([
      FaultPlan(
        operation: fileSystem.operationCount + 1, .failedSynchronization(.keptAndMarkedClean),
        isPermanent: true, kinds: [.synchronize])
    ])
    #expect(throws: StoreError.self) { try store.writeNow { try $0.put(Note(id: 2)) } }
    #expect(fileSystem.firedFaultCount > 0)
    #expect(!notes.lease.watch.isRung)
  }

  @Test("All commits since the last turn come together, also those before the loop began")
  func together() async throws {
    let store = try Self.open()
    let notes = try store.changes(of: Note.self)
    for key in 1...5 { try store.writeNow { try $0.put(Note(id: key)) } }
    try await store.write { try $0.delete(Note.self, 3) }
    var iterator = notes.makeAsyncIterator()
    let first = await iterator.next()
    #expect(first?.links == Self.notes(1, 2, 3, 4, 5))
    #expect(first?.contains(3) == true && first?.contains(6) == false)
    try store.writeNow { try $0.put(Note(id: 6)) }
    #expect(await iterator.next()?.links == Self.notes(6))
    try store.close()
    #expect(await iterator.next() == nil)
  }

  @Test("Two watches are told the same, and a snapshot that is taken then shows it")
  func twoWatches() async throws {
    let store = try Self.open()
    let watches = [try store.changes(of: Note.self), try store.changes(of: Note.self)]
    let tasks = watches.map { watch in
      Task {
        var texts: [String] = []
        for await change in watch {
          for link in change.links ?? [] {
            texts.append(try store.snapshot().get(link)?.text ?? "–")
          }
          if texts.last == "last" { break }
        }
        return texts.last
      }
    }
    for text in ["first", "second", "last"] {
      try await store.write { try $0.put(Note(id: 1, text: text)) }
    }
    for task in tasks { #expect(try await task.value == "last") }
    try store.close()
  }

  @Test("Beyond so many keys, or bytes of keys, any object may have changed; then it counts anew")
  func many() async throws {
    let store = try Self.open()
    let notes = try store.changes(of: Note.self)
    let most = ChangedKeys.countMaximum
    try store.writeNow { try $0.put(contentsOf: (0..<most).lazy.map { Note(id: $0) }) }
    #expect(notes.lease.watch.isRung)
    try store.writeNow { try $0.put(Note(id: 0)) }
    #expect(await Self.waiting(notes)?.links?.count == most)
    try store.writeNow { try $0.put(contentsOf: (0..<most).lazy.map { Note(id: $0) }) }
    try store.writeNow { try $0.delete(Note.self, most) }
    let change = await Self.waiting(notes)
    #expect(change != nil && change?.links == nil && change?.contains(-1) == true)
    try store.writeNow { try $0.put(Note(id: 7)) }
    #expect(await Self.waiting(notes)?.links == Self.notes(7))

    let tags = try store.changes(of: Tag.self)
    let long = String(repeating: "x", count: 4000)
    let few = ChangedKeys.byteCountMaximum / 4006
    try store.writeNow { try $0.put(contentsOf: (0..<few).map { Tag(name: long + "\($0)") }) }
    #expect(await Self.waiting(tags)?.links?.count == few)
    try store.writeNow { try $0.put(contentsOf: (0...few + 10).map { Tag(name: long + "\($0)") }) }
    let long2 = await Self.waiting(tags)
    #expect(long2 != nil && long2?.links == nil)
    try store.close()
  }

  @Test("A transaction that is written to disk as it grows is told when it is committed")
  func spilled() async throws {
    var configuration = StoreConfiguration.quiet
    configuration.log.transactionByteCountInMemory = 1 << 16
    let store = try Self.open(InMemoryFileSystem(), configuration)
    let notes = try store.changes(of: Note.self)
    let text = String(repeating: "y", count: 1000)
    try store.writeNow { transaction in
      for key in 0..<500 { try transaction.put(Note(id: key, text: text + "\(key)")) }
      #expect(!notes.lease.watch.isRung)
    }
    #expect(await Self.waiting(notes)?.links?.count == 500)
    try store.close()
  }

  @Test("Who begins to watch while a transaction runs is told that anything may have changed")
  func amidATransaction() async throws {
    let store = try Self.open()
    let (notes, tags) = try Self.watchingAmid(store)
    // The first had nobody before it; the second was there, but for another type.
    let (noted, tagged) = (await Self.waiting(notes), await Self.waiting(tags))
    #expect(noted?.links == nil && noted != nil && tagged?.links == nil && tagged != nil)
    try store.writeNow { try $0.put(Note(id: 3)) }
    #expect(await Self.waiting(notes)?.links == Self.notes(3))
    #expect(!tags.lease.watch.isRung)
    try store.close()
  }

  private static func watchingAmid(
    _ store: Store
  ) throws -> (ObjectChangeSequence<Note>, ObjectChangeSequence<Tag>) {
    let notes = try store.write { transaction in
      let notes = try store.changes(of: Note.self)
      try transaction.put(Note(id: 1))
      return notes
    }
    let tags = try store.write { transaction in
      let tags = try store.changes(of: Tag.self)
      try transaction.put(Tag(name: "a"))
      #expect(!tags.lease.watch.isRung)
      return tags
    }
    return (notes, tags)
  }

  @Test("A key is asked for as an integer of any width")
  func widths() async throws {
    let store = try Self.open()
    let notes = try store.changes(of: Note.self)
    try store.writeNow { try $0.put(Note(id: 7)) }
    let change = try #require(await Self.waiting(notes))
    #expect(change.contains(Int32(7)) && change.contains(7) && !change.contains(Int8(6)))
    #expect(!change.contains("7"))
    try store.close()
  }

  @Test("A model that the store was not opened with is refused")
  func unregistered() throws {
    let store = try Self.open()
    #expect(throws: StoreError.unregisteredModel(type: "Unknown")) {
      _ = try store.changes(of: Unknown.self)
    }
    #expect(throws: StoreError.unregisteredModel(type: "Unknown")) {
      _ = try store.values(watching: Note.self, Unknown.self) { _ in 0 }
    }
    try store.close()
  }
}
