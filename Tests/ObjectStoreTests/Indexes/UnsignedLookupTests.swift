import FileIO
import SchemaRegistry
import Testing

@testable import ObjectStore

/// Of numbers from 2^63 on the bits are stored, which are those of negative numbers.
@Suite("Unsigned numbers are looked up, and deleted, only where they are held (R37)")
struct UnsignedLookupTests {
  struct Hashed: StorableObject {
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("count"), IndexDeclaration("hash")]
    var id = 0
    var count = -1
    var hash = UInt64.max
    var maybe: UInt? = .max
    var marks = [-1]
    var hashes: Set<UInt64> = [.max]
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("count", &count)
      try visitor.member("hash", &hash)
      try visitor.member("maybe", &maybe)
      try visitor.member("marks", &marks)
      try visitor.member("hashes", &hashes)
    }
  }

  struct CodedHashed: CodableObject {
    static let primaryKey = "id"
    var id = 0
    var count = -1
    var hash = UInt64.max
    var maybe: UInt? = .max
    var marks = [-1]
    var hashes: Set<UInt64> = [.max]
  }

  static func makeStore() throws -> Store {
    let store = try Store.open(
      at: "/s", models: [Hashed.self, CodedHashed.self], evolution: .additive,
      configuration: .quiet, fileSystem: InMemoryFileSystem())
    try store.write { transaction in
      try transaction.put(Hashed())
      try transaction.put(CodedHashed())
    }
    return store
  }

  private static func expectRefused(
    _ reason: String, _ location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) {
    do {
      try body()
      Issue.record("nothing was refused", sourceLocation: location)
    } catch StoreError.invalidLookup(_, _, let told) {
      #expect(told.contains(reason), sourceLocation: location)
      #expect(told.contains("give a value of the member's type"), sourceLocation: location)
    } catch { Issue.record("\(error)", sourceLocation: location) }
  }

  private static func check<Model: StorableObject>(_ store: Store, _ model: Model.Type) throws {
    let snapshot = store.snapshot()
    for count in [
      try snapshot.objects(model, where: "hash", equals: UInt64.max).count(),
      try snapshot.objects(model, where: "hash", equals: UInt.max).count(),
      try snapshot.objects(model, where: "maybe", equals: UInt64.max).count(),
      try snapshot.objects(model, where: "maybe", equals: UInt?.some(.max)).count(),
      try snapshot.objects(model, where: "hashes", contains: UInt64.max).count(),
      try snapshot.objects(model, where: "count", equals: -1).count(),
      try snapshot.objects(model, where: "marks", contains: Int64(-1)).count(),
    ] { #expect(count == 1) }
    #expect(try snapshot.objects(model, where: "count", equals: UInt64(5)).count() == 0)
    expectRefused("an unsigned number from 2^63 on was given") {
      _ = try snapshot.objects(model, where: "count", equals: UInt64.max)
    }
    expectRefused("an unsigned number from 2^63 on was given") {
      _ = try snapshot.objects(model, where: "marks", contains: UInt.max)
    }
    expectRefused("it holds unsigned numbers, and a negative one was given") {
      _ = try snapshot.objects(model, where: "hash", equals: -1)
    }
    expectRefused("it holds unsigned numbers, and a negative one was given") {
      _ = try snapshot.objects(model, where: "hashes", contains: -1)
    }
  }

  @Test("Look-ups by name find no negative number in place of one from 2^63 on")
  func lookups() throws {
    let store = try Self.makeStore()
    try Self.check(store, Hashed.self)
    try Self.check(store, CodedHashed.self)
    let snapshot = store.snapshot()
    #expect(try snapshot.objects(Hashed.self, where: \.hash, equals: UInt64.max).count() == 1)
    #expect(try snapshot.objects(Hashed.self, where: \.count, equals: -1).count() == 1)
    #expect(try snapshot.objects(Hashed.self, where: \.hashes, contains: UInt64.max).count() == 1)
    try store.close()
  }

  @Test("Deletions by name remove none in place of it")
  func deletions() throws {
    let store = try Self.makeStore()
    Self.expectRefused("an unsigned number from 2^63 on was given") {
      _ = try store.write { try $0.delete(Hashed.self, where: "count", equals: UInt64.max) }
    }
    Self.expectRefused("an unsigned number from 2^63 on was given") {
      _ = try store.write { transaction in
        try transaction.delete(CodedHashed.self, where: "marks", contains: UInt64.max)
      }
    }
    #expect(try store.snapshot().count(Hashed.self) == 1)
    #expect(try store.snapshot().count(CodedHashed.self) == 1)
    #expect(try store.write { try $0.delete(Hashed.self, where: "hash", equals: UInt64.max) } == 1)
    try store.close()
  }

  /// Counts how many objects of it are made.
  struct Counting: StorableObject {
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("count"), IndexDeclaration("hash")]
    static let made = Lock(0)
    var id = 0
    var count = 0
    var hash: UInt64 = 0
    init() { Self.made.withLock { made in made += 1 } }
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("count", &count)
      try visitor.member("hash", &hash)
    }
  }

  @Test("A model is asked once what a member stores, however often that is looked up")
  func askedOnce() throws {
    let store = try Store.open(
      at: "/s", models: [Counting.self], evolution: .additive, configuration: .quiet,
      fileSystem: InMemoryFileSystem())
    try store.write { try $0.put(Counting()) }
    let snapshot = store.snapshot()
    func lookUp() throws {
      _ = try snapshot.objects(Counting.self, where: "count", equals: -1)
      _ = try snapshot.objects(Counting.self, where: "hash", equals: UInt64.max)
      Self.expectRefused("it holds unsigned numbers, and a negative one was given") {
        _ = try snapshot.objects(Counting.self, where: "hash", equals: -1)
      }
    }
    try lookUp()
    let made = Counting.made.withLock { made in made }
    for _ in 0..<3 { try lookUp() }
    #expect(Counting.made.withLock { made in made } == made)
    try store.close()
  }

  /// Its member is another one from one store to the next.
  struct Varying: StorableObject {
    static let primaryKey = "id"
    static let isUnsigned = Lock(false)
    var id = 0
    var count = -1
    var hash = UInt64.max
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      if Self.isUnsigned.withLock({ isUnsigned in isUnsigned }) {
        try visitor.member("number", &hash)
      } else {
        try visitor.member("number", &count)
      }
    }
  }

  @Test("What a member stores is that of the store that is asked")
  func varying() throws {
    for isUnsigned in [false, true] {
      Varying.isUnsigned.withLock { held in held = isUnsigned }
      let store = try Store.open(
        at: "/s", models: [Varying.self], evolution: .additive, configuration: .quiet,
        fileSystem: InMemoryFileSystem())
      try store.write { try $0.put(Varying()) }
      let snapshot = store.snapshot()
      if isUnsigned {
        #expect(
          try snapshot.objects(Varying.self, where: "number", equals: UInt64.max).count() == 1)
        Self.expectRefused("it holds unsigned numbers, and a negative one was given") {
          _ = try snapshot.objects(Varying.self, where: "number", equals: -1)
        }
      } else {
        #expect(try snapshot.objects(Varying.self, where: "number", equals: -1).count() == 1)
        Self.expectRefused("an unsigned number from 2^63 on was given") {
          _ = try snapshot.objects(Varying.self, where: "number", equals: UInt64.max)
        }
      }
      try store.close()
    }
  }

  struct CodedWrapped: CodableObject {
    static let primaryKey = "id"
    var id = 0
    @CodableWrapperTests.Plain var count: Int = -1
    @CodableWrapperTests.Plain var hash: UInt64 = .max
  }

  @Test("So it is for members whose types are only Codable")
  func coded() throws {
    let store = try Store.open(
      at: "/s", models: [CodedWrapped.self], evolution: .additive, configuration: .quiet,
      fileSystem: InMemoryFileSystem())
    try store.write { try $0.put(CodedWrapped()) }
    let (snapshot, model) = (store.snapshot(), CodedWrapped.self)
    #expect(try snapshot.objects(model, where: "count", equals: -1).count() == 1)
    #expect(try snapshot.objects(model, where: "hash", equals: UInt64.max).count() == 1)
    Self.expectRefused("an unsigned number from 2^63 on was given") {
      _ = try snapshot.objects(model, where: "count", equals: UInt64.max)
    }
    Self.expectRefused("it holds unsigned numbers, and a negative one was given") {
      _ = try snapshot.objects(model, where: "hash", equals: -1)
    }
    try store.close()
  }

  struct Owner: StorableObject {
    static let primaryKey = "id"
    var id = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("id", &id) }
  }

  struct Named: StorableObject {
    static let primaryKey = "name"
    var name = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("name", &name) }
  }

  struct Owned: StorableObject {
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("owner")]
    var id = 0
    var hash = UInt64.max
    var owner = Link<Owner>(key: -1)
    var maybe: Link<Owner>? = Link(key: -1)
    var owners = [Link<Owner>(key: -1)]
    var named = Link<Named>(key: "a")
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("hash", &hash)
      try visitor.member("owner", &owner)
      try visitor.member("maybe", &maybe)
      try visitor.member("owners", &owners)
      try visitor.member("named", &named)
    }
  }

  struct CodedOwned: CodableObject {
    static let primaryKey = "id"
    var id = 0
    var hash = UInt64.max
    var owner = Link<Owner>(key: -1)
    var maybe: Link<Owner>? = Link(key: -1)
    var owners = [Link<Owner>(key: -1)]
    var named = Link<Named>(key: "a")
  }

  private static func checkLinks<Model: StorableObject>(
    _ store: Store, _ model: Model.Type
  ) throws {
    let snapshot = store.snapshot()
    let link = Link<Owner>(key: -1)
    for count in [
      try snapshot.objects(model, where: "owner", equals: -1).count(),
      try snapshot.objects(model, where: "owner", equals: link).count(),
      try snapshot.objects(model, where: "maybe", equals: link).count(),
      try snapshot.objects(model, where: "owners", contains: -1).count(),
      try snapshot.objects(model, where: "owners", contains: link).count(),
    ] { #expect(count == 1) }
    for member in ["owner", "maybe"] {
      expectRefused("an unsigned number from 2^63 on was given") {
        _ = try snapshot.objects(model, where: member, equals: UInt64.max)
      }
      expectRefused("an unsigned number from 2^63 on was given") {
        _ = try store.write { try $0.delete(model, where: member, equals: UInt.max) }
      }
    }
    expectRefused("an unsigned number from 2^63 on was given") {
      _ = try snapshot.objects(model, where: "owners", contains: UInt64.max)
    }
    expectRefused("it holds unsigned numbers, and a negative one was given") {
      _ = try snapshot.objects(model, where: "hash", equals: link)
    }
    // Of one whose key is no number its type is told.
    expectRefused("it holds string") {
      _ = try snapshot.objects(model, where: "named", equals: UInt64.max)
    }
    #expect(try store.snapshot().count(model) == 1)
  }

  @Test("No link to a negative key is found, or deleted, in place of one from 2^63 on")
  func links() throws {
    let store = try Store.open(
      at: "/s", models: [Owner.self, Named.self, Owned.self, CodedOwned.self],
      evolution: .additive, configuration: .quiet, fileSystem: InMemoryFileSystem())
    try store.write { transaction in
      try transaction.put(Owned())
      try transaction.put(CodedOwned())
    }
    try Self.checkLinks(store, Owned.self)
    try Self.checkLinks(store, CodedOwned.self)
    try store.close()
  }
}
