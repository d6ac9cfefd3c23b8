import FileIO
import StorageTestSupport
import Testing

@testable import ObjectStore

@Suite("A query that is watched gives its value, and again after each change")
struct QueryValueTests {
  typealias Note = ChangeWatchTests.Note
  typealias Tag = ChangeWatchTests.Tag

  @Test("First as it is, then after changes of the types that it names, and no others")
  func values() async throws {
    let store = try ChangeWatchTests.open()
    try store.writeNow { try $0.put(Note(id: 1)) }
    let counts = try store.values(watching: Note.self) { try $0.count(Note.self) }
    var iterator = counts.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    try store.writeNow { try $0.put(Tag(name: "a")) }
    #expect(!counts.lease.watch.isRung)
    for key in 2...4 { try store.writeNow { try $0.put(Note(id: key)) } }
    // Once for all three.
    #expect(try await iterator.next() == 4)
    #expect(!counts.lease.watch.isRung)
    try store.writeNow { try $0.delete(Note.self, 1) }
    #expect(try await iterator.next() == 3)
    try store.close()
    #expect(try await iterator.next() == nil)
  }

  @Test("A change between two types is seen whole")
  func twoTypes() async throws {
    let store = try ChangeWatchTests.open()
    let sums = try store.values(watching: Note.self, Tag.self) { snapshot in
      try snapshot.count(Note.self) + snapshot.count(Tag.self)
    }
    var iterator = sums.makeAsyncIterator()
    #expect(try await iterator.next() == 0)
    for key in 1...20 {
      try await store.write { transaction in
        try transaction.put(Note(id: key))
        try transaction.put(Tag(name: "\(key)"))
      }
      #expect(try await iterator.next() == 2 * key)
    }
    try store.close()
  }

  @Test("A query that throws ends the loop with its error")
  func throwing() async throws {
    let store = try ChangeWatchTests.open()
    let values = try store.values(watching: Note.self) { snapshot in
      if try snapshot.get(Note.self, 1) != nil { throw ChangeWatchTests.GivenUp() }
    }
    var iterator = values.makeAsyncIterator()
    try await iterator.next()
    try store.writeNow { try $0.put(Note(id: 1)) }
    do {
      try await iterator.next()
      Issue.record("the query must have thrown")
    } catch is ChangeWatchTests.GivenUp {}
    #expect(try await iterator.next() == nil)
    try store.close()
  }

  /// Model test: whoever loads everything once and then follows the changes has what the store has.
  @Test(
    "A copy that follows the changes is the store, whatever several tasks write", arguments: 1...8)
  func mirror(seed: UInt64) async throws {
    let store = try ChangeWatchTests.open()
    let done = Note(id: -1, text: "done")
    let changes = try store.changes(of: Note.self)
    let follower = Task {
      var copy: [Int: Note] = [:]
      for note in try store.snapshot().objects(Note.self).all() { copy[note.id] = note }
      for await change in changes {
        guard let links = change.links.map(Array.init) else { throw ChangeWatchTests.GivenUp() }
        for (link, note) in zip(links, try store.snapshot().get(links)) {
          guard case .int(let key) = link.key else { throw ChangeWatchTests.GivenUp() }
          copy[Int(key)] = note
        }
        if copy[-1] != nil { break }
      }
      return copy
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          var random = SeededGenerator(seed: seed &* 31 &+ UInt64(writer))
          for number in 0..<60 {
            let keys = (0..<Int.random(in: 1...4, using: &random)).map { _ in
              Int.random(in: 0..<40, using: &random)
            }
            let isDeleting = Int.random(in: 0..<3, using: &random) == 0
            let body = { @Sendable (transaction: StoreTransaction) throws in
              for key in keys {
                if isDeleting {
                  try transaction.delete(Note.self, key)
                } else {
                  try transaction.put(Note(id: key, text: "\(writer) \(number)"))
                }
              }
            }
            if number % 2 == 0 {
              try await store.write(durability: .process, body)
            } else {
              try await Task { try store.writeNow(durability: .process, body) }.value
            }
          }
        }
      }
      try await group.waitForAll()
    }
    try await store.write { try $0.put(done) }
    let copy = try await follower.value
    var stored: [Int: Note] = [:]
    for note in try store.snapshot().objects(Note.self).all() { stored[note.id] = note }
    #expect(copy == stored, "seed \(seed)")
    #expect(stored.count > 1)
    try store.close()
  }
}
