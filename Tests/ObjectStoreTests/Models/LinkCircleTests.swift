import FileIO
import ObjectStore
import Testing

/// Types that need each other to be made.
@Suite("Required links in circles, and embedded objects that hold themselves")
struct LinkCircleTests {
  struct Hen: StorableObject, Equatable {
    static let primaryKey = "name"
    var name = ""
    var egg: Link<Egg> = .placeholder
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("name", &name)
      try visitor.member("egg", &egg)
    }
  }

  struct Egg: StorableObject, Equatable {
    static let primaryKey = "id"
    var id = 0
    /// With a key, as somebody writes who does not know of placeholders.
    var hen = Link<Hen>(key: "nobody")
    var next = Link<Egg>(key: 0)
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("hen", &hen)
      try visitor.member("next", &next)
    }
  }

  @Test("Objects that link to each other are made, stored and read")
  func circle() throws {
    #expect(Hen().egg.key == .int(0))
    #expect(Hen().egg == Link(key: 0))
    #expect(Set([Hen().egg, Link(key: 0)]).count == 1)
    let store = try Store.open(
      at: "/s", models: [Hen.self, Egg.self], evolution: .additive, configuration: .quiet,
      fileSystem: InMemoryFileSystem())
    let (egg, hen) = (Egg(id: 7, hen: Link(key: "Ada")), Hen(name: "Ada", egg: Link(key: 7)))
    try store.write { transaction in
      try transaction.put(egg)
      try transaction.put(hen)
      try transaction.put(Hen(name: "new"))
    }
    let snapshot = store.snapshot()
    #expect(try snapshot.get(Egg.self, 7) == egg)
    #expect(try snapshot.get(Hen.self, "Ada") == hen)
    #expect(try snapshot.get(Hen.self, "new") == Hen(name: "new"))
    #expect(try snapshot.get(hen.egg) == egg)
    try store.close()
  }

  struct Branch: EmbeddedObject {
    var name = ""
    var branches: [Branch] = []
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("name", &name)
      try visitor.member("branches", &branches)
    }
  }

  struct Tree: StorableObject {
    static let primaryKey = "id"
    var id = 0
    var root = Branch()
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("root", &root)
    }
  }

  @Test("A key of another type is a mistake as ever, in a circle, too")
  func wrongKey() async {
    await #expect(processExitsWith: .failure) { _ = Link<Egg>(key: "seven") }
  }

  @Test("An embedded object that holds itself traps with a sentence that names it")
  func recursion() async {
    let opened = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { _ = try CodableContainerTests.store(Tree.self) }
    let asked = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { _ = Branch.linkTargets }
    for result in [opened, asked] {
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("Branch holds itself"))
    }
  }
}
