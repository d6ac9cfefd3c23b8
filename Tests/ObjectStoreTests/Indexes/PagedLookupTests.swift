import FileIO
import StorageTestSupport
import Testing

@testable import ObjectStore

/// Look-ups by a member that begin behind an object.
@Suite("Pages of a look-up are the whole look-up")
struct PagedLookupTests {
  struct Note: StorableObject, Equatable {
    static let typeName = "Note"
    static let primaryKey = "id"
    static let indexes = ["size", "tags", "text"].map { IndexDeclaration($0) }
    var id = 0
    var size: Int?
    var tags: [String] = []
    var text = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("size", &size)
      try visitor.member("tags", &tags)
      try visitor.member("text", &text)
    }
  }

  /// The same type for an app that knows less.
  struct SmallNote: StorableObject {
    static let typeName = "Note"
    static let primaryKey = "id"
    var id = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("id", &id) }
  }

  static let history = SchemaHistory {
    Base(0) {
      Type("Note", key: "id") {
        Field("id", .int64)
        Field("size", .optional(.int64))
        Field("tags", .list(.string))
        Field("text", .string)
      }
    }
  }

  static let selections: [(String, MemberSelection)] = [
    ("size", .between(.including(2), .excluding(6))), ("size", .equal(to: 3)),
    ("size", .equal(to: .null)), ("size", .between()), ("tags", .containing("a")),
    ("text", .prefix("t")), ("text", .between(.excluding("s"))),
  ]

  /// A store of forty objects whose members repeat; without `hasIndexes` all are read.
  static func makeStore(
    hasIndexes: Bool, using generator: inout SeededGenerator
  ) throws -> Store {
    let fileSystem = InMemoryFileSystem()
    func open(_ models: [any StorableObject.Type]) throws -> Store {
      try Store.open(
        at: "/s", models: models, history: history, configuration: .quiet, fileSystem: fileSystem)
    }
    // Long texts that begin alike lie among each other, in the order of their keys.
    let long = "t" + String(repeating: "x", count: 300)
    let store = try open(hasIndexes ? [Note.self] : [])
    for id in 0..<40 {
      let size = Int64.random(in: 0..<8, using: &generator)
      let tags = ["a", "b"].filter { _ in Bool.random(using: &generator) }
      let texts = ["s", "t", long + "1", long + "2"]
      let note: [Value] = [
        .int(Int64(id)), Bool.random(using: &generator) ? .null : .int(size),
        .list(tags.map { .string($0) }), .string(texts.randomElement(using: &generator) ?? ""),
      ]
      try store.write { try $0.put(note, ofType: "Note") }
    }
    if hasIndexes { return store }
    try store.close()
    let again = try open([Note.self])
    #expect(again.incompleteIndexes.count == 3)
    return again
  }

  @Test(
    "With and without an index, in both orders, also while objects between the pages change",
    arguments: 1...6 as ClosedRange<UInt64>)
  func pages(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let store = try Self.makeStore(hasIndexes: seed % 2 == 0, using: &generator)
    let snapshot = store.snapshot()
    for (member, selection) in Self.selections {
      for order in [KeyOrder.ascending, .descending] {
        func lookUp() throws -> MatchCursor<Note> {
          try snapshot.objects(Note.self, where: member, selecting: selection, order: order)
        }
        let all = try lookUp().all()
        #expect(try lookUp().count() == all.count && !all.isEmpty, "seed \(seed) \(member)")
        var paged: [Note] = []
        while true {
          let walk = try lookUp()
          if let last = paged.last { try walk.start(after: last) }
          var page: [Note] = []
          while page.count < 3, let note = try walk.next() { page.append(note) }
          if page.isEmpty { break }
          paged += page
        }
        #expect(paged == all, "seed \(seed) \(member) \(selection) \(order)")
      }
    }
    try store.close()
  }

  @Test("An object that changed, went, or was never found has the place that its value gives it")
  func otherPlaces() throws {
    var generator = SeededGenerator(seed: 1)
    let store = try Self.makeStore(hasIndexes: true, using: &generator)
    try store.write { transaction in
      try transaction.deleteAll(of: Note.self)
      try transaction.put(contentsOf: (0..<6).map { Note(id: $0, size: $0, tags: ["a"]) })
    }
    func found(
      _ order: KeyOrder, _ selection: MemberSelection, after note: Note
    ) throws -> [Int] {
      let walk = try store.snapshot().objects(
        Note.self, where: "size", selecting: selection, order: order)
      try walk.start(after: note)
      return try walk.all().map(\.id)
    }
    try store.write { try $0.delete(Note.self, 3) }
    #expect(try found(.ascending, .between(), after: Note(id: 3, size: 3)) == [4, 5])
    #expect(try found(.descending, .between(), after: Note(id: 3, size: 3)) == [2, 1, 0])
    #expect(try found(.ascending, .between(), after: Note(id: -1, size: 4)) == [4, 5])
    let narrow = MemberSelection.between(.including(1), .including(4))
    #expect(try found(.ascending, narrow, after: Note(id: 9, size: -5)) == [1, 2, 4])
    #expect(try found(.ascending, narrow, after: Note(id: 9, size: 5)) == [])
    #expect(try found(.descending, narrow, after: Note(id: 9, size: 9)) == [4, 2, 1])
    #expect(try found(.descending, narrow, after: Note(id: 9, size: 0)) == [])
    let dynamic = try store.snapshot().objects(
      ofType: "Note", where: "size", selecting: .between(), order: .descending)
    let two = try #require(try store.snapshot().object(ofType: "Note", key: 2))
    try dynamic.start(after: two)
    #expect(try dynamic.count() == 2)
    try store.close()
  }

  struct Failing: Error {}

  @Test(
    "What is behind each object is the rest, also where a policy stands in for objects that fail",
    arguments: [false, true], [false, true])
  func failing(isBuilt: Bool, hasPolicy: Bool) throws {
    let later = SchemaHistory(
      base: Self.history.base,
      versions: [
        Version(1) {
          On("Note") {
            Convert("text", to: .string) { (text: String) throws -> String in
              if text == "bad" { throw Failing() }
              return text
            }
          }
        }
      ])
    let fileSystem = InMemoryFileSystem()
    var configuration = StoreConfiguration.quiet
    if hasPolicy {
      configuration.failurePolicies["Note"] = .fallback { failed in
        ["size": failed.members["size"] ?? .null, "text": "?", "tags": .list([])]
      }
    }
    func open(_ history: SchemaHistory) throws -> Store {
      try Store.open(
        at: "/s", models: [Note.self], history: history, configuration: configuration,
        fileSystem: fileSystem)
    }
    var store = try open(Self.history)
    try store.write { transaction in
      for id in 0..<9 {
        try transaction.put(Note(id: id, size: id % 4, text: id % 3 == 1 ? "bad" : "good"))
      }
    }
    try store.close()
    store = try open(later)
    if isBuilt { try store.buildIndexes() }
    for order in [KeyOrder.ascending, .descending] {
      func rest(after last: Note?) throws -> [Note] {
        let walk = try store.snapshot().objects(
          Note.self, where: "size", in: 0..., order: order)
        if let last { try walk.start(after: last) }
        var notes: [Note] = []
        while true {
          do {
            guard let note = try walk.next() else { return notes }
            notes.append(note)
          } catch { #expect(!hasPolicy) }
        }
      }
      let whole = try rest(after: nil)
      #expect(whole.count == (hasPolicy ? 9 : 6))
      if hasPolicy { #expect(whole.suffix(3).map(\.id) == [1, 4, 7]) }
      for (place, note) in whole.enumerated() {
        #expect(try rest(after: note) == Array(whole[(place + 1)...]), "\(order) \(place)")
      }
    }
    try store.close()
  }

  @Test("Objects of several versions are paged through as they are stored, too")
  func asStored() throws {
    let fileSystem = InMemoryFileSystem()
    let later = SchemaHistory(
      base: Self.history.base,
      versions: [Version(1) { On("Note") { Add("more", .int64, default: 5) } }])
    for (history, ids) in [(Self.history, 0..<4), (later, 4..<8)] {
      let store = try Store.open(
        at: "/s", history: history, configuration: .quiet, fileSystem: fileSystem)
      for id in ids {
        try store.write { transaction in
          try transaction.put(
            transaction.makeObject(
              ofType: "Note",
              [
                "id": .int(Int64(id)), "size": .int(Int64(id % 3)), "tags": .list([]),
                "text": .string("t"), "more": .int(1),
              ].filter { history.latestVersion == 1 || $0.key != "more" }))
        }
      }
      try store.close()
    }
    let store = try Store.open(at: "/s", configuration: .quiet, fileSystem: fileSystem)
    func walk() throws -> DynamicMatchCursor {
      try store.snapshot().objects(ofType: "Note", where: "size", selecting: .between())
    }
    let all = try walk().all()
    #expect(all.count == 8)
    for (place, note) in all.enumerated() {
      let rest = try walk()
      try rest.start(after: note)
      #expect(try rest.all().map(\.key) == all[(place + 1)...].map(\.key))
    }
    try store.close()
  }

  @Test("Counting makes no objects, and gives what a walk gives")
  func counting() throws {
    var generator = SeededGenerator(seed: 2)
    let store = try Self.makeStore(hasIndexes: true, using: &generator)
    let snapshot = store.snapshot()
    #expect(try snapshot.objects(Note.self, in: 10..<20).count() == 10)
    #expect(try snapshot.objects(ofType: "Note").count() == 40)
    let walk = try snapshot.objects(Note.self)
    _ = try walk.next()
    #expect(try walk.count() == 39 && walk.count() == 0)
    try store.close()
  }

  @Test("A model that lacks the member cannot tell where an object stands")
  func hiddenMember() throws {
    let fileSystem = InMemoryFileSystem()
    func open(_ model: any StorableObject.Type) throws -> Store {
      try Store.open(
        at: "/s", models: [model], evolution: .additive, configuration: .quiet,
        fileSystem: fileSystem)
    }
    var store = try open(Note.self)
    try store.write { try $0.put(Note(id: 1, size: 2)) }
    try store.close()
    store = try open(SmallNote.self)
    let walk = try store.snapshot().objects(SmallNote.self, where: "size", in: 1...)
    let error = try #require(throws: StoreError.self) { try walk.start(after: SmallNote(id: 1)) }
    guard case .invalidLookup("Note", "size", _) = error else { throw error }
    #expect(try walk.all().map(\.id) == [1])
    try store.close()
  }
}
