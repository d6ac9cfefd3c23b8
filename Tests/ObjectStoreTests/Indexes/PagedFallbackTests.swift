import FileIO
import Foundation
import Testing

@testable import ObjectStore

/// Look-ups in pages where a model holds another value than what is stored.
@Suite("A page begins where the object before it is stored, whatever its model holds")
struct PagedFallbackTests {
  enum State: String, StorableValue { case open, done, closed }

  struct Task: StorableObject, Equatable {
    static let typeName = "Task"
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("state"), IndexDeclaration("price")]
    var id = 0
    var state = State.open
    var price = Decimal()
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("state", &state)
      try visitor.member("price", &price)
    }
  }

  /// A store whose objects have these states and prices, and what stands in for unknown states.
  static func makeStore(
    _ members: [(state: String, price: String)], instead: String
  ) throws -> Store {
    var configuration = StoreConfiguration.quiet
    configuration.failurePolicies["Task"] = .fallback { failed in
      failed.members.merging(["state": .string(instead)]) { $1 }
    }
    let store = try Store.open(
      at: "/s", models: [Task.self], evolution: .additive, configuration: configuration,
      fileSystem: InMemoryFileSystem())
    try store.write { transaction in
      for (id, member) in members.enumerated() {
        try transaction.put(
          transaction.makeObject(
            ofType: "Task",
            [
              "id": .int(Int64(id)), "state": .string(member.state),
              "price": .string(member.price),
            ]))
      }
    }
    return store
  }

  /// All pages of one object each; more than there are when they never end.
  static func pages(_ store: Store, _ member: String, _ order: KeyOrder) throws -> [Task] {
    var paged: [Task] = []
    while paged.count < 20 {
      let walk = try store.snapshot().objects(
        Task.self, where: member, selecting: .between(), order: order)
      if let last = paged.last { try walk.start(after: last) }
      guard let task = try walk.next() else { break }
      paged.append(task)
    }
    return paged
  }

  @Test("R37: also where a policy gives another value of the member that is looked up")
  func unknownCases() throws {
    for instead in ["closed", "done", "open"] {
      let states = ["closed", "done", "open", "zzz", "aaa", "open", "nnn"]
      let store = try Self.makeStore(states.map { ($0, "1") }, instead: instead)
      for order in [KeyOrder.ascending, .descending] {
        let whole = try store.snapshot().objects(
          Task.self, where: "state", selecting: .between(), order: order
        ).all()
        #expect(whole.count == states.count)
        #expect(try Self.pages(store, "state", order) == whole, "\(instead) \(order)")
      }
      try store.close()
    }
  }

  @Test("R37: also where a text is written in another form than it was stored in")
  func otherForms() throws {
    let prices = ["1.5", "1.50", "1.500", "1.51", "1.5"]
    let store = try Self.makeStore(prices.map { ("open", $0) }, instead: "open")
    for order in [KeyOrder.ascending, .descending] {
      let whole = try store.snapshot().objects(
        Task.self, where: "price", selecting: .between(), order: order
      ).all()
      #expect(whole.count == prices.count)
      #expect(try Self.pages(store, "price", order) == whole)
    }
    try store.close()
  }

  @Test("An object that was changed since has the place of the value that it was found with")
  func changed() throws {
    let store = try Self.makeStore([("closed", "1"), ("done", "1"), ("zzz", "1")], instead: "done")
    func rest(after task: Task) throws -> [Int] {
      let walk = try store.snapshot().objects(Task.self, where: "state", selecting: .between())
      try walk.start(after: task)
      return try walk.all().map(\.id)
    }
    #expect(try rest(after: Task(id: 2, state: .done, price: 1)) == [])
    #expect(try rest(after: Task(id: 2, state: .closed, price: 1)) == [1, 2])
    try store.close()
  }
}
