import Testing

@testable import ObjectStore

@Suite("Writes keep keys only for who asks for them, and no more than are kept")
struct WatchedKeysTests {
  typealias Note = ChangeWatchTests.Note

  @Test("Who watches a query is told that something changed, and no keys are kept for that")
  func noKeys() throws {
    let store = try ChangeWatchTests.open()
    let values = try store.values(watching: Note.self) { _ in 0 }
    try store.write { transaction in
      #expect(try Self.noted(transaction).isEmpty)
      try transaction.put(Note(id: 1))
      #expect(try Self.noted(transaction).keys == nil)
    }
    #expect(values.lease.watch.isRung)
    let others = try store.values(watching: Note.self) { _ in 0 }
    let found = try store.write { transaction throws(StoreError) in
      try transaction.get(Note.self, 1)
    }
    #expect(found != nil)
    #expect(!others.lease.watch.isRung)
    try store.close()
  }

  @Test("Keys are kept as long as somebody asks for them beside a query")
  func besideQuery() throws {
    let store = try ChangeWatchTests.open()
    var changes: ObjectChangeSequence<Note>? = try store.changes(of: Note.self)
    let values = try store.values(watching: Note.self) { _ in 0 }
    func keyCount() throws -> Int? {
      try store.write { transaction in
        try transaction.put(Note(id: 1))
        return try Self.noted(transaction).keys?.count
      }
    }
    #expect(try keyCount() == 1)
    #expect(changes != nil)
    changes = nil
    #expect(try keyCount() == nil)
    withExtendedLifetime(values) {}
    try store.close()
  }

  @Test("Who asks for keys amid a write that keeps none is told that anything may have changed")
  func amidAWrite() async throws {
    let store = try ChangeWatchTests.open()
    let values = try store.values(watching: Note.self) { _ in 0 }
    do {
      let unchanged = try Self.watching(amid: store) { _ in }
      #expect(!unchanged.lease.watch.isRung)
    }
    let changed = try Self.watching(amid: store) { try $0.put(Note(id: 1)) }
    let change = await ChangeWatchTests.waiting(changed)
    #expect(change != nil && change?.links == nil)
    withExtendedLifetime(values) {}
    try store.close()
  }

  private static func watching(
    amid store: Store, _ body: (StoreTransaction) throws -> Void
  ) throws -> ObjectChangeSequence<Note> {
    try store.write { transaction in
      let changes = try store.changes(of: Note.self)
      try body(transaction)
      return changes
    }
  }

  @Test("Once no more keys are kept, no more are asked for")
  func full() throws {
    let store = try ChangeWatchTests.open()
    let changes = try store.changes(of: Note.self)
    var notes = try #require(store.reading.watches.begin())
    let type = try #require(notes.keysByType.keys.first)
    var askedCount = 0
    let keys = (0..<ChangedKeys.countMaximum + 10).lazy.map { number -> [UInt8] in
      askedCount += 1
      return withUnsafeBytes(of: number) { Array($0) }
    }
    notes.note(keys, of: type)
    #expect(notes.keysByType[type]?.isAny == true)
    #expect(askedCount == ChangedKeys.countMaximum + 1)
    notes.note(keys, of: type)
    #expect(askedCount == ChangedKeys.countMaximum + 1)
    withExtendedLifetime(changes) {}
    try store.close()
  }

  /// What a transaction noted of the one type that is watched.
  private static func noted(_ transaction: StoreTransaction) throws -> ChangedKeys {
    try #require(transaction.changes?.keysByType.values.first)
  }
}
