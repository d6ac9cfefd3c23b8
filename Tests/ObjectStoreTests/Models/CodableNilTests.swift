import FileIO
import ObjectStore
import Testing

/// What is nil in a Codable type.
@Suite("Codable types read nil where nil was put, or are refused")
struct CodableNilTests {
  /// One value that may be nil.
  struct Maybe: Codable, Equatable {
    var value: Int?
    init(_ value: Int?) { self.value = value }
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      value = container.decodeNil() ? nil : try container.decode(Int.self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      if let value { try container.encode(value) } else { try container.encodeNil() }
    }
  }

  struct Holder: CodableObject, Equatable {
    static let primaryKey = "id"
    var id: Int
    var maybe: Maybe
    var all: [Maybe]
  }

  /// Asks for both members before it decodes one.
  struct Pair: CodableObject, Equatable {
    static let primaryKey = "id"
    var id: Int
    var first: Int?
    var second: Int?
    enum CodingKeys: CodingKey { case id, first, second }

    init(id: Int, first: Int?, second: Int?) {
      (self.id, self.first, self.second) = (id, first, second)
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(Int.self, forKey: .id)
      let lacksFirst = try container.decodeNil(forKey: .first)
      let lacksSecond = try container.decodeNil(forKey: .second)
      first = lacksFirst ? nil : try container.decode(Int.self, forKey: .first)
      second = lacksSecond ? nil : try container.decode(Int.self, forKey: .second)
    }
  }

  /// Asks whether members are there, and leaves out what is as usual where no nil is meant.
  struct Usual: CodableObject, Equatable {
    static let primaryKey = "id"
    var id: Int
    var limit: Int?
    var count = 10
    var spare: Int?
    enum CodingKeys: CodingKey { case id, limit, count, spare }

    init(id: Int, limit: Int?, count: Int, spare: Int?) {
      (self.id, self.limit, self.count, self.spare) = (id, limit, count, spare)
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      // The key is always there, whoever asks.
      id = try container.contains(.id) ? container.decode(Int.self, forKey: .id) : 0
      limit = 10
      if container.contains(.limit) {
        limit = try container.decodeIfPresent(Int.self, forKey: .limit)
      }
      if container.contains(.count) { count = try container.decode(Int.self, forKey: .count) }
      if container.contains(.spare) { spare = try container.decode(Int?.self, forKey: .spare) }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(id, forKey: .id)
      try container.encode(limit, forKey: .limit)
      if count != 10 { try container.encode(count, forKey: .count) }
      try container.encode(spare, forKey: .spare)
    }
  }

  /// As an earlier release saw `Usual`: what was only asked whether it is there was required.
  struct EarlierUsual: CodableObject, Equatable {
    static let typeName = "Usual"
    static let primaryKey = "id"
    var id: Int
    var limit: Int?
    var count: Int
    var spare: Int?
  }

  struct Doubled: CodableObject {
    static let primaryKey = "id"
    var id: Int
    var twice: Int??
  }

  /// A member of a type that may be nil itself.
  struct DoubledMaybe: CodableObject {
    static let primaryKey = "id"
    var id: Int
    var maybe: Maybe??
  }

  struct MaybeAbsent: CodableObject, Equatable {
    static let primaryKey = "id"
    var id: Int
    var maybe: Maybe?
    var all: [Maybe?]
  }

  static func readBack<Model: CodableObject & Equatable>(_ objects: [Model]) throws -> [Model] {
    let store = try CodableContainerTests.store(Model.self)
    try store.write { transaction in for object in objects { try transaction.put(object) } }
    let cursor = try store.snapshot().objects(Model.self)
    var found: [Model] = []
    while let object = try cursor.next() { found.append(object) }
    try store.close()
    return found
  }

  @Test("A type that is one value or nil may be nil")
  func single() throws {
    let objects = [
      Holder(id: 1, maybe: Maybe(nil), all: [Maybe(nil), Maybe(2)]),
      Holder(id: 2, maybe: Maybe(3), all: []),
    ]
    #expect(try Self.readBack(objects) == objects)
  }

  @Test("Several members may be asked for before one of them is decoded")
  func asked() throws {
    let objects = [Pair(id: 1, first: nil, second: 2), Pair(id: 2, first: 1, second: nil)]
    #expect(try Self.readBack(objects) == objects)
  }

  @Test("What is left out is not there where no optional is decoded, and nil is there where one is")
  func leftOut() throws {
    let objects = [
      Usual(id: 1, limit: 10, count: 10, spare: nil), Usual(id: 2, limit: 5, count: 6, spare: 7),
      Usual(id: 3, limit: nil, count: 1, spare: nil),
    ]
    #expect(try Self.readBack(objects) == objects)
  }

  @Test("Additive: a store in which an earlier release made such a member required keeps it")
  func leftOutEarlier() throws {
    let fileSystem = InMemoryFileSystem()
    let earlier = EarlierUsual(id: 1, limit: 5, count: 6, spare: nil)
    try CodableInitialValueTests.put(.additive, earlier, fileSystem)
    try CodableInitialValueTests.open(.additive, Usual.self, fileSystem) { (store) throws in
      let usual = Usual(id: 1, limit: 5, count: 6, spare: nil)
      #expect(try store.snapshot().get(Usual.self, 1) == usual)
    }
  }

  @Test("An optional of a type that may be nil itself is one optional, and nil is nil")
  func absent() throws {
    let objects = [
      MaybeAbsent(id: 1, maybe: nil, all: [nil, Maybe(2)]),
      MaybeAbsent(id: 2, maybe: Maybe(3), all: []),
    ]
    #expect(try Self.readBack(objects) == objects)
  }

  @Test("Optionals of optionals are refused: nil inside of one would be read as nil outside")
  func doubled() {
    let models: [(any StorableObject.Type, String, String)] = [
      (Doubled.self, "Doubled", "twice"), (DoubledMaybe.self, "DoubledMaybe", "maybe"),
    ]
    for (model, type, member) in models {
      #expect(
        throws: StoreError.schema(
          .invalidShape(
            type: type,
            reason: "\(member): an optional of an optional cannot be stored; use one optional"))
      ) {
        _ = try CodableContainerTests.store(model)
      }
    }
  }
}
