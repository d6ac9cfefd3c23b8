import FileIO
import ObjectStore
import Testing

/// Types that ask their encoder for more than one container.
@Suite("Codable types may ask for containers several times, and nothing that they encode is lost")
struct CodableContainerTests {
  struct Base: Codable, Equatable {
    var id: Int
    var name: String
  }

  /// Lies beside the members of another type.
  struct Flat: CodableObject, Equatable {
    static let primaryKey = "id"
    var base: Base
    var note: String?
    enum CodingKeys: CodingKey { case note }

    init(base: Base, note: String?) { (self.base, self.note) = (base, note) }

    init(from decoder: any Decoder) throws {
      base = try Base(from: decoder)
      note = try decoder.container(keyedBy: CodingKeys.self)
        .decodeIfPresent(String.self, forKey: .note)
    }

    func encode(to encoder: any Encoder) throws {
      try base.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encodeIfPresent(note, forKey: .note)
    }
  }

  /// The same, by a container for one value.
  struct Wrapping: CodableObject, Equatable {
    static let primaryKey = "id"
    var base: Base
    var note: String
    enum CodingKeys: CodingKey { case note }

    init(base: Base, note: String) { (self.base, self.note) = (base, note) }

    init(from decoder: any Decoder) throws {
      base = try Base(from: decoder)
      note = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .note)
    }

    func encode(to encoder: any Encoder) throws {
      var single = encoder.singleValueContainer()
      try single.encode(base)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(note, forKey: .note)
    }
  }

  class Named: Codable {
    var id: Int
    var name: String
    init(id: Int, name: String) { (self.id, self.name) = (id, name) }
    required init() { (id, name) = (0, "") }
  }

  final class Dog: Named, CodableObject {
    static let primaryKey = "id"
    var breed: String
    enum CodingKeys: CodingKey { case breed }

    init(id: Int, name: String, breed: String) {
      self.breed = breed
      super.init(id: id, name: name)
    }

    required init() {
      breed = ""
      super.init()
    }

    required init(from decoder: any Decoder) throws {
      breed = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .breed)
      try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(breed, forKey: .breed)
    }
  }

  /// Encodes one member bit by bit.
  struct Piecewise: CodableObject, Equatable {
    static let primaryKey = "id"
    var id: Int
    var base: Base
    var numbers: Numbers
    enum CodingKeys: CodingKey { case id, base, numbers }
    enum BaseKeys: CodingKey { case id, name }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(id, forKey: .id)
      var first = container.nestedContainer(keyedBy: BaseKeys.self, forKey: .base)
      try first.encode(base.id, forKey: .id)
      var second = container.nestedContainer(keyedBy: BaseKeys.self, forKey: .base)
      try second.encode(base.name, forKey: .name)
      try container.encode(numbers, forKey: .numbers)
    }
  }

  /// A list that is encoded in a container for each element.
  struct Numbers: Codable, Equatable {
    var all: [Int]
    init(_ all: [Int]) { self.all = all }
    init(from decoder: any Decoder) throws {
      all = try decoder.singleValueContainer().decode([Int].self)
    }
    func encode(to encoder: any Encoder) throws {
      for number in all {
        var container = encoder.unkeyedContainer()
        try container.encode(number)
      }
    }
  }

  /// Encodes a value, and then members besides.
  struct Mixed: CodableObject {
    static let primaryKey = "id"
    var id: Int

    func encode(to encoder: any Encoder) throws {
      var single = encoder.singleValueContainer()
      try single.encode(7)
      var container = encoder.container(keyedBy: CodedName.self)
      try container.encode(id, forKey: .id)
    }
    enum CodedName: CodingKey { case id }
  }

  /// Says that it is nil, and then what it is.
  struct NilFirst: CodableObject, Equatable {
    static let primaryKey = "id"
    var id: Int
    var numbers: NilNumbers
    var single: NilSingle
    enum CodingKeys: CodingKey { case id, numbers, single }

    func encode(to encoder: any Encoder) throws {
      var nothing = encoder.singleValueContainer()
      try nothing.encodeNil()
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(id, forKey: .id)
      try container.encode(numbers, forKey: .numbers)
      try container.encode(single, forKey: .single)
    }
  }

  struct NilNumbers: Codable, Equatable {
    var all: [Int]
    init(_ all: [Int]) { self.all = all }
    init(from decoder: any Decoder) throws {
      all = try decoder.singleValueContainer().decode([Int].self)
    }
    func encode(to encoder: any Encoder) throws {
      var nothing = encoder.singleValueContainer()
      try nothing.encodeNil()
      var container = encoder.unkeyedContainer()
      for number in all { try container.encode(number) }
    }
  }

  struct NilSingle: Codable, Equatable {
    var value: Int
    init(_ value: Int) { self.value = value }
    init(from decoder: any Decoder) throws {
      value = try decoder.singleValueContainer().decode(Int.self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encodeNil()
      try container.encode(value)
    }
  }

  static func store(_ model: any StorableObject.Type) throws -> Store {
    try Store.open(
      at: "/s", models: [model], evolution: .additive, configuration: .quiet,
      fileSystem: InMemoryFileSystem())
  }

  static func readBack<Model: CodableObject>(_ object: Model, _ key: Int) throws -> Model? {
    let store = try store(Model.self)
    try store.write { try $0.put(object) }
    let found = try store.snapshot().get(Model.self, key)
    try store.close()
    return found
  }

  static let base = Base(id: 3, name: "n")

  @Test("A type that encodes another one and then members of its own reads back")
  func flattened() throws {
    for note in ["x", nil] {
      let flat = Flat(base: Self.base, note: note)
      #expect(try Self.readBack(flat, 3) == flat)
    }
    let wrapping = Wrapping(base: Self.base, note: "x")
    #expect(try Self.readBack(wrapping, 3) == wrapping)
  }

  @Test("A class that encodes with its superclass reads back")
  func hierarchy() throws {
    let found = try Self.readBack(Dog(id: 4, name: "Rex", breed: "b"), 4)
    #expect(found?.name == "Rex" && found?.breed == "b")
  }

  @Test("A member that is encoded in several containers has what all of them hold")
  func pieces() throws {
    let object = Piecewise(id: 5, base: Self.base, numbers: Numbers([1, 2, 3]))
    #expect(try Self.readBack(object, 5) == object)
  }

  @Test("What follows a nil takes its place")
  func afterNil() throws {
    let object = NilFirst(id: 6, numbers: NilNumbers([1, 2]), single: NilSingle(7))
    #expect(try Self.readBack(object, 6) == object)
  }

  /// Which members it decodes depends on one of them.
  struct Kinds: CodableObject {
    static let primaryKey = "id"
    var id = 0
    var kind = ""
    var inner: [Inner] = []
    var extra: String?
    enum CodingKeys: CodingKey { case id, kind, inner, extra }

    init(id: Int, kind: String, extra: String?, inner: [Inner] = []) {
      (self.id, self.kind, self.extra, self.inner) = (id, kind, extra, inner)
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(Int.self, forKey: .id)
      kind = try container.decode(String.self, forKey: .kind)
      inner = try container.decode([Inner].self, forKey: .inner)
      if kind == "special" { extra = try container.decode(String.self, forKey: .extra) }
    }
  }

  struct Inner: Codable {
    var number = 0
    var extra: Int?
    enum CodingKeys: CodingKey { case number, extra }

    init(number: Int, extra: Int?) { (self.number, self.extra) = (number, extra) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      number = try container.decode(Int.self, forKey: .number)
      if number > 0 { extra = try container.decode(Int.self, forKey: .extra) }
    }
  }

  @Test("What is encoded and has no member is refused: it would be lost")
  func withoutMember() throws {
    let store = try Store.open(
      at: "/s", models: [Kinds.self], evolution: .additive, configuration: .quiet,
      fileSystem: InMemoryFileSystem())
    try store.write { try $0.put(Kinds(id: 1, kind: "plain", extra: nil)) }
    let wrong = [
      Kinds(id: 2, kind: "special", extra: "precious"),
      Kinds(id: 2, kind: "plain", extra: nil, inner: [Inner(number: 1, extra: 2)]),
    ]
    for object in wrong {
      let error = try #require(throws: StoreError.self) {
        try store.write { try $0.put(object) }
      }
      guard case .schema(.invalidValue("Kinds", _, let reason)) = error else { throw error }
      #expect(reason.contains("extra"))
    }
    #expect(try store.snapshot().count(Kinds.self) == 1)
    try store.close()
  }

  @Test("Containers that do not fit each other are refused, and nothing is left out")
  func mixed() throws {
    #expect(
      throws: StoreError.schema(
        .invalidValue(
          type: "Mixed", member: "(Codable)",
          reason: "it encodes one value, a list or members by name, and then another of these"))
    ) {
      try Self.readBack(Mixed(id: 1), 1)
    }
  }
}
