import FileIO
import Foundation
import LogStore
import ObjectStore
import StorageTestSupport
import Synchronization
import Testing

/// What a newcomer does wrong first, and what the library says to it.
@Suite("First mistakes are told by what they are")
struct FirstMistakeTests {
  struct Note: StorableObject {
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("title")]
    var id = UUID()
    var title = ""
    var body: String?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("title", &title)
      try visitor.member("body", &body)
    }
  }

  static func open(
    _ fileSystem: any FileSystem = InMemoryFileSystem(), at path: String = "/s"
  ) throws -> Store {
    try Store.open(
      at: path, models: [Note.self], evolution: .additive, configuration: .quiet,
      fileSystem: fileSystem)
  }

  static func text(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "no error"
    } catch { return "\(error)" }
  }

  @Test("A member that does not exist is a mistake of the look-up, and those that do are listed")
  func noMember() throws {
    let store = try Self.open()
    let sentence =
      "objects of Note cannot be looked up by titel: the type has no such member, but body, id, "
      + "title; correct the name"
    let snapshot = store.snapshot()
    #expect(
      Self.text { _ = try snapshot.objects(Note.self, where: "titel", equals: "x") } == sentence)
    #expect(
      Self.text { try store.write { _ = try $0.objects(Note.self, where: "titel", in: "a"...) } }
        == sentence)
  }

  @Test("So is a value of another type than the member's, and nil in a range")
  func otherValue() throws {
    let snapshot = try Self.open().snapshot()
    #expect(
      Self.text { _ = try snapshot.objects(Note.self, where: "title", equals: 1) }
        == "objects of Note cannot be looked up by title: it holds string, integer was given; "
        + "give a value of the member's type")
    #expect(
      Self.text {
        _ = try snapshot.objects(
          Note.self, where: "body", selecting: .between(.including(.null), .unbounded))
      }
        == "objects of Note cannot be looked up by body: null is between no two values; "
        + "absent ones are found as those equal to null")
  }

  @Test("A key of another type names the type of object and what its key is, wherever it is given")
  func otherKey() throws {
    let store = try Self.open()
    try store.write { try $0.put(Note()) }
    let sentence = "the key of Note is uuid; look it up with a value of that type"
    let snapshot = store.snapshot()
    #expect(Self.text { _ = try snapshot.get(Note.self, 17) } == sentence)
    #expect(Self.text { _ = try snapshot.get(Note.self, keys: [1, 2]) } == sentence)
    #expect(Self.text { _ = try snapshot.object(ofType: "Note", key: .int(1)) } == sentence)
    #expect(Self.text { try snapshot.objects(Note.self).seek(to: "a") } == sentence)
    #expect(Self.text { _ = try snapshot.objects(Note.self, in: 1...2) } == sentence)
    #expect(Self.text { try store.write { _ = try $0.get(Note.self, 17) } } == sentence)
    #expect(Self.text { try store.write { try $0.delete(Note.self, 17) } } == sentence)
    #expect(Self.text { _ = try snapshot.objects(Note.self, prefix: "a") } == sentence)
  }

  @Test("The text of an error is its localized description, too")
  func localized() {
    let errors: [any Error & CustomStringConvertible] = [
      StoreError.unregisteredModel(type: "Note"), SchemaError.reservedVersion, LogError.closed,
      FileIOError(.noSpace, operation: "write", path: "/a"),
    ]
    for error in errors { #expect(error.localizedDescription == error.description) }
  }

  @Test("A directory that is missing above the store is named, with the remedy")
  func missingParent() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/a/b"
    #expect(
      Self.text { _ = try Self.open(POSIXFileSystem(), at: path) }
        == "the store \(path) cannot be created: there is no directory \(directory.path)/a; "
        + "create it first")
  }

  @Test("A path that is empty is told as that")
  func emptyPath() {
    #expect(
      Self.text { _ = try Self.open(POSIXFileSystem(), at: "") }
        == "the path of the store is empty; give that of a directory, which need not exist yet")
  }

  @Test("A store that this process has open is said to be open here, not in a process by number")
  func openHere() throws {
    let directory = try TemporaryDirectory()
    let store = try Self.open(POSIXFileSystem(), at: directory.path + "/s")
    let text = Self.text { _ = try Self.open(POSIXFileSystem(), at: directory.path + "/s") }
    if FileManager.default.fileExists(atPath: "/proc/locks") {
      #expect(text.contains("is open in this process already"), "\(text)")
    }
    try store.close()
  }

  @Test("The configuration for reading keeps no app from opening its store, unless it says so")
  func readOnlyAdmits() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.open(fileSystem).close()
    let reader = try Store.open(
      at: "/s", models: [Note.self], evolution: .additive, configuration: .readOnly,
      fileSystem: fileSystem)
    let store = try Self.open(fileSystem)
    try store.write { try $0.put(Note(title: "new")) }
    try reader.refresh()
    #expect(try reader.snapshot().count(Note.self) == 1)
    #expect(throws: StoreError.self) { try reader.write { try $0.put(Note()) } }
  }

  private final class Listener: StoreObserver {
    let incomplete = Mutex<[[String]]>([])
    func observe(_ event: StoreEvent) {
      if case .indexesIncomplete(let names) = event { incomplete.withLock { $0.append(names) } }
    }
  }

  struct Unindexed: StorableObject {
    static let typeName = "Note"
    static let primaryKey = "id"
    var id = 0
    var slug = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("slug", &slug)
    }
  }
  struct Indexed: StorableObject {
    static let typeName = "Note"
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration.unique("slug")]
    var all = Unindexed()
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try all.visitMembers(&visitor) }
  }

  @Test("An index that was added to objects which were there is told to the observer at opening")
  func incompleteIndexes() throws {
    let fileSystem = InMemoryFileSystem()
    func open(_ model: any StorableObject.Type) throws -> [[String]] {
      let listener = Listener()
      var configuration = StoreConfiguration.quiet
      configuration.log.observer = listener
      let store = try Store.open(
        at: "/s", models: [model], evolution: .additive, configuration: configuration,
        fileSystem: fileSystem)
      if model == Unindexed.self { try store.write { try $0.put(Unindexed(id: 1)) } }
      if model == Indexed.self { try store.buildIndexes() }
      try store.close()
      return listener.incomplete.withLock { $0 }
    }
    #expect(try open(Unindexed.self) == [])
    #expect(try open(Indexed.self) == [["Note.slug"]])
    #expect(try open(Indexed.self) == [])
  }

  enum First { struct Page: PlainModel { var id = 0 } }
  enum Second { struct Page: PlainModel { var id = 0 } }

  @Test("Two models of one name are told to give one of them another")
  func twoOfOneName() throws {
    let models: [any StorableObject.Type] = [First.Page.self, Second.Page.self]
    for open in [
      { try Store(configuration: .init(inMemoryIdentifier: "\(UUID())", models: models)) },
      {
        try Store.open(
          at: "/s", models: models, evolution: .additive, configuration: .quiet,
          fileSystem: InMemoryFileSystem())
      },
    ] as [() throws -> Store] {
      let text = Self.text { _ = try open() }
      #expect(text.contains("static let typeName"), "\(text)")
    }
  }

  struct Coded<Member: Codable & Sendable>: CodableObject {
    static var typeName: String { "Coded" }
    static var primaryKey: String { "id" }
    var id: Int
    var member: Member
  }
  enum Unlisted: String, Codable { case one }
  enum Payload: Codable {
    case none
    case text(String)
  }

  @Test("An enumeration that a Codable type cannot begin with is named, with what it lacks")
  func codedEnumerations() throws {
    func text<Member: Codable & Sendable>(_ member: Member.Type) -> String {
      Self.text {
        _ = try Store.open(
          at: "/s", models: [Coded<Member>.self], evolution: .additive, configuration: .quiet,
          fileSystem: InMemoryFileSystem())
      }
    }
    let unlisted = text(Unlisted.self)
    #expect(unlisted.contains("Coded"), "\(unlisted)")
    #expect(unlisted.contains("member: Unlisted must be CaseIterable"), "\(unlisted)")
    let payload = text(Payload?.self)
    #expect(payload.contains("member: Payload"), "\(payload)")
    #expect(payload.contains("associated values"), "\(payload)")
  }
}

/// A model with a key alone.
protocol PlainModel: StorableObject { var id: Int { get set } }

extension PlainModel {
  static var primaryKey: String { "id" }
  mutating func visitMembers<Visitor: MemberVisitor>(
    _ visitor: inout Visitor
  ) throws(StoreError) { try visitor.member("id", &id) }
}
