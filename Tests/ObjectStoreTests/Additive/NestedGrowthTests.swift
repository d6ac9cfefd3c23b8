import FileIO
import ObjectStore
import StorageTestSupport
import Testing

/// Apps whose models differ inside objects in containers of containers share a store.
@Suite("Embedded objects in containers of containers grow by additions in additive stores")
struct NestedGrowthTests {
  typealias Line = ListGrowthTests.Line
  typealias NewerLine = ListGrowthTests.NewerLine

  struct Sheet<Line: EmbeddedObject & Hashable>: StorableObject, Equatable {
    static var typeName: String { "Sheet" }
    static var primaryKey: String { "id" }
    var id = 0
    var title = ""
    var named: [String: [Line]] = [:]
    var pages: [[String: Line]] = []
    var grid: [[Line]] = []
    var tree: [String: [String: Line]] = [:]
    var deep: [String: [[Line?]?]]?
    var groups: [Set<Line>] = []
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("title", &title)
      try visitor.member("named", &named)
      try visitor.member("pages", &pages)
      try visitor.member("grid", &grid)
      try visitor.member("tree", &tree)
      try visitor.member("deep", &deep)
      try visitor.member("groups", &groups)
    }
  }

  typealias Older = Sheet<Line>
  typealias Newer = Sheet<NewerLine>

  static func older(_ text: String) -> Line { Line(text: text) }

  /// As in `text` or `text/note`.
  static func newer(_ text: String) -> NewerLine { ListGrowthTests.newer(text)[0] }

  static func older(_ texts: String...) -> [Line] { texts.map(older) }
  static func newer(_ texts: String...) -> [NewerLine] { texts.map(newer) }

  static func write<Model: StorableObject>(
    _ fileSystem: some FileSystem, key: Int = 0, compacting: Bool = false,
    _ change: (inout Model) throws -> Void
  ) throws {
    try ListGrowthTests.write(key, fileSystem, compacting: compacting, change)
  }

  static func read<Model: StorableObject>(
    _ model: Model.Type, _ fileSystem: some FileSystem
  ) throws -> Model { try ListGrowthTests.read(model, fileSystem) }

  static func refuses(
    _ member: String, _ fileSystem: some FileSystem, _ change: (inout Older) -> Void
  ) {
    #expect(throws: StoreError.elementsNotToldApart(type: "Sheet", keyText: "0", member: member)) {
      try write(fileSystem, change)
    }
  }

  @Test(
    "Additive: objects in containers of containers have the values of who added, and keep others'",
    arguments: [false, true], [false, true])
  func turns(_ newerIsFirst: Bool, _ compacting: Bool) throws {
    let fileSystem = InMemoryFileSystem()
    if newerIsFirst { try Self.write(fileSystem, key: 1) { (_: inout Newer) in } }
    try Self.write(fileSystem, compacting: compacting) { (sheet: inout Older) in
      sheet.named = ["a": Self.older("p", "q"), "b": []]
      sheet.pages = [["x": Self.older("p")], ["y": Self.older("q")]]
      sheet.grid = [Self.older("p", "q"), [], Self.older("r")]
      sheet.tree = ["a": ["x": Self.older("p"), "y": Self.older("q")]]
      sheet.deep = ["a": [[Self.older("p"), nil], nil]]
      sheet.groups = [Set(Self.older("p", "q")), Set(Self.older("r"))]
    }
    try Self.write(fileSystem, compacting: compacting) { (sheet: inout Newer) in
      #expect(sheet.named == ["a": Self.newer("p", "q"), "b": []])
      #expect(sheet.pages == [["x": Self.newer("p")], ["y": Self.newer("q")]])
      #expect(sheet.grid == [Self.newer("p", "q"), [], Self.newer("r")])
      #expect(sheet.tree == ["a": ["x": Self.newer("p"), "y": Self.newer("q")]])
      #expect(sheet.deep == ["a": [[Self.newer("p"), nil], nil]])
      #expect(sheet.groups == [Set(Self.newer("p", "q")), Set(Self.newer("r"))])
      sheet.named["a"]?[1].note = "1"
      sheet.pages[1]["y"]?.note = "2"
      sheet.grid[0][1].note = "3"
      sheet.grid[2][0].note = "4"
      sheet.tree["a"]?["y"]?.note = "5"
      sheet.deep?["a"]?[0]?[0]?.note = "6"
      sheet.groups[0] = Set(Self.newer("p/7", "q"))
    }
    try Self.write(fileSystem, compacting: compacting) { (sheet: inout Older) in
      #expect(sheet.grid == [Self.older("p", "q"), [], Self.older("r")])
      sheet.named["a"] = Self.older("q", "n", "p")
      sheet.named["c"] = Self.older("q")
      sheet.pages = [["n": Self.older("q")], ["y": Self.older("q")], ["x": Self.older("p")]]
      sheet.grid = [Self.older("r"), Self.older("n"), Self.older("p", "q"), Self.older("r")]
      sheet.tree["a"]?["y"]?.text = "changed"
      sheet.tree["b"] = ["y": Self.older("q")]
      sheet.deep = ["a": [nil, [Self.older("p"), nil], []], "b": [[Self.older("p")]]]
      sheet.groups.append(Set(Self.older("p")))
    }
    let sheet = try Self.read(Newer.self, fileSystem)
    #expect(sheet.named == ["a": Self.newer("q/1", "n", "p"), "b": [], "c": Self.newer("q")])
    #expect(
      sheet.pages == [["n": Self.newer("q")], ["y": Self.newer("q/2")], ["x": Self.newer("p")]])
    #expect(
      sheet.grid == [Self.newer("r/4"), Self.newer("n"), Self.newer("p", "q/3"), Self.newer("r")])
    #expect(
      sheet.tree == [
        "a": ["x": Self.newer("p"), "y": Self.newer("changed/5")], "b": ["y": Self.newer("q")],
      ])
    #expect(sheet.deep == ["a": [nil, [Self.newer("p/6"), nil], []], "b": [[Self.newer("p")]]])
    #expect(
      sheet.groups == [
        Set(Self.newer("p/7", "q")), Set(Self.newer("r")), Set(Self.newer("p")),
      ])
  }

  static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    try write(fileSystem) { (sheet: inout Newer) in
      sheet.named = ["a": newer("p/1", "q")]
      sheet.pages = [["x": newer("p/2")], ["x": newer("q")]]
      sheet.grid = [newer("p/3", "q"), newer("r")]
      sheet.tree = ["a": ["x": newer("p/7")]]
      sheet.deep = ["a": [newer("p/4")]]
      sheet.groups = [Set(newer("p/5", "p/6")), Set(newer("q"))]
    }
    return fileSystem
  }

  @Test("Additive: what is taken away goes with all that was in it, and what comes later is new")
  func removed() throws {
    let fileSystem = try Self.makeStore()
    try Self.write(fileSystem) { (sheet: inout Older) in
      sheet.named["a"]?.removeFirst()
      sheet.pages.removeFirst()
      sheet.grid.removeFirst()
      sheet.tree["a"] = nil
      sheet.deep = nil
      sheet.groups.removeFirst()
    }
    try Self.write(fileSystem) { (sheet: inout Older) in
      sheet.named["a"]?.append(Self.older("p"))
      sheet.pages.append(["x": Self.older("p")])
      sheet.grid.append(Self.older("p", "q"))
      sheet.tree["a"] = ["x": Self.older("p")]
      sheet.deep = ["a": [Self.older("p")]]
      sheet.groups.append(Set(Self.older("p")))
    }
    let sheet = try Self.read(Newer.self, fileSystem)
    #expect(sheet.named == ["a": Self.newer("q", "p")])
    #expect(sheet.pages == [["x": Self.newer("q")], ["x": Self.newer("p")]])
    #expect(sheet.grid == [Self.newer("r"), Self.newer("p", "q")])
    #expect(sheet.tree == ["a": ["x": Self.newer("p")]])
    #expect(sheet.deep == ["a": [[Self.newer("p")]]])
    #expect(sheet.groups == [Set(Self.newer("q")), Set(Self.newer("p"))])
  }

  @Test("Additive: an app cannot change containers in lists in which another one has something")
  func refused() throws {
    let fileSystem = try Self.makeStore()
    let before = try Self.read(Newer.self, fileSystem)
    Self.refuses("named", fileSystem) { $0.named["a"]?[0].text = "z" }
    // The page may be another one, and so may the row.
    Self.refuses("pages", fileSystem) { $0.pages[0]["x"]?.text = "z" }
    Self.refuses("pages", fileSystem) { $0.pages[0]["y"] = Self.older("z") }
    Self.refuses("grid", fileSystem) { $0.grid[0].append(Self.older("z")) }
    Self.refuses("grid", fileSystem) { $0.grid = [Self.older("q", "p"), Self.older("r")] }
    Self.refuses("deep", fileSystem) { $0.deep?["a"]?[0]?.append(nil) }
    Self.refuses("groups", fileSystem) { $0.groups[0].insert(Self.older("z")) }
    #expect(try Self.read(Newer.self, fileSystem) == before)
    // Where nobody has anything, or there is nothing left that could have it, it can.
    try Self.write(fileSystem) { (sheet: inout Older) in
      sheet.named["a"]?[1].text = "z"
      sheet.pages[1]["x"]?.text = "z"
      sheet.grid[1] = Self.older("r", "z")
      sheet.deep?["a"]?[0] = nil
      sheet.groups[1].insert(Self.older("z"))
    }
    try Self.write(fileSystem) { (sheet: inout Older) in sheet.grid[0] = [] }
    try Self.write(fileSystem) { (sheet: inout Older) in sheet.pages[0] = ["y": Self.older("p")] }
    let after = try Self.read(Newer.self, fileSystem)
    #expect(after.named == ["a": Self.newer("p/1", "z")])
    #expect(after.pages == [["y": Self.newer("p")], ["x": Self.newer("z")]])
    #expect(after.grid == [[], Self.newer("r", "z")])
    #expect(after.deep == ["a": [nil]])
    #expect(after.groups == [Set(Self.newer("p/5", "p/6")), Set(Self.newer("q", "z"))])
  }

  @Test("Additive: writing what was read changes nothing, also where sets look smaller to the app")
  func unchanged() throws {
    let fileSystem = try Self.makeStore()
    let before = try Self.read(Newer.self, fileSystem)
    try Self.write(fileSystem) { (sheet: inout Older) in
      #expect(sheet.groups == [Set(Self.older("p")), Set(Self.older("q"))])
      sheet.title = "changed"
    }
    var after = try Self.read(Newer.self, fileSystem)
    #expect(after.title == "changed")
    after.title = ""
    #expect(after == before)
    try Self.write(fileSystem) { (sheet: inout Older) in sheet.groups.reverse() }
    #expect(try Self.read(Newer.self, fileSystem).groups == before.groups.reversed())
  }

  @Test(
    "Additive: sets that differ to an app in what it does not store are told apart all the same")
  func viewed() throws {
    let fileSystem = InMemoryFileSystem()
    let groups = [Set(Self.newer("t/1", "t/2")), Set(Self.newer("t/3"))]
    try Self.write(fileSystem) { (sheet: inout Newer) in sheet.groups = groups }
    try Self.write(fileSystem) { (sheet: inout Sheet<SetGrowthTests.ViewedLine>) in
      #expect(sheet.groups.map(\.count) == [2, 1])
      sheet.groups.reverse()
    }
    #expect(try Self.read(Newer.self, fileSystem).groups == groups.reversed())
  }

  /// One whose members in lists of lists are sets.
  struct Cell<Line: EmbeddedObject & Hashable>: EmbeddedObject, Hashable {
    var tags: Set<Line> = []
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("tags", &tags)
    }
  }

  @Test("Additive: in which order sets in objects in lists of lists were stored does not matter")
  func sets() throws {
    // By the newer app's bytes b comes first, by the older one's a.
    let rows = [
      [Cell(tags: Set(Self.newer("b/1", "a/2")))], [Cell(tags: Set(Self.newer("c/3")))],
    ]
    let fileSystem = InMemoryFileSystem()
    try Self.write(fileSystem) { (sheet: inout Sheet<Cell<NewerLine>>) in sheet.grid = rows }
    try Self.write(fileSystem) { (sheet: inout Sheet<Cell<Line>>) in sheet.grid.reverse() }
    #expect(try Self.read(Sheet<Cell<NewerLine>>.self, fileSystem).grid == rows.reversed())
  }

  typealias Keyed = ListElementKeyTests.Line
  typealias NewerKeyed = ListElementKeyTests.NewerLine

  static func keyed(_ number: Int, _ text: String, _ note: String = "-") -> NewerKeyed {
    NewerKeyed(number: number, text: text, note: note)
  }

  @Test("Additive: a list in which an object has a key is the one that it was, and can be changed")
  func keys() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.write(fileSystem) { (sheet: inout Sheet<NewerKeyed>) in
      sheet.named = ["a": [Self.keyed(1, "p", "n1"), Self.keyed(2, "q", "n2")]]
      sheet.grid = [
        [Self.keyed(1, "p", "n1"), Self.keyed(2, "q", "n2")], [Self.keyed(3, "r", "n3")],
        [Self.keyed(1, "s", "n4")],
      ]
    }
    try Self.write(fileSystem) { (sheet: inout Sheet<Keyed>) in
      sheet.named["a"] = [Keyed(number: 2, text: "new"), Keyed(number: 3, text: "p")]
      sheet.grid = [
        [Keyed(number: 3, text: "new"), Keyed(number: 4, text: "t")], [Keyed(number: 1, text: "s")],
        [Keyed(number: 2, text: "q"), Keyed(number: 1, text: "new")], [Keyed(number: 5, text: "u")],
      ]
    }
    let after = try Self.read(Sheet<NewerKeyed>.self, fileSystem)
    #expect(after.named == ["a": [Self.keyed(2, "new", "n2"), Self.keyed(3, "p")]])
    #expect(
      after.grid == [
        [Self.keyed(3, "new", "n3"), Self.keyed(4, "t")], [Self.keyed(1, "s", "n4")],
        [Self.keyed(2, "q", "n2"), Self.keyed(1, "new", "n1")], [Self.keyed(5, "u")],
      ])
    // Two lists that may have been one, one that may have been two, and keys that tell nothing.
    let ambiguous: [[[Keyed]]] = [
      [[Keyed(number: 2, text: "q")], [Keyed(number: 1, text: "new")]],
      [[Keyed(number: 3, text: "new"), Keyed(number: 2, text: "q")]],
      [[Keyed(number: 1, text: "v"), Keyed(number: 1, text: "w")]],
    ]
    for rows in ambiguous {
      try Self.refuses(fileSystem) { $0 = $0.filter { $0.count == 1 } + rows }
    }
    #expect(try Self.read(Sheet<NewerKeyed>.self, fileSystem) == after)
  }

  static func refuses(
    _ fileSystem: some FileSystem, _ change: (inout [[Keyed]]) -> Void
  ) throws {
    #expect(throws: StoreError.elementsNotToldApart(type: "Sheet", keyText: "0", member: "grid")) {
      try write(fileSystem) { (sheet: inout Sheet<Keyed>) in change(&sheet.grid) }
    }
  }

  @Test("Additive: keys tell lists apart only where each object in both has one of its own")
  func duplicateKeys() throws {
    let fileSystem = InMemoryFileSystem()
    let rows = [[Self.keyed(1, "p", "n1"), Self.keyed(1, "q")]]
    try Self.write(fileSystem) { (sheet: inout Sheet<NewerKeyed>) in sheet.grid = rows }
    try Self.refuses(fileSystem) { $0[0][1].number = 2 }
    #expect(try Self.read(Sheet<NewerKeyed>.self, fileSystem).grid == rows)
    try Self.write(fileSystem) { (sheet: inout Sheet<NewerKeyed>) in sheet.grid[0][1].number = 2 }
    try Self.refuses(fileSystem) { $0[0][1].number = 1 }
    try Self.write(fileSystem) { (sheet: inout Sheet<Keyed>) in sheet.grid[0][1].number = 3 }
    #expect(
      try Self.read(Sheet<NewerKeyed>.self, fileSystem).grid
        == [[Self.keyed(1, "p", "n1"), Self.keyed(3, "q")]])
  }
}
