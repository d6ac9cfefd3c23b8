import FileIO
import ObjectStore
import StorageTestSupport
import Testing

/// Sets have no order, and each app stores them in that of its own bytes.
@Suite("Embedded objects in sets grow by additions in additive stores")
struct SetGrowthTests {
  typealias Line = ListGrowthTests.Line
  typealias NewerLine = ListGrowthTests.NewerLine

  struct Crate<Line: EmbeddedObject & Hashable>: EmbeddedObject, Hashable {
    var tags: Set<Line> = []
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("tags", &tags)
    }
  }

  struct Order<Line: EmbeddedObject & Hashable>: StorableObject {
    static var typeName: String { "Order" }
    static var primaryKey: String { "id" }
    var id = 0
    var title = ""
    var tags: Set<Line> = []
    var crates: [Crate<Line>] = []
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("title", &title)
      try visitor.member("tags", &tags)
      try visitor.member("crates", &crates)
    }
  }

  typealias Older = Order<Line>
  typealias Newer = Order<NewerLine>

  @Test("Additive: what looks like one element to an app stays and goes with that one")
  func alike() throws {
    let fileSystem = InMemoryFileSystem()
    let both = Set(ListGrowthTests.newer("t/1", "t/2"))
    try ListGrowthTests.write(0, fileSystem) { (order: inout Newer) in
      order.tags = both.union(ListGrowthTests.newer("u/3"))
    }
    #expect(try ListGrowthTests.read(Older.self, fileSystem).tags.count == 2)
    try ListGrowthTests.write(0, fileSystem) { (order: inout Older) in
      order.title = "changed"
      order.tags.insert(Line(text: "v"))
    }
    #expect(
      try ListGrowthTests.read(Newer.self, fileSystem).tags
        == both.union(ListGrowthTests.newer("u/3", "v")))
    // An element has no place in a set, so one that looks different may be another.
    #expect(throws: StoreError.elementsNotToldApart(type: "Order", member: "tags")) {
      try ListGrowthTests.write(0, fileSystem) { (order: inout Older) in
        order.tags = [Line(text: "t"), Line(text: "v"), Line(text: "w")]
      }
    }
    try ListGrowthTests.write(0, fileSystem) { (order: inout Older) in
      order.tags.remove(Line(text: "t"))
    }
    #expect(
      try ListGrowthTests.read(Newer.self, fileSystem).tags
        == Set(ListGrowthTests.newer("u/3", "v")))
  }

  @Test("Additive: in which order a set in an element was stored makes no difference")
  func order() throws {
    let fileSystem = InMemoryFileSystem()
    // By the newer app's bytes b comes first, by the older one's a.
    let crates = [
      Crate(tags: Set(ListGrowthTests.newer("b/1", "a/2"))),
      Crate(tags: Set(ListGrowthTests.newer("c/3"))),
    ]
    try ListGrowthTests.write(0, fileSystem) { (order: inout Newer) in order.crates = crates }
    try ListGrowthTests.write(0, fileSystem) { (order: inout Older) in order.title = "changed" }
    #expect(try ListGrowthTests.read(Newer.self, fileSystem).crates == crates)
    try ListGrowthTests.write(0, fileSystem) { (order: inout Older) in order.crates.reverse() }
    #expect(try ListGrowthTests.read(Newer.self, fileSystem).crates == crates.reversed())
    #expect(throws: StoreError.elementsNotToldApart(type: "Order", member: "crates")) {
      try ListGrowthTests.write(0, fileSystem) { (order: inout Older) in
        order.crates[0].tags.insert(Line(text: "z"))
      }
    }
  }
}
