import FileIO
import ObjectStore
import StorageTestSupport
import Testing

/// Apps whose models differ inside the elements of lists share a store.
@Suite("Embedded objects in lists grow by additions in additive stores")
struct ListGrowthTests {
  struct Line: EmbeddedObject, Hashable {
    var text = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("text", &text)
    }
  }

  struct NewerLine: EmbeddedObject, Hashable {
    var note = "-"
    var text = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("note", &note)
      try visitor.member("text", &text)
    }
  }

  /// Lists in an embedded object.
  struct Box<Line: EmbeddedObject & Hashable>: EmbeddedObject, Equatable {
    var lines: [Line] = []
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("lines", &lines)
    }
  }

  struct Order<Line: EmbeddedObject & Hashable>: StorableObject {
    static var typeName: String { "Order" }
    static var primaryKey: String { "id" }
    var id = 0
    var lines: [Line] = []
    var tags: Set<Line> = []
    var maybe: [Line?]?
    var boxes: [String: Box<Line>] = [:]
    var nested: [Box<Line>] = []
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("lines", &lines)
      try visitor.member("tags", &tags)
      try visitor.member("maybe", &maybe)
      try visitor.member("boxes", &boxes)
      try visitor.member("nested", &nested)
    }
  }

  typealias Older = Order<Line>
  typealias Newer = Order<NewerLine>

  static func older(_ texts: String...) -> [Line] { texts.map { Line(text: $0) } }

  /// Each as in `text` or `text/note`.
  static func newer(_ texts: String...) -> [NewerLine] {
    texts.map { text in
      let parts = text.split(separator: "/").map(String.init)
      return NewerLine(note: parts.count > 1 ? parts[1] : "-", text: parts[0])
    }
  }

  static func write<Model: StorableObject>(
    _ key: Int, _ fileSystem: some FileSystem, compacting: Bool = false,
    _ change: (inout Model) throws -> Void
  ) throws {
    try EmbeddedGrowthTests.open(Model.self, fileSystem) { (store) throws in
      try store.write { transaction in
        var object = try transaction.get(Model.self, key) ?? Model()
        try change(&object)
        try transaction.put(object)
      }
      if compacting { _ = try store.compact() }
    }
  }

  static func read<Model: StorableObject>(
    _ model: Model.Type, _ fileSystem: some FileSystem
  ) throws -> Model {
    let store = try Store.open(
      at: "/s", models: [model], evolution: .additive, configuration: .quiet,
      fileSystem: fileSystem)
    let object = try #require(try store.snapshot().get(model, 0))
    try store.close()
    return object
  }

  @Test(
    "Additive: elements have the values of who added, and keep what others set when they move",
    arguments: [false, true], [false, true])
  func turns(_ newerIsFirst: Bool, _ compacting: Bool) throws {
    let fileSystem = InMemoryFileSystem()
    if newerIsFirst { try Self.write(1, fileSystem) { (_: inout Newer) in } }
    try Self.write(0, fileSystem, compacting: compacting) { (order: inout Older) in
      order.lines = Self.older("a", "b", "c")
      order.tags = Set(Self.older("t", "u"))
      order.maybe = [Line(text: "m"), nil]
      order.boxes["x"] = Box(lines: Self.older("p"))
      order.nested = [Box(lines: Self.older("q")), Box()]
    }
    try Self.write(0, fileSystem, compacting: compacting) { (order: inout Newer) in
      #expect(order.lines == Self.newer("a", "b", "c"))
      #expect(order.tags == Set(Self.newer("t", "u")))
      #expect(order.maybe == [NewerLine(text: "m"), nil])
      #expect(order.boxes == ["x": Box(lines: Self.newer("p"))])
      #expect(order.nested == [Box(lines: Self.newer("q")), Box()])
      order.lines = Self.newer("a/1", "b/2", "c")
      order.tags = Set(Self.newer("t/3", "u"))
      order.maybe = [NewerLine(note: "4", text: "m"), nil]
      order.boxes = ["x": Box(lines: Self.newer("p/5"))]
      order.nested = [Box(lines: Self.newer("q/6")), Box()]
    }
    try Self.write(0, fileSystem, compacting: compacting) { (order: inout Older) in
      #expect(order.lines == Self.older("a", "b", "c"))
      #expect(order.tags == Set(Self.older("t", "u")))
      order.lines = Self.older("n", "b", "c", "a", "n")
      order.tags.insert(Line(text: "v"))
      order.maybe = [nil, nil, Line(text: "m")]
      order.boxes["x"]?.lines.append(Line(text: "r"))
      order.nested.reverse()
    }
    var order = try Self.read(Newer.self, fileSystem)
    #expect(order.lines == Self.newer("n", "b/2", "c", "a/1", "n"))
    #expect(order.tags == Set(Self.newer("t/3", "u", "v")))
    #expect(order.maybe == [nil, nil, NewerLine(note: "4", text: "m")])
    #expect(order.boxes == ["x": Box(lines: Self.newer("p/5", "r"))])
    #expect(order.nested == [Box(), Box(lines: Self.newer("q/6"))])
    try Self.write(0, fileSystem, compacting: compacting) { (order: inout Older) in
      order.lines.removeAll { $0.text == "b" }
      order.tags.remove(Line(text: "t"))
      order.maybe = nil
      order.nested = []
    }
    order = try Self.read(Newer.self, fileSystem)
    #expect(order.lines == Self.newer("n", "c", "a/1", "n"))
    #expect(order.tags == Set(Self.newer("u", "v")))
    #expect(order.maybe == nil && order.nested == [])
  }

  @Test("Additive: an app cannot change elements in which another one has something")
  func refused() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.write(0, fileSystem) { (order: inout Newer) in
      order.lines = Self.newer("a/1", "b")
      order.nested = [Box(lines: Self.newer("q/6"))]
    }
    let before = try Self.read(Newer.self, fileSystem)
    func attempt(_ member: String, _ change: (inout Older) -> Void) {
      #expect(throws: StoreError.elementsNotToldApart(type: "Order", keyText: "0", member: member))
      {
        try Self.write(0, fileSystem, change)
      }
    }
    attempt("lines") { $0.lines[0].text = "z" }
    // What is added may stand for what is taken away.
    attempt("lines") { $0.lines = Self.older("b", "b") }
    attempt("nested") { $0.nested[0].lines.append(Line(text: "r")) }
    #expect(try Self.read(Newer.self, fileSystem).lines == before.lines)
    #expect(try Self.read(Newer.self, fileSystem).nested == before.nested)
    // Where nobody has anything, it can.
    try Self.write(0, fileSystem) { (order: inout Older) in order.lines[1].text = "z" }
    #expect(try Self.read(Newer.self, fileSystem).lines == Self.newer("a/1", "z"))
    // In two writes it is clear what is meant.
    try Self.write(0, fileSystem) { (order: inout Older) in order.lines.removeFirst() }
    try Self.write(0, fileSystem) { (order: inout Older) in order.lines += Self.older("y") }
    #expect(try Self.read(Newer.self, fileSystem).lines == Self.newer("z", "y"))
  }

  @Test("Additive: of elements that look the same to an app, those that it adds are the last ones")
  func added() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.write(0, fileSystem) { (order: inout Newer) in
      order.lines = Self.newer("a/1", "b/2")
    }
    try Self.write(0, fileSystem) { (order: inout Older) in
      order.lines.insert(Line(text: "a"), at: 0)
    }
    #expect(try Self.read(Newer.self, fileSystem).lines == Self.newer("a/1", "a", "b/2"))
  }

  @Test("Additive: elements that look the same to an app keep what others have in them, in order")
  func alike() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.write(0, fileSystem) { (order: inout Newer) in
      order.lines = Self.newer("a/1", "a/2", "b/3")
    }
    try Self.write(0, fileSystem) { (order: inout Older) in
      order.lines = Self.older("b", "a", "a")
    }
    #expect(try Self.read(Newer.self, fileSystem).lines == Self.newer("b/3", "a/1", "a/2"))
    #expect(throws: StoreError.elementsNotToldApart(type: "Order", keyText: "0", member: "lines")) {
      try Self.write(0, fileSystem) { (order: inout Older) in order.lines.removeLast() }
    }
  }
}
