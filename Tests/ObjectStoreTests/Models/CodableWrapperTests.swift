import FileIO
import Testing

@testable import ObjectStore

/// Property wrappers around values that may be nil, as many apps have them.
@Suite("Property wrappers that make a value of nil are stored as one optional")
struct CodableWrapperTests {
  /// Decodes an optional.
  @propertyWrapper
  struct Lenient: Codable, Equatable {
    var wrappedValue: Int?
    init(wrappedValue: Int?) { self.wrappedValue = wrappedValue }
    init(from decoder: any Decoder) throws {
      wrappedValue = try decoder.singleValueContainer().decode(Int?.self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(wrappedValue)
    }
  }

  /// Asks for nil by itself.
  @propertyWrapper
  struct Loose: Codable, Equatable {
    var wrappedValue: String?
    init(wrappedValue: String?) { self.wrappedValue = wrappedValue }
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      wrappedValue = container.decodeNil() ? nil : try container.decode(String.self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(wrappedValue)
    }
  }

  struct Wrapped: CodableObject, Equatable {
    static let primaryKey = "id"
    var id: Int
    @Lenient var number: Int?
    @Loose var text: String?
  }

  @Test("They read back what was put, nil and values")
  func wrappers() throws {
    let objects = [
      Wrapped(id: 1, number: nil, text: nil), Wrapped(id: 2, number: 3, text: "x"),
    ]
    #expect(try CodableNilTests.readBack(objects) == objects)
    let members = try MemberProbe.members(of: Wrapped.self)
    #expect(members.map(\.type) == [.int64, .optional(.int64), .optional(.string)])
  }

  /// Decodes whatever it holds, an optional too.
  @propertyWrapper
  struct Plain<Held: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
    var wrappedValue: Held
    init(wrappedValue: Held) { self.wrappedValue = wrappedValue }
    init(from decoder: any Decoder) throws {
      wrappedValue = try decoder.singleValueContainer().decode(Held.self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(wrappedValue)
    }
  }

  enum Genre: String, Codable, CaseIterable, StorableValue { case fiction, poetry }
  enum Fewer: String, Codable, CaseIterable, StorableValue { case fiction }

  struct Book: CodableObject, Equatable {
    static let primaryKey = "id"
    var id = 0
    @Plain var genre: Genre? = nil
    @Plain var size: Int16? = nil
  }

  struct OlderBook: CodableObject, Equatable {
    static let typeName = "Book"
    static let primaryKey = "id"
    var id = 0
    @Plain var genre: Fewer? = nil
    @Plain var size: Int8? = nil
  }

  @Test("R26: what an optional cannot hold is an error in a wrapper, too, and no nil")
  func unreadable() throws {
    let fileSystem = InMemoryFileSystem()
    let store = try MigrationOnceTests.open(fileSystem, [Book.self], 1, .onRead)
    try store.write { transaction in
      try transaction.put(Book(id: 1, genre: .fiction, size: 100))
      try transaction.put(Book(id: 2))
      try transaction.put(Book(id: 3, genre: .poetry, size: 100))
      try transaction.put(Book(id: 4, genre: .fiction, size: 300))
    }
    try store.close()
    let older = try MigrationOnceTests.open(fileSystem, [OlderBook.self], 1, .onRead)
    let snapshot = older.snapshot()
    #expect(try snapshot.get(OlderBook.self, 1) == OlderBook(id: 1, genre: .fiction, size: 100))
    #expect(try snapshot.get(OlderBook.self, 2) == OlderBook(id: 2))
    #expect {
      try snapshot.get(OlderBook.self, 3)
    } throws: { error in
      guard case .schema(.unknownCase) = error as? StoreError else { return false }
      return true
    }
    #expect(throws: StoreError.self) { try snapshot.get(OlderBook.self, 4) }
    try older.close()
  }

  typealias Maybe = CodableNilTests.Maybe

  struct Inside: Codable, Equatable { var maybe: Maybe }

  /// As an earlier release saw `Holder`: what asks for nil in a container for one value was
  /// required.
  struct Earlier: CodableObject, Equatable {
    static let typeName = "Holder"
    static let primaryKey = "id"
    var id: Int
    var maybe: Int
    var all: [Int]
    var inside: EarlierInside
  }

  struct EarlierInside: Codable, Equatable { var maybe: Int }

  struct Holder: CodableObject, Equatable {
    static let primaryKey = "id"
    var id: Int
    var maybe: Maybe
    var all: [Maybe]
    var inside: Inside
    static func of(_ id: Int, _ value: Int?) -> Holder {
      Holder(id: id, maybe: Maybe(value), all: [Maybe(2)], inside: Inside(maybe: Maybe(3)))
    }
  }

  /// Adds members to what an earlier release stored.
  struct Grown: CodableObject, Equatable {
    static let typeName = "Holder"
    static let primaryKey = "id"
    var id: Int
    var maybe: Maybe
    var all: [Maybe]
    var inside: GrownInside
    var note: String?
  }

  struct GrownInside: Codable, Equatable {
    var maybe: Maybe
    var more: Maybe
  }

  @Test("Additive: a store in which an earlier release made such a member required keeps it")
  func earlierRelease() throws {
    let fileSystem = InMemoryFileSystem()
    let earlier = Earlier(id: 1, maybe: 1, all: [2], inside: EarlierInside(maybe: 3))
    try CodableInitialValueTests.put(.additive, earlier, fileSystem)
    try CodableInitialValueTests.open(.additive, Holder.self, fileSystem) { (store) throws in
      #expect(try store.snapshot().get(Holder.self, 1) == .of(1, 1))
      try store.write { try $0.put(Holder.of(2, 5)) }
      #expect(try store.snapshot().get(Holder.self, 2) == .of(2, 5))
      // As before: there is no place for nil.
      #expect(throws: StoreError.self) { try store.write { try $0.put(Holder.of(3, nil)) } }
    }
    try CodableInitialValueTests.open(.additive, Earlier.self, fileSystem) { (store) throws in
      #expect(try store.snapshot().get(Earlier.self, 2)?.maybe == 5)
    }
    try CodableInitialValueTests.open(.additive, Grown.self, fileSystem) { (store) throws in
      let found = try store.snapshot().get(Grown.self, 1)
      #expect(found?.maybe == Maybe(1) && found?.note == nil)
      #expect(found?.inside == GrownInside(maybe: Maybe(3), more: Maybe(nil)))
    }
  }
}

/// What such wrappers come with: without it an absent member would be an error.
extension KeyedDecodingContainer {
  func decode(
    _ type: CodableWrapperTests.Lenient.Type, forKey key: Key
  ) throws -> CodableWrapperTests.Lenient {
    try decodeIfPresent(type, forKey: key) ?? .init(wrappedValue: nil)
  }

  func decode(
    _ type: CodableWrapperTests.Loose.Type, forKey key: Key
  ) throws -> CodableWrapperTests.Loose {
    try decodeIfPresent(type, forKey: key) ?? .init(wrappedValue: nil)
  }
}
