import FileIO
import ObjectStore
import StorageTestSupport
import Synchronization
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
    #expect(throws: StoreError.elementsNotToldApart(type: "Order", keyText: "0", member: "tags")) {
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
    #expect(throws: StoreError.elementsNotToldApart(type: "Order", keyText: "0", member: "crates"))
    {
      try ListGrowthTests.write(0, fileSystem) { (order: inout Older) in
        order.crates[0].tags.insert(Line(text: "z"))
      }
    }
  }

  /// An app may tell elements apart by what it does not store.
  struct ViewedLine: EmbeddedObject, Hashable {
    static let count = Mutex(0)
    var text = ""
    var row: Int
    init() {
      row = Self.count.withLock { count in
        count += 1
        return count
      }
    }
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("text", &text)
    }
  }

  @Test("Additive: elements that only the app tells apart do not multiply")
  func viewed() throws {
    let fileSystem = InMemoryFileSystem()
    let both = Set(ListGrowthTests.newer("t/1", "t/2"))
    try ListGrowthTests.write(0, fileSystem) { (order: inout Newer) in order.tags = both }
    for round in 0..<3 {
      try ListGrowthTests.write(0, fileSystem) { (order: inout Order<ViewedLine>) in
        order.title = "round \(round)"
        if order.tags.count != 2 { Issue.record("\(order.tags.count) elements") }
      }
    }
    #expect(try ListGrowthTests.read(Newer.self, fileSystem).tags == both)
  }

  struct Row<Note: StorableValue & Hashable>: EmbeddedObject, Hashable {
    var cells: [Set<Int>] = []
    var groups: Set<[Int]> = []
    var note: Note?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("cells", &cells)
      try visitor.member("groups", &groups)
      if Note.self == String.self { try visitor.member("note", &note) }
    }
  }

  struct Sheet<Note: StorableValue & Hashable>: StorableObject {
    static var typeName: String { "Sheet" }
    static var primaryKey: String { "id" }
    var id = 0
    var rows: [Row<Note>] = []
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("rows", &rows)
    }
  }

  @Test("Additive: lists of sets and sets of lists keep the order of what has one")
  func levels() throws {
    let fileSystem = InMemoryFileSystem()
    let rows = [
      Row<String>(cells: [[1], [2]], note: "A"), Row<String>(cells: [[2], [1]], note: "B"),
      Row<String>(groups: [[1, 2]], note: "C"), Row<String>(groups: [[2, 1]], note: "D"),
    ]
    try ListGrowthTests.write(0, fileSystem) { (sheet: inout Sheet<String>) in sheet.rows = rows }
    try ListGrowthTests.write(0, fileSystem) { (sheet: inout Sheet<Int>) in sheet.rows.reverse() }
    #expect(try ListGrowthTests.read(Sheet<String>.self, fileSystem).rows == rows.reversed())
  }
}
