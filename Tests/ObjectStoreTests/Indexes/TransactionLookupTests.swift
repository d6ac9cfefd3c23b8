import FileIO
import LogStore
import ObjectStore
import Testing

@Suite("Look-ups in transactions show what there was when they began")
struct TransactionLookupTests {
  struct Entry: StorableObject, Equatable {
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("rank")]
    var id = 0
    var rank = 0
    /// As `rank`, without an index.
    var level = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("rank", &rank)
      try visitor.member("level", &level)
    }
  }

  static let members = ["rank", "level"]

  static func makeStore(_ settings: StoreConfiguration = .quiet) throws -> Store {
    let store = try Store.open(
      at: "/store", models: [Entry.self], evolution: .additive, configuration: settings,
      fileSystem: InMemoryFileSystem())
    try store.write { transaction in
      for id in 0..<100 { try transaction.put(Entry(id: id, rank: id, level: id)) }
    }
    return store
  }

  @Test("Each object comes once where the body moves it on, back, or out", arguments: members)
  func moves(member: String) throws {
    for order in [KeyOrder.ascending, .descending] {
      for step in [1, -1, 50, -50, 1000] {
        let store = try Self.makeStore()
        let seen = try store.write { transaction in
          var seen: [Int] = []
          let cursor = try transaction.objects(Entry.self, where: member, in: 10..<90, order: order)
          while var entry = try cursor.next() {
            #expect(entry.rank == entry.id && entry.level == entry.id)
            seen.append(entry.id)
            // Others that are still to come are moved as well.
            for id in [entry.id, entry.id + 1, entry.id - 1] {
              entry.id = id
              entry.rank = id + step
              entry.level = id + step
              try transaction.put(entry)
            }
          }
          return seen
        }
        let expected = Array(10..<90)
        #expect(seen == (order == .ascending ? expected : expected.reversed()), "\(order) \(step)")
      }
    }
  }

  @Test("What is deleted or put on the way is not seen", arguments: members)
  func deletesAndPuts(member: String) throws {
    let store = try Self.makeStore()
    try store.write { transaction in
      // These are changes made before it begins.
      try transaction.delete(Entry.self, 20)
      try transaction.put(Entry(id: 200, rank: 30, level: 30))
      let cursor = try transaction.objects(Entry.self, where: member, in: 10..<40)
      var seen: [Int] = []
      while let entry = try cursor.next() {
        seen.append(entry.id)
        try transaction.delete(Entry.self, entry.id + 1)
        try transaction.put(Entry(id: entry.id + 1000, rank: 39, level: 39))
      }
      let before = (10..<40).filter { $0 != 20 }
      #expect(seen == before.filter { $0 <= 30 } + [200] + before.filter { $0 > 30 })
    }
  }

  @Test("A transaction written to disk as it grows does not end its look-ups", arguments: members)
  func spilled(member: String) throws {
    var settings = StoreConfiguration.quiet
    settings.log.transactionByteCountInMemory = 4096
    let store = try Self.makeStore(settings)
    let seen = try store.write { transaction in
      for id in 100..<200 { try transaction.put(Entry(id: id, rank: id, level: id)) }
      var seen: [Int] = []
      let cursor = try transaction.objects(Entry.self, where: member, in: 50...)
      while var entry = try cursor.next() {
        seen.append(entry.id)
        entry.rank = -1
        entry.level = -1
        for _ in 0..<4 { try transaction.put(entry) }
      }
      #expect(try transaction.objects(Entry.self, where: member, equals: -1).count() == 150)
      return seen
    }
    #expect(seen == Array(50..<200))
  }

  @Test("A cursor may outlive the body, and shows the same")
  func outliving() throws {
    let store = try Self.makeStore()
    let cursor = try store.write { transaction in
      try transaction.put(Entry(id: 7, rank: 500, level: 500))
      return try transaction.objects(Entry.self, where: "rank", in: 90...)
    }
    try store.write { try $0.deleteAll(of: Entry.self) }
    #expect(try cursor.all().map(\.id) == Array(90..<100) + [7])
  }

  @Test("Objects of types known by name are looked up as others are", arguments: members)
  func dynamicObjects(member: String) throws {
    let store = try Self.makeStore()
    try store.write { transaction in
      try transaction.put(Entry(id: 300, rank: 55, level: 55))
      let cursor = try transaction.objects(
        ofType: "Entry", where: member,
        selecting: .between(.including(.int(50)), .including(.int(60))))
      var seen: [Value] = []
      while let entry = try cursor.next() {
        seen.append(entry.key)
        guard case .int(let id) = entry.key else { continue }
        try transaction.delete(Entry.self, Int(id) + 1)
      }
      let expected = Array(50...55) + [300] + Array(56...60)
      #expect(seen == expected.map { .int(Int64($0)) })
    }
  }
}
