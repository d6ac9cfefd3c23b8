import FileIO
import LogStore
import StorageTestSupport
import Testing

@testable import ObjectStore

/// Flipped bits in a record, or a bad place of the disk, cost that record, with an index as without
/// one.
@Suite("A damaged object blocks nothing but itself (P13, R37)")
struct DamagedObjectTests {
  struct Note: StorableObject, Equatable {
    static let primaryKey = "id"
    static let indexes: [IndexDeclaration] = [.unique("name"), IndexDeclaration("tags")]
    var id = 0
    var name = ""
    var tags: [String] = []
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("name", &name)
      try visitor.member("tags", &tags)
    }
  }

  /// The same without indexes.
  struct PlainNote: StorableObject {
    static let typeName = "Note"
    static let primaryKey = "id"
    var id = 0
    var name = ""
    var tags: [String] = []
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("name", &name)
      try visitor.member("tags", &tags)
    }
  }

  struct Other: StorableObject {
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("size")]
    var id = 0
    var size = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("size", &size)
    }
  }

  struct PlainOther: StorableObject {
    static let typeName = "Other"
    static let primaryKey = "id"
    var id = 0
    var size = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("size", &size)
    }
  }

  static let history = SchemaHistory {
    Base(0) {
      Type("Note", key: "id") {
        Field("id", .int64)
        Field("name", .string)
        Field("tags", .list(.string))
      }
      Type("Other", key: "id") {
        Field("id", .int64)
        Field("size", .int64)
      }
    }
  }

  enum Harm: CaseIterable, Sendable { case flippedBit, unreadable }

  static func open(
    _ fileSystem: any FileSystem, _ models: [any StorableObject.Type]
  ) throws -> Store {
    var configuration = StoreConfiguration.quiet
    configuration.log.compression = .none
    configuration.log.readMode = .buffered
    return try Store.open(
      at: "/s", models: models, history: history, configuration: configuration,
      fileSystem: fileSystem)
  }

  /// A store of five notes, of which the third is damaged, and three others; with indexes, or with
  /// indexes that are declared later.
  static func makeStore(isIndexed: Bool, _ harm: Harm) throws -> Store {
    let fileSystem = SimulatedFileSystem()
    let store = try open(
      fileSystem, isIndexed ? [Note.self, Other.self] : [PlainNote.self, PlainOther.self])
    try store.write { transaction in
      for id in 0..<5 {
        let values: [Value] = [
          .int(Int64(id)), .string("name \(id)"), .list([.string("all"), .string("tag \(id)")]),
        ]
        try transaction.put(values, ofType: "Note")
      }
      for id in 0..<3 { try transaction.put([.int(Int64(id)), .int(7)], ofType: "Other") }
    }
    try store.close()
    // The name and the tags lie together in the payload only.
    let wanted = [UInt8]("name 2".utf8) + [2, 3] + [UInt8]("all".utf8)
    var places: [(name: String, offset: Int)] = []
    for (name, bytes) in fileSystem.snapshotOfFiles(in: "/s") where name.hasPrefix("segment") {
      for place in bytes.indices where bytes[place...].starts(with: wanted) {
        places.append((name, place))
      }
    }
    try #require(places.count == 1)
    let (name, offset) = places[0]
    if harm == .flippedBit { fileSystem.flipBit(0, of: name, in: "/s", at: offset) }
    let opened = try open(fileSystem, [Note.self, Other.self])
    // From now on, as opening reads what was written last.
    if harm == .unreadable {
      fileSystem.setOverlays([ReadOverlay(file: "s/" + name, .unreadable(offset..<offset + 1))])
    }
    return opened
  }

  static func isDamage(_ error: any Error) -> Bool {
    if case StoreError.log(let cause) = error { cause.damage != nil } else { false }
  }

  /// What a walk gives, and how many errors it tells of besides.
  static func all(_ walk: MatchCursor<Note>) throws -> (ids: [Int], errorCount: Int) {
    var (ids, errorCount) = ([Int](), 0)
    while true {
      do {
        guard let note = try walk.next() else { return (ids, errorCount) }
        ids.append(note.id)
      } catch {
        guard isDamage(error) else { throw error }
        errorCount += 1
        if errorCount > 9 { return (ids, errorCount) }
      }
    }
  }

  static func find(
    _ store: Store, _ member: String, _ selection: MemberSelection
  ) throws -> (ids: [Int], errorCount: Int) {
    try all(try store.snapshot().objects(Note.self, where: member, selecting: selection))
  }

  @Test("R37: where a part of the objects is lost nobody can tell whether a value is unique")
  func lostSegment() throws {
    let fileSystem = SimulatedFileSystem()
    func open(_ models: [any StorableObject.Type]) throws -> Store {
      var configuration = StoreConfiguration.quiet
      configuration.log.compression = .none
      configuration.log.maintenance = .none
      configuration.log.segmentByteCountMinimum = 4096
      configuration.log.segmentByteCountMaximum = 4096
      return try Store.open(
        at: "/s", models: models, history: Self.history, configuration: configuration,
        fileSystem: fileSystem)
    }
    var store = try open([PlainNote.self])
    for id in 0..<300 {
      try store.write { try $0.put(PlainNote(id: id, name: "name \(id)")) }
    }
    try store.close()
    let segments = fileSystem.snapshotOfFiles(in: "/s").keys.filter { $0.hasPrefix("segment") }
    try #require(segments.count > 4)
    fileSystem.removeFile(segments.sorted()[segments.count / 2], in: "/s")
    store = try open([Note.self])
    #expect(try store.snapshot().get(Note.self, 299)?.name == "name 299")
    #expect(throws: StoreError.self) {
      try store.write { try $0.put(Note(id: 1000, name: "name 299")) }
    }
    #expect(try store.snapshot().get(Note.self, 1000) == nil)
    try store.close()
  }

  @Test("All objects of a type can be removed with it", arguments: [false, true], Harm.allCases)
  func allRemoved(isIndexed: Bool, harm: Harm) throws {
    let store = try Self.makeStore(isIndexed: isIndexed, harm)
    let count = try store.write { try $0.deleteAll(of: Note.self) }
    #expect(count == 5)
    let snapshot = store.snapshot()
    #expect(
      try Self.all(try snapshot.objects(Note.self, where: "tags", contains: "all")) == ([], 0))
    #expect(try snapshot.count(Note.self) == 0)
    #expect(try snapshot.count(Other.self) == 3)
    try store.close()
  }

  @Test(
    "A put heals it, and deleting takes it away, indexed or not", arguments: [false, true],
    Harm.allCases)
  func replaced(isIndexed: Bool, harm: Harm) throws {
    for isDeleted in [false, true] {
      let store = try Self.makeStore(isIndexed: isIndexed, harm)
      #expect(throws: StoreError.self) { try store.snapshot().get(Note.self, 2) }
      if isDeleted { try store.write { try $0.delete(Note.self, 2) } }
      // With the name that it had, which is its own.
      let note = Note(id: 2, name: "name 2", tags: ["new"])
      try store.write { try $0.put(note) }
      #expect(try store.snapshot().get(Note.self, 2) == note)
      for _ in 0..<2 {
        #expect(try Self.find(store, "name", .equal(to: "name 2")) == ([2], 0))
        #expect(try Self.find(store, "tags", .containing("all")) == ([0, 1, 3, 4], 0))
        #expect(try Self.find(store, "tags", .containing("tag 2")) == ([], 0))
        #expect(try Self.find(store, "tags", .containing("new")) == ([2], 0))
        // Values of others are refused as ever, and the one that it gave up is free.
        #expect(throws: StoreError.notUnique(type: "Note", member: "name", keyText: "3")) {
          try store.write { try $0.put(Note(id: 2, name: "name 3")) }
        }
        try store.buildIndexes()
      }
      try store.write { try $0.put(Note(id: 2, name: "other")) }
      try store.write { try $0.put(Note(id: 9, name: "name 2")) }
      #expect(try Self.find(store, "name", .equal(to: "name 2")) == ([9], 0))
      #expect(try Self.find(store, "tags", .containing("new")) == ([], 0))
      try store.close()
    }
  }

  @Test(
    "A look-up gives all others, and tells of it once, indexed or not", arguments: [false, true],
    Harm.allCases)
  func lookedUp(isIndexed: Bool, harm: Harm) throws {
    let store = try Self.makeStore(isIndexed: isIndexed, harm)
    #expect(try Self.find(store, "tags", .containing("all")) == ([0, 1, 3, 4], 1))
    #expect(try Self.find(store, "name", .between()) == ([0, 1, 3, 4], 1))
    // Who reads all does not know what it had.
    #expect(try Self.find(store, "name", .equal(to: "name 4")) == ([4], isIndexed ? 0 : 1))
    // Pages go by it.
    let walk = try store.snapshot().objects(Note.self, where: "name", selecting: .between())
    try walk.start(after: Note(id: 1, name: "name 1", tags: ["all", "tag 1"]))
    #expect(try Self.all(walk) == ([3, 4], 1))
    let behind = try store.snapshot().objects(Note.self, where: "name", selecting: .between())
    try behind.start(after: Note(id: 2, name: "name 2"))
    #expect(try Self.all(behind).ids == [3, 4])
    try store.close()
  }

  @Test("R38: new values of a unique member are put beside it", arguments: Harm.allCases)
  func unique(harm: Harm) throws {
    for isIndexed in [false, true] {
      let store = try Self.makeStore(isIndexed: isIndexed, harm)
      try store.write { try $0.put(Note(id: 7, name: "name 7")) }
      #expect(throws: StoreError.notUnique(type: "Note", member: "name", keyText: "4")) {
        try store.write { try $0.put(Note(id: 8, name: "name 4")) }
      }
      try store.close()
    }
  }

  @Test(
    "Its type stays without complete indexes, others get theirs, and the error is told",
    arguments: Harm.allCases)
  func built(harm: Harm) throws {
    let store = try Self.makeStore(isIndexed: false, harm)
    #expect(store.incompleteIndexes == ["Note.name", "Note.tags", "Other.size"])
    for _ in 0..<2 {
      let error = #expect(throws: StoreError.self) { try store.buildIndexes() }
      #expect(error.map(Self.isDamage) == true)
      #expect(store.incompleteIndexes == ["Note.name", "Note.tags"])
    }
    try store.write { try $0.put(Note(id: 2, name: "name 2")) }
    try store.buildIndexes()
    #expect(store.incompleteIndexes == [])
    try store.close()
  }
}
