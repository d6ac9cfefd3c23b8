import FileIO
import ObjectStore
import Testing

@Suite("Getting several objects gives what getting each of them gives")
struct GroupedGetTests {
  struct Reading: StorableObject {
    static let primaryKey = "id"
    var id = 0
    var text = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("text", &text)
    }
  }

  private static func open(_ fileSystem: InMemoryFileSystem) throws -> Store {
    try Store.open(
      at: "/readings", models: [Reading.self], history: FailingStepTests.failing,
      configuration: .quiet, fileSystem: fileSystem)
  }

  @Test("By keys and by links; old and new versions, absent and repeated keys, in their order")
  func groupsGiveWhatEachGives() throws {
    let store = try Self.open(try FailingStepTests.makeStore())
    try store.write { transaction in
      for id in stride(from: 0, to: 3000, by: 7) where id % 1000 != 500 {
        try transaction.put(Reading(id: id, text: -id))
      }
      try transaction.delete(Reading.self, 21)
    }
    let keys = (0..<900).map { ($0 * 37) % 3100 }.filter { $0 % 1000 != 500 }
    let snapshot = store.snapshot()
    let expected = try keys.map { try snapshot.get(Reading.self, $0)?.text }
    #expect(expected.contains(nil) && Set(expected).count > 800)
    #expect(try snapshot.get(Reading.self, keys: keys).map { $0?.text } == expected)
    let links = keys.map { Link<Reading>(key: $0) }
    #expect(try snapshot.get(links).map { $0?.text } == expected)
    #expect(try snapshot.get(Reading.self, keys: [Int]()).isEmpty)
    try store.close()
  }

  @Test("R19: the error is that of the object whose step fails, and the others can be had")
  func aFailingStepIsNamed() throws {
    let store = try Self.open(try FailingStepTests.makeStore())
    let snapshot = store.snapshot()
    var expected: StoreError?
    do throws(StoreError) { _ = try snapshot.get(Reading.self, 1500) } catch { expected = error }
    do throws(StoreError) {
      _ = try snapshot.get(Reading.self, keys: [1, 1500, 2])
      Issue.record("nothing was thrown")
    } catch { #expect("\(error)" == expected.map { "\($0)" }) }
    #expect(try snapshot.get(Reading.self, keys: [1, 2]).map { $0?.text } == [2, 4])
    try store.close()
  }
}
