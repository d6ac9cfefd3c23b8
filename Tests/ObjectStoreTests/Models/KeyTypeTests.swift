import BinaryCoding
import FileIO
import Foundation
import ObjectStore
import SchemaRegistry
import Testing

@Suite("Types of keys")
struct KeyTypeTests {
  enum Mood: String, PlaceholderValue {
    case calm, cross
    static let placeholder = Mood.calm
  }

  enum Level: Int, PlaceholderValue, StorableKey {
    case low, high
    static let placeholder = Level.low
  }

  struct Name: RawRepresentable, PlaceholderValue {
    static let placeholder = Name(rawValue: "")
    var rawValue: String
  }

  struct Bits: RawRepresentable, PlaceholderValue {
    static let placeholder = Bits(rawValue: 0)
    var rawValue: UInt64
  }

  struct Wrapped: RawRepresentable, PlaceholderValue {
    static let placeholder = Wrapped(rawValue: Link(key: 0))
    var rawValue: Link<Holder<Int>>
  }

  /// Written by hand, and says that it is a key.
  struct Number: PlaceholderValue, StorableKey {
    static let placeholder = Number(value: 0)
    static var memberType: FieldType { .int64 }
    var value: Int
    init(value: Int) { self.value = value }
    func encode(to writer: inout ByteWriter) { value.encode(to: &writer) }
    static func decode(from reader: inout ByteReader) throws(BinaryDecodingError) -> Number {
      Number(value: try Int.decode(from: &reader))
    }
    var dynamicValue: Value { value.dynamicValue }
    init?(dynamicValue: Value) {
      guard let value = Int(dynamicValue: dynamicValue) else { return nil }
      self.init(value: value)
    }
  }

  /// The same, and says nothing.
  struct Code: PlaceholderValue, StorableText {
    static let placeholder = Code(text: "")
    static let storedKind = "code"
    var text: String
    init(text: String) { self.text = text }
    init?(storedText text: String) { self.init(text: text) }
    var storedText: String { text }
  }

  struct Holder<Key: PlaceholderValue>: StorableObject {
    static var typeName: String { "Holder" }
    static var primaryKey: String { "id" }
    var id = Key.placeholder
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("id", &id) }
  }

  private static func open(_ model: any StorableObject.Type) throws(StoreError) -> Store {
    try Store.open(
      at: "/s", models: [model], evolution: .additive, configuration: .quiet,
      fileSystem: InMemoryFileSystem())
  }

  @Test(
    "A store does not open whose model has a key that is looked up by nothing",
    arguments: [
      Holder<UInt64>.self, Holder<UInt>.self, Holder<Decimal>.self, Holder<URL>.self,
      Holder<Date>.self, Holder<Double>.self, Holder<Bool>.self, Holder<Int?>.self,
      Holder<Mood>.self, Holder<Bits>.self,
      Holder<Code>.self,
    ] as [any StorableObject.Type])
  func refusal(model: any StorableObject.Type) {
    #expect {
      try Self.open(model).close()
    } throws: { error in
      guard case .schema(.invalidShape(type: "Holder", let reason))? = error as? StoreError
      else { return false }
      return reason.hasPrefix("the key id is a ") && reason.contains("let it be an integer")
    }
  }

  @Test(
    "Keys may be what is looked up by, structs that wrap it, and what says so",
    arguments: [
      Holder<Int>.self, Holder<Int8>.self, Holder<UInt32>.self, Holder<String>.self,
      Holder<UUID>.self, Holder<Data>.self, Holder<Name>.self,
      Holder<Level>.self, Holder<Number>.self, Holder<Link<Holder<Int>>>.self, Holder<Wrapped>.self,
    ] as [any StorableObject.Type])
  func others(model: any StorableObject.Type) throws {
    try Self.open(model).close()
  }
}
