import FileIO
import LogStore
import Testing

@testable import ObjectStore

/// A commit that has the first object of a type is seen whole.
@Suite("A commit is seen whole, also the first of a type (P2)")
struct FirstObjectVisibilityTests {
  struct First: StorableObject {
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

  struct Second: StorableObject {
    static let primaryKey = "id"
    var id = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("id", &id) }
  }

  /// Looks at the store as soon as a commit is seen, as another thread might.
  final class Looker: StoreObserver {
    let store = Lock<Store?>(nil)
    let seen = Lock<[[Int]]>([])

    func observe(_ event: StoreEvent) {
      guard case .committed = event, let store = store.withLock({ $0 }) else { return }
      let snapshot = store.snapshot()
      let counts = [try? snapshot.count(First.self), try? snapshot.count(Second.self)]
      seen.withLock { $0.append(counts.map { $0 ?? -1 }) }
    }
  }

  @Test("P2: both types of a commit are there at once, or neither", arguments: [false, true])
  func both(isLarge: Bool) async throws {
    let looker = Looker()
    var configuration = StoreConfiguration.quiet
    configuration.log.observer = looker
    configuration.log.durability = .process
    configuration.log.transactionByteCountInMemory = 16 << 10
    let store = try Store.open(
      at: "/s", models: [First.self, Second.self], evolution: .additive,
      configuration: configuration, fileSystem: InMemoryFileSystem())
    try store.writeNow { try $0.put(First(id: 0)) }
    looker.store.withLock { $0 = store }
    defer { looker.store.withLock { $0 = nil } }
    let count = isLarge ? 1000 : 1
    let text = String(repeating: "x", count: 100)
    try store.writeNow { transaction in
      for id in 1...count { try transaction.put(First(id: id, text: "\(text)\(id)")) }
      try transaction.put(Second(id: 1))
    }
    let seen = looker.seen.withLock { $0 }
    #expect(seen == [[count + 1, 1]])
    looker.store.withLock { $0 = nil }
    try store.close()
  }
}
