import FileIO
import ObjectStore
import StorageTestSupport
import Testing

@Suite("Objects that are put together are those put one after another")
struct ManyObjectsTests {
  typealias Account = UniqueMemberTests.Account

  struct Note: StorableObject, Equatable {
    static let primaryKey = "id"
    var id = 0
    var text = ""
    var place: String?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("text", &text)
      try visitor.member("place", &place)
    }
  }

  /// The same with its members in another order.
  struct TurnedNote: StorableObject, Equatable {
    static let typeName = "Note"
    static let primaryKey = "id"
    var id = 0
    var text = ""
    var place: String?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("place", &place)
      try visitor.member("text", &text)
      try visitor.member("id", &id)
    }
  }

  private static let history = SchemaHistory {
    Base(0) {
      Type("Note", key: "id") {
        Field("id", .int64)
        Field("text", .string)
        Field("place", .optional(.string))
      }
    }
  }

  private static func open<Model: StorableObject>(_ model: Model.Type) throws -> Store {
    try Store.open(
      at: "/notes", models: [model], history: history, configuration: .quiet,
      fileSystem: InMemoryFileSystem())
  }

  /// Some keys twice.
  private static func notes(_ count: Int) -> [Note] {
    (0..<count).map { number in
      Note(
        id: number * 7 % (count - count / 10), text: String(repeating: "note \(number) ", count: 4),
        place: number % 3 == 0 ? "place \(number)" : nil)
    }
  }

  @Test("Some, many and very large ones, by models in the store's order and in another")
  func objectsAreEqual() throws {
    for count in [1, 100, 511, 512, 513, 2000] {
      let notes = Self.notes(count)
      let stores = (try Self.open(Note.self), try Self.open(Note.self))
      try stores.0.write { transaction in for note in notes { try transaction.put(note) } }
      try stores.1.write { try $0.put(contentsOf: notes) }
      #expect(try stores.0.allObjects(Note.self) == stores.1.allObjects(Note.self), "\(count)")
      #expect(try stores.1.allObjects(Note.self).count <= count)
      let turned = (try Self.open(TurnedNote.self), try Self.open(TurnedNote.self))
      let others = notes.map { TurnedNote(id: $0.id, text: $0.text, place: $0.place) }
      try turned.0.write { transaction in for note in others { try transaction.put(note) } }
      try turned.1.write { try $0.put(contentsOf: others) }
      #expect(
        try turned.0.allObjects(TurnedNote.self) == turned.1.allObjects(TurnedNote.self))
    }
    let large = (0..<6).map { Note(id: $0, text: String(repeating: "long", count: 40_000)) }
    let store = try Self.open(Note.self)
    try store.write { transaction in
      try transaction.put(contentsOf: large)
      try transaction.put(contentsOf: [Note]())
      let seen = try transaction.get(Note.self, 3)
      #expect(seen == large[3], "the transaction sees them")
    }
    #expect(try store.allObjects(Note.self) == large)
  }

  /// The same without a member that the store has.
  struct BareNote: StorableObject, Equatable {
    static let typeName = "Note"
    static let primaryKey = "id"
    var id = 0
    var text = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("text", &text)
    }
  }

  @Test("What a model lacks stays in each object that it replaces")
  func hiddenMembersStay() throws {
    func additive<Model: StorableObject>(
      _ model: Model.Type, _ fileSystem: any FileSystem
    ) throws -> Store {
      try Store.open(
        at: "/notes", models: [model], evolution: .additive, configuration: .quiet,
        fileSystem: fileSystem)
    }
    var found: [[Note]] = []
    for isTogether in [false, true] {
      let fileSystem = InMemoryFileSystem()
      let store = try additive(Note.self, fileSystem)
      try store.write { transaction in
        for id in 0..<600 {
          try transaction.put(Note(id: id, text: "old", place: id % 2 == 0 ? "at \(id)" : nil))
        }
      }
      try store.close()
      let bare = try additive(BareNote.self, fileSystem)
      let notes = (0..<1300).map { BareNote(id: $0 * 7 % 900, text: "new \($0)") }
      try bare.write { transaction in
        if isTogether {
          try transaction.put(contentsOf: notes)
        } else {
          for note in notes { try transaction.put(note) }
        }
      }
      try bare.close()
      let whole = try additive(Note.self, fileSystem)
      found.append(try whole.allObjects(Note.self))
      try whole.close()
    }
    #expect(found[0] == found[1])
    #expect(found[1].count == 900)
    for note in found[1] {
      #expect(note.text.hasPrefix("new"))
      #expect(note.place == (note.id < 600 && note.id % 2 == 0 ? "at \(note.id)" : nil))
    }
  }

  @Test("When one of them may not be stored, those before it are, and the others are not")
  func theFirstErrorEnds() throws {
    let store = try Self.open(Note.self)
    var notes = Self.notes(300)
    // More than a payload may have.
    notes[200].text = String(repeating: "x", count: 65 << 20)
    let before = Dictionary(notes[..<200].map { ($0.id, $0) }) { _, last in last }
    try store.write { transaction in
      _ = #expect(throws: StoreError.self) { try transaction.put(contentsOf: notes) }
    }
    let found = Dictionary(
      uniqueKeysWithValues: try store.allObjects(Note.self).map { ($0.id, $0) })
    #expect(found == before)
  }

  @Test("H5: indexes are kept, and a value that another of them has is refused")
  func indexesAreKept() throws {
    let store = try UniqueMemberTests.open(UniqueMemberTests.first, InMemoryFileSystem())
    let accounts = (0..<700).map { Account(id: $0, mail: "mail \($0)") }
    try store.write { try $0.put(contentsOf: accounts) }
    #expect(try store.allObjects(Account.self) == accounts)
    #expect(throws: StoreError.notUnique(type: "Account", member: "mail", keyText: "699")) {
      try store.write { transaction in
        try transaction.put(contentsOf: [
          Account(id: 5, mail: "another"), Account(id: 6, mail: "mail 699"),
        ])
      }
    }
    #expect(try store.allObjects(Account.self) == accounts, "nothing of it was committed")
  }
}

extension Store {
  fileprivate func allObjects<Model: StorableObject>(_ model: Model.Type) throws -> [Model] {
    var found: [Model] = []
    try read { snapshot in
      let cursor = try snapshot.objects(model)
      while let object = try cursor.next() { found.append(object) }
    }
    return found
  }
}
