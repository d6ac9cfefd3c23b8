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

  /// Asks whether a member is there, and leaves out nil.
  struct Asking: CodableObject, Equatable {
    static let primaryKey = "id"
    var id: Int
    var spare: Int?
    var told = false
    enum CodingKeys: CodingKey { case id, spare }

    init(id: Int, spare: Int?, told: Bool) { (self.id, self.spare, self.told) = (id, spare, told) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(Int.self, forKey: .id)
      told = container.contains(.spare)
      spare = try container.decodeIfPresent(Int.self, forKey: .spare)
    }
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

  @Test("What is left out is stored as nil, which is there")
  func asking() throws {
    let objects = [Asking(id: 1, spare: nil, told: true), Asking(id: 2, spare: 3, told: true)]
    #expect(try Self.readBack(objects) == objects)
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
