import FileIO
import ObjectStore
import Testing

/// Elements that a model knows by one of their members.
@Suite("Elements of lists with a key of their own")
struct ListElementKeyTests {
  struct Line: EmbeddedObject, Hashable {
    static let elementKey = "number"
    var number = 0
    var text = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("number", &number)
      try visitor.member("text", &text)
    }
  }

  struct NewerLine: EmbeddedObject, Hashable {
    var number = 0
    var text = ""
    var note = "-"
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("number", &number)
      try visitor.member("text", &text)
      try visitor.member("note", &note)
    }
  }

  typealias Older = ListGrowthTests.Order<Line>
  typealias Newer = ListGrowthTests.Order<NewerLine>
  typealias Box = ListGrowthTests.Box

  static func makeStore(_ lines: [NewerLine]) throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    try ListGrowthTests.write(0, fileSystem) { (order: inout Newer) in
      order.lines = lines
      order.tags = Set(lines)
      order.boxes["x"] = Box(lines: lines)
    }
    return fileSystem
  }

  @Test("Additive: an element that has a key can be changed, moved, and stand beside new ones")
  func changes() throws {
    let fileSystem = try Self.makeStore([
      NewerLine(number: 1, text: "a", note: "n1"), NewerLine(number: 2, text: "b", note: "n2"),
      NewerLine(number: 3, text: "c", note: "n3"),
    ])
    let changed = [
      Line(number: 4, text: "d"), Line(number: 3, text: "b"), Line(number: 1, text: "c"),
    ]
    try ListGrowthTests.write(0, fileSystem) { (order: inout Older) in
      order.lines = changed
      order.tags = Set(changed)
      order.boxes["x"]?.lines = changed
    }
    let wanted = [
      NewerLine(number: 4, text: "d"), NewerLine(number: 3, text: "b", note: "n3"),
      NewerLine(number: 1, text: "c", note: "n1"),
    ]
    let order = try ListGrowthTests.read(Newer.self, fileSystem)
    #expect(order.lines == wanted && order.tags == Set(wanted))
    #expect(order.boxes["x"]?.lines == wanted)
  }

  @Test("Additive: where two elements have one key, they are told apart by what they look like")
  func duplicates() throws {
    let lines = [
      NewerLine(number: 1, text: "a", note: "n1"), NewerLine(number: 1, text: "b", note: "n2"),
    ]
    let fileSystem = try Self.makeStore(lines)
    try ListGrowthTests.write(0, fileSystem) { (order: inout Older) in order.lines.reverse() }
    #expect(try ListGrowthTests.read(Newer.self, fileSystem).lines == lines.reversed())
    #expect(throws: StoreError.elementsNotToldApart(type: "Order", keyText: "0", member: "lines")) {
      try ListGrowthTests.write(0, fileSystem) { (order: inout Older) in
        order.lines[0].text = "z"
      }
    }
    // Nor can two be made of one.
    try ListGrowthTests.write(0, fileSystem) { (order: inout Newer) in order.lines = [lines[0]] }
    #expect(throws: StoreError.elementsNotToldApart(type: "Order", keyText: "0", member: "lines")) {
      try ListGrowthTests.write(0, fileSystem) { (order: inout Older) in
        order.lines = [Line(number: 1, text: "y"), Line(number: 1, text: "z")]
      }
    }
  }

  struct NamedLine: EmbeddedObject, Hashable {
    static let elementKey = "name"
    var name: String?
    var text = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("name", &name)
      try visitor.member("text", &text)
    }
  }

  struct NewerNamedLine: EmbeddedObject, Hashable {
    var name: String?
    var text = ""
    var note = "-"
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("name", &name)
      try visitor.member("text", &text)
      try visitor.member("note", &note)
    }
  }

  @Test("Additive: an absent key tells nothing apart, so that nothing goes to another element")
  func absentKeys() throws {
    let fileSystem = InMemoryFileSystem()
    typealias Newer = ListGrowthTests.Order<NewerNamedLine>
    typealias Older = ListGrowthTests.Order<NamedLine>
    try ListGrowthTests.write(0, fileSystem) { (order: inout Newer) in
      order.lines = [NewerNamedLine(name: nil, text: "milk", note: "n1")]
    }
    #expect(throws: StoreError.elementsNotToldApart(type: "Order", keyText: "0", member: "lines")) {
      try ListGrowthTests.write(0, fileSystem) { (order: inout Older) in
        order.lines = [NamedLine(name: nil, text: "bread")]
      }
    }
    try ListGrowthTests.write(0, fileSystem) { (order: inout Newer) in
      order.lines[0].name = "first"
    }
    try ListGrowthTests.write(0, fileSystem) { (order: inout Older) in
      order.lines[0].text = "bread"
    }
    #expect(
      try ListGrowthTests.read(Newer.self, fileSystem).lines
        == [NewerNamedLine(name: "first", text: "bread", note: "n1")])
  }

  /// One that names no member of it.
  struct Misnamed: EmbeddedObject, Hashable {
    static let elementKey = "nummer"
    var number = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("number", &number)
    }
  }

  @Test("Additive: an elementKey that names no member is told when the list is first looked at")
  func misnamed() async {
    await #expect(processExitsWith: .failure) { _ = [Misnamed].elementIdentities }
  }
}
