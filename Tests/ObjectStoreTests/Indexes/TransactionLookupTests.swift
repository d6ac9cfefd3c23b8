import FileIO
import LogStore
import ObjectStore
import Testing

@Suite("Look-ups in transactions show what there was when they began")
struct TransactionLookupTests {
  struct Player: StorableObject, Equatable {
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
      at: "/store", models: [Player.self], evolution: .additive, configuration: settings,
      fileSystem: InMemoryFileSystem())
    try store.write { transaction in
      for id in 0..<100 { try transaction.put(Player(id: id, rank: id, level: id)) }
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
          let cursor = try transaction.objects(
            Player.self, where: member, in: 10..<90, order: order)
          while var player = try cursor.next() {
            #expect(player.rank == player.id && player.level == player.id)
            seen.append(player.id)
            // Others that are still to come are moved as well.
            for id in [player.id, player.id + 1, player.id - 1] {
              player.id = id
              player.rank = id + step
              player.level = id + step
              try transaction.put(player)
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
      try transaction.delete(Player.self, 20)
      try transaction.put(Player(id: 200, rank: 30, level: 30))
      let cursor = try transaction.objects(Player.self, where: member, in: 10..<40)
      var seen: [Int] = []
      while let player = try cursor.next() {
        seen.append(player.id)
        try transaction.delete(Player.self, player.id + 1)
        try transaction.put(Player(id: player.id + 1000, rank: 39, level: 39))
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
      for id in 100..<200 { try transaction.put(Player(id: id, rank: id, level: id)) }
      var seen: [Int] = []
      let cursor = try transaction.objects(Player.self, where: member, in: 50...)
      while var player = try cursor.next() {
        seen.append(player.id)
        player.rank = -1
        player.level = -1
        for _ in 0..<4 { try transaction.put(player) }
      }
      #expect(try transaction.objects(Player.self, where: member, equals: -1).count() == 150)
      return seen
    }
    #expect(seen == Array(50..<200))
  }

  @Test("A cursor may outlive the body, and shows the same")
  func outliving() throws {
    let store = try Self.makeStore()
    let cursor = try store.write { transaction in
      try transaction.put(Player(id: 7, rank: 500, level: 500))
      return try transaction.objects(Player.self, where: "rank", in: 90...)
    }
    try store.write { try $0.deleteAll(of: Player.self) }
    #expect(try cursor.all().map(\.id) == Array(90..<100) + [7])
  }

  @Test("Objects of types known by name are looked up as others are", arguments: members)
  func dynamicObjects(member: String) throws {
    let store = try Self.makeStore()
    try store.write { transaction in
      try transaction.put(Player(id: 300, rank: 55, level: 55))
      let cursor = try transaction.objects(
        ofType: "Player", where: member,
        selecting: .between(.including(.int(50)), .including(.int(60))))
      var seen: [Value] = []
      while let player = try cursor.next() {
        seen.append(player.key)
        guard case .int(let id) = player.key else { continue }
        try transaction.delete(Player.self, Int(id) + 1)
      }
      let expected = Array(50...55) + [300] + Array(56...60)
      #expect(seen == expected.map { .int(Int64($0)) })
    }
  }
}
