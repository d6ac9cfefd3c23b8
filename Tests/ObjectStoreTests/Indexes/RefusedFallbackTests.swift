import FileIO
import Foundation
import ObjectStore
import Testing

/// What a fallback gives has the types that are stored, and the types of a model may refuse it.
@Suite("What a fallback gives is read as by the model, or refused as what nobody stored")
struct RefusedFallbackTests {
  enum State: String, PlaceholderValue, CaseIterable {
    case open
    static let placeholder = State.open
  }

  /// The same as a `Priced`, of which any text may be the price and the state.
  struct OldPriced: StorableObject {
    static let typeName = "Task"
    static let primaryKey = "id"
    var id = 1
    var price = "1"
    var state = "done"
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("price", &price)
      try visitor.member("state", &state)
    }
  }

  struct Priced: StorableObject {
    static let typeName = "Task"
    static let primaryKey = "id"
    var id = 0
    var price = Decimal(0)
    var state = State.open
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("price", &price)
      try visitor.member("state", &state)
    }
  }

  struct Place: Codable, Equatable {
    var street: String
  }

  /// The same as a `Counted`, of which any text may be the state.
  struct OldCounted: CodableObject {
    static let typeName = "Task"
    static let primaryKey = "id"
    var id: Int
    var count: Int
    var place: Place
    var state: String
  }

  struct Counted: CodableObject {
    enum State: String, Codable, CaseIterable { case open }
    static let typeName = "Task"
    static let primaryKey = "id"
    var id: Int
    var count: Int
    var place: Place
    var state: State
  }

  /// Reads as `model` what was put as `old`, with a fallback that gives `value` for `member`.
  private static func read<Old: StorableObject, Model: StorableObject>(
    _ old: Old, as model: Model.Type, _ member: String, _ value: Value?
  ) throws -> Model? {
    let fileSystem = InMemoryFileSystem()
    try CodableInitialValueTests.put(.additive, old, fileSystem)
    let store = try Store.open(
      at: "/s", models: [model], evolution: .additive,
      configuration: WrongFallbackTests.configuration(member, value), fileSystem: fileSystem)
    defer { try? store.close() }
    return try store.snapshot().objects(model).next()
  }

  @Test("A text that is no Decimal is named with its member, and nothing is called damaged")
  func refused() {
    #expect {
      _ = try Self.read(OldPriced(), as: Priced.self, "price", "abc")
    } throws: { error in
      guard case .schema(.invalidValue("Task", "price", let reason))? = error as? StoreError
      else { return false }
      return reason.hasPrefix("the policy for failures gave") && !reason.contains("offset")
    }
  }

  @Test("What an embedded object is given besides its members is left out")
  func surplus() throws {
    let old = OldCounted(id: 1, count: 3, place: Place(street: "a"), state: "done")
    let place = Value.object(["street": "b", "other": 1])
    let found = try Self.read(old, as: Counted.self, "place", place)
    #expect(found?.place == Place(street: "b") && found?.count == 3)
  }
}
