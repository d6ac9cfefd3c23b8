import FileIO
import StorageTestSupport
import Testing

@testable import LogStore
@testable import ObjectStore

/// Look-ups that were begun, and a limit of the age of snapshots.
@Suite("A look-up that was begun goes on, however old its snapshot is")
struct ExpiredLookupTests {
  struct Note: StorableObject, Equatable {
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("size"), IndexDeclaration("tags")]
    var id = 0
    var size = 0
    var tags: [String] = []
    var text = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("size", &size)
      try visitor.member("tags", &tags)
      try visitor.member("text", &text)
    }
  }

  struct Never: StorableObject {
    static let primaryKey = "id"
    var id = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("id", &id) }
  }

  /// With an index, by elements in one, without one, and by the primary key.
  static let selections: [(String, MemberSelection)] = [
    ("size", .between()), ("tags", .containing("a")), ("text", .equal(to: "t")),
    ("id", .between(.including(0))),
  ]

  private let time = ManualTimeSource()

  /// A store of eight objects that all selections find, in the order of their keys.
  private func makeStore() throws -> Store {
    var settings = StoreConfiguration.quiet
    settings.log.timeSource = time
    settings.log.snapshotMaximumAge = 60
    let store = try Store.open(
      at: "/store", models: [Note.self, Never.self], evolution: .additive,
      configuration: settings, fileSystem: InMemoryFileSystem())
    try store.write { transaction in
      for id in 0..<8 { try transaction.put(Note(id: id, size: id, tags: ["a"], text: "t")) }
    }
    return store
  }

  /// Lets snapshots expire, deletes all objects, and rewrites their segments.
  private func expire(_ snapshot: StoreSnapshot, of store: Store) throws {
    time.set(secondsSince1970: time.secondsSince1970() + 61)
    try store.write { transaction in
      try transaction.deleteAll(of: Note.self)
      try transaction.put(Note(id: 100, size: 100, tags: ["a"], text: "t"))
    }
    try store.log.sealActiveSegment()
    _ = try store.compact()
    #expect(throws: StoreError.log(.snapshotExpired(age: 61, maximum: 60))) {
      try snapshot.get(Note.self, 0)
    }
  }

  @Test("R37: it gives what the snapshot has, by every member", arguments: [0, 1, 2, 3])
  func goesOn(by number: Int) throws {
    let (member, selection) = Self.selections[number]
    let store = try makeStore()
    let snapshot = store.snapshot()
    func begin(_ order: KeyOrder = .ascending) throws -> MatchCursor<Note> {
      try snapshot.objects(Note.self, where: member, selecting: selection, order: order)
    }
    let (whole, counted, first) = (try begin(), try begin(), try begin())
    let last = try begin(.descending)
    let filtered = try begin().filter { $0.id % 2 == 1 }
    let (page, pageBefore) = (try begin(), try begin(.descending))
    let dynamic = try snapshot.objects(ofType: "Note", where: member, selecting: selection)
    #expect(try whole.next()?.id == 0)
    try expire(snapshot, of: store)
    #expect(try whole.all().map(\.id) == Array(1..<8))
    #expect(try counted.count() == 8)
    #expect(try first.first()?.id == 0)
    #expect(try last.first()?.id == 7)
    #expect(try filtered.all().map(\.id) == [1, 3, 5, 7])
    let three = Note(id: 3, size: 3, tags: ["a"], text: "t")
    try page.start(after: three)
    #expect(try page.all().map(\.id) == Array(4..<8))
    try pageBefore.start(after: three)
    #expect(try pageBefore.all().map(\.id) == [2, 1, 0])
    #expect(try dynamic.count() == 8)
    try store.close()
  }

  @Test("R37: it keeps the files that it needs, and nothing does when it is let go")
  func keepsFiles() throws {
    let store = try makeStore()
    let snapshot = store.snapshot()
    var cursor: MatchCursor<Note>? = try snapshot.objects(Note.self, where: "size", in: 0...)
    try expire(snapshot, of: store)
    #expect(try store.statistics().log.snapshots.pinnedByteCount > 0)
    #expect(try cursor?.all().count == 8)
    cursor = nil
    #expect(try store.statistics().log.snapshots.pinnedByteCount == 0)
    try store.close()
  }

  @Test("R37: none begins from a snapshot that is too old, whatever is looked up")
  func noneBegins() throws {
    let store = try makeStore()
    let snapshot = store.snapshot()
    try expire(snapshot, of: store)
    for (member, selection) in Self.selections {
      #expect(throws: StoreError.log(.snapshotExpired(age: 61, maximum: 60))) {
        try snapshot.objects(Note.self, where: member, selecting: selection)
      }
      #expect(throws: StoreError.log(.snapshotExpired(age: 61, maximum: 60))) {
        try snapshot.objects(ofType: "Note", where: member, selecting: selection)
      }
    }
    #expect(throws: StoreError.log(.snapshotExpired(age: 61, maximum: 60))) {
      try snapshot.objects(Never.self, where: "id", equals: 1)
    }
    try store.close()
  }
}
