import FileIO
import Testing

@testable import ObjectStore

/// Texts that Swift calls equal are different keys where their bytes differ.
@Suite("Links are told apart as the keys that they hold")
struct CanonicalLinkTests {
  typealias Tag = ChangeWatchTests.Tag

  static let keys = ["\u{E9}", "e\u{301}"]

  @Test("Links to canonically equal keys mean two objects, and equal themselves")
  func equality() throws {
    let links = Self.keys.map { Link<Tag>(key: $0) }
    #expect(Self.keys[0] == Self.keys[1])
    #expect(links[0] != links[1])
    #expect(links[0] == Link(key: "\u{E9}") && links[1] == Link(key: "e\u{301}"))
    #expect(Set(links).count == 2)
    #expect(Set(links) == Set(links.map { Link(stored: $0.key) }))
    let store = try ChangeWatchTests.open()
    try store.write { transaction in
      for (weight, key) in Self.keys.enumerated() {
        try transaction.put(Tag(name: key, weight: weight))
      }
    }
    #expect(try store.snapshot().get(links).map { $0?.weight } == [0, 1])
    try store.close()
  }

  @Test("H4: who watches is told both objects that were changed")
  func watched() async throws {
    let store = try ChangeWatchTests.open()
    let changes = try store.changes(of: Tag.self)
    try store.writeNow { transaction in
      for key in Self.keys { try transaction.put(Tag(name: key)) }
    }
    let told = await ChangeWatchTests.waiting(changes)
    #expect(told?.links?.count == 2)
    try store.close()
  }
}
