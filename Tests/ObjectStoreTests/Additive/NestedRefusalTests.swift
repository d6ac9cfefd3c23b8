import FileIO
import ObjectStore
import StorageTestSupport
import Testing

/// What cannot grow in containers of containers, what they begin with, and what a crash leaves.
@Suite("Containers of containers in additive stores: limits, beginnings and crashes")
struct NestedRefusalTests {
  typealias Place = EmbeddedGrowthTests.Place
  typealias NewerPlace = EmbeddedGrowthTests.NewerPlace

  struct WrongPlace: EmbeddedObject {
    var latitude = ""
    var height = 4
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("latitude", &latitude)
      try visitor.member("height", &height)
    }
  }

  struct Holder<Member: StorableValue & PlaceholderValue>: StorableObject {
    static var typeName: String { "Holder" }
    static var primaryKey: String { "id" }
    var id = 0
    var member = Member.placeholder
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("member", &member)
    }
  }

  static func open<Member: StorableValue & PlaceholderValue>(
    _ member: Member.Type, _ fileSystem: some FileSystem
  ) throws { try EmbeddedGrowthTests.open(Holder<Member>.self, fileSystem) { _ in } }

  @Test("Additive: other containers, other optionality and nothing to begin with are refused")
  func refused() throws {
    let fileSystem = SimulatedFileSystem()
    try EmbeddedGrowthTests.open(Holder<[String: [Place]]>.self, fileSystem) { (store) throws in
      try store.write { try $0.put(Holder(id: 1, member: ["a": [Place()]])) }
    }
    let files = fileSystem.snapshotOfFiles(in: "/s")
    #expect(
      throws: StoreError.schema(
        .notAdditive(changes: [], withoutDefault: ["Holder.member.when"]))
    ) { try Self.open([String: [EmbeddedGrowthTests.Clocked]].self, fileSystem) }
    func refuses<Member: StorableValue & PlaceholderValue>(_ member: Member.Type) {
      do {
        try Self.open(member, fileSystem)
        Issue.record("\(member) was accepted")
      } catch StoreError.schema(.notAdditive(let changes, let withoutDefault)) {
        #expect(!changes.isEmpty && withoutDefault == [], "\(member)")
      } catch { Issue.record("\(member): \(error)") }
    }
    refuses([String: [String: NewerPlace]].self)
    refuses([[NewerPlace]].self)
    refuses([String: [NewerPlace?]].self)
    refuses([String: [NewerPlace]?].self)
    refuses([String: NewerPlace].self)
    refuses([String: [[NewerPlace]]].self)
    refuses([String: [WrongPlace]].self)
    #expect(fileSystem.snapshotOfFiles(in: "/s") == files)
    try Self.open([String: [NewerPlace]].self, fileSystem)
  }

  @Test("Additive: an app that would write zeros into what a history requires there is refused")
  func unknown() throws {
    let fileSystem = InMemoryFileSystem()
    let place = FieldType.object([
      MemberShape("latitude", .double), MemberShape("height", .int64),
    ])
    let history = SchemaHistory {
      Base(0) {
        Type("Holder", key: "id") {
          Field("id", .int64)
          Field("member", .dictionary(.list(place)))
        }
      }
    }
    let store = try NewerStoreTests.open(fileSystem, history)
    try NewerStoreTests.put(store, "Holder", ["id": 1, "member": .dictionary(["a": .list([])])])
    try store.close()
    let lost = SchemaDifference.memberRemoved(
      type: "Holder", member: "member.height", held: .int64)
    #expect(throws: StoreError.schema(.notAdditive(changes: [lost], withoutDefault: []))) {
      try Self.open([String: [Place]].self, fileSystem)
    }
    try EmbeddedGrowthTests.open(Holder<[String: [NewerPlace]]>.self, fileSystem) {
      (store) throws in
      #expect(try store.snapshot().get(Holder<[String: [NewerPlace]]>.self, 1)?.member == ["a": []])
    }
  }

  struct Bare: StorableObject {
    static let typeName = "Shelf"
    static let primaryKey = "id"
    var id = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
    }
  }

  /// Begins with an object in its containers.
  struct Shelf<Place: EmbeddedObject>: StorableObject {
    static var typeName: String { "Shelf" }
    static var primaryKey: String { "id" }
    var id = 0
    var rows: [String: [[Place]?]] = ["a": [nil, [Place()]]]
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("rows", &rows)
    }
  }

  @Test("Additive: containers that are there from the beginning have what was added inside of them")
  func initialContainers() throws {
    let fileSystem = InMemoryFileSystem()
    func put<Model: StorableObject>(_ objects: Model...) throws {
      try EmbeddedGrowthTests.open(Model.self, fileSystem) { (store) throws in
        try store.write { transaction in
          for object in objects { try transaction.put(object) }
        }
      }
    }
    try put(Bare(id: 0))
    try put(Shelf<Place>(id: 1))
    try put(Shelf<NewerPlace>(id: 2, rows: ["b": []]))
    try put(Bare(id: 2), Bare(id: 3))
    try put(Shelf<Place>(id: 4, rows: ["b": [[Place(latitude: 2)], []]]))
    let begin = ["a": [nil, [NewerPlace()]]]
    try EmbeddedGrowthTests.open(Shelf<NewerPlace>.self, fileSystem) { (store) throws in
      let rows = try (0..<5).map { try store.snapshot().get(Shelf<NewerPlace>.self, $0)?.rows }
      #expect(rows == [begin, begin, ["b": []], begin, ["b": [[NewerPlace(latitude: 2)], []]]])
    }
  }

  typealias Older = Holder<[String: [[ListGrowthTests.Line]]]>
  typealias Newer = Holder<[String: [[ListGrowthTests.NewerLine]]]>

  /// How many objects have what the newer app wrote; then the older one writes each, and what the
  /// newer one had in it must stay.
  static func check(_ fileSystem: SimulatedFileSystem) throws -> Int {
    let configuration = AdditiveCrashTests.configuration
    var lines: [Int: [ListGrowthTests.NewerLine]] = [:]
    try EmbeddedGrowthTests.open(Newer.self, fileSystem, configuration) { (store) throws in
      for id in 0..<6 {
        let member = try store.snapshot().get(Newer.self, id)?.member
        let line = member?["a"]?.last ?? []
        guard member == ["a": [[], line]],
          [ListGrowthTests.newer("s\(id)/n\(id)"), ListGrowthTests.newer("s\(id)")].contains(line)
        else { throw CaseFailure("\(id) is \(String(describing: member))") }
        lines[id] = line
      }
    }
    try EmbeddedGrowthTests.open(Older.self, fileSystem, configuration) { (store) throws in
      try store.write { transaction in
        for id in 0..<6 {
          var object = try #require(try transaction.get(Older.self, id))
          object.member["a"]?.reverse()
          try transaction.put(object)
        }
      }
    }
    try EmbeddedGrowthTests.open(Newer.self, fileSystem, configuration) { (store) throws in
      for id in 0..<6 {
        let member = try store.snapshot().get(Newer.self, id)?.member
        guard member == ["a": [lines[id] ?? [], []]] else {
          throw CaseFailure("\(id) became \(String(describing: member))")
        }
      }
    }
    return lines.values.count { $0[0].note != "-" }
  }

  @Test("Additive, P1: cut off at any write, neither app has lost anything in containers of such")
  func crashes() throws {
    let configuration = AdditiveCrashTests.configuration
    let start = SimulatedFileSystem()
    try EmbeddedGrowthTests.open(Older.self, start, configuration) { (store) throws in
      try store.write { transaction in
        for id in 0..<6 {
          try transaction.put(
            Older(id: id, member: ["a": [[], ListGrowthTests.older("s\(id)")]]))
        }
      }
    }
    let fileSystem = SimulatedFileSystem(files: start.snapshotOfFiles(in: "/s"), in: "/s")
    fileSystem.recordCrashPoints()
    try EmbeddedGrowthTests.open(Newer.self, fileSystem, configuration) { (store) throws in
      for half in [0..<3, 3..<6] as [Range<Int>] {
        try store.write { transaction in
          for id in half {
            try transaction.put(
              Newer(id: id, member: ["a": [[], ListGrowthTests.newer("s\(id)/n\(id)")]]))
          }
        }
      }
      _ = try store.compact()
    }
    var counts: [Int: Int] = [:]
    var failures: [String] = []
    for point in fileSystem.crashPoints {
      for choice in point.choices(exhaustiveUnitCount: 1, randomCount: 1) {
        do { counts[try Self.check(point.afterCrash(choice)), default: 0] += 1 } catch {
          failures.append("\(point): \(error)")
        }
      }
    }
    print("crash states of containers that grow: \(counts) by how many objects were written")
    #expect(failures == [])
    #expect(Set(counts.keys) == [0, 3, 6])
  }
}
