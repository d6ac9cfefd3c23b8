internal import SchemaRegistry

/// The Swift types of a model's members: a shape knows only what they are stored as.
struct MemberTypes {
  private let types: [String: any StorableValue.Type]

  /// Those of a type that no model stands for.
  static let unknown = MemberTypes(types: [:])

  private init(types: [String: any StorableValue.Type]) { self.types = types }

  init<Model: StorableObject>(of model: Model.Type) throws(StoreError) {
    let visitor = try ShapeVisitor.visitor(of: model, .cases)
    var found = visitor.types.map { ($0.member, $0.type) }
    if visitor.isCoded, let coded = model as? any Decodable.Type {
      found += (try? MemberProbe.storableTypes(of: coded)) ?? []
    }
    types = Dictionary(found) { first, _ in first }
  }

  /// The member's type, where that cannot hold a value which its field type can: 300 in an `Int8`,
  /// or a text in a `URL` that is none. `given` is what the value was made of.
  func refusal(of value: Value, given: Any?, for member: String) -> String? {
    guard !value.isNull, let type = types[member] else { return nil }
    let isHeld = Self.holds(value, type) && !Self.isNegative(given, for: type)
    return isHeld ? nil : "\(type)"
  }

  private static func holds<Member: StorableValue>(_ value: Value, _: Member.Type) -> Bool {
    Member(dynamicValue: value) != nil
  }

  /// Whether it is a number below zero for a member of which the bits are stored.
  private static func isNegative(_ given: Any?, for type: any StorableValue.Type) -> Bool {
    let wide: [Any.Type] = [UInt64.self, UInt.self, UInt64?.self, UInt?.self]
    guard wide.contains(where: { $0 == type }) else { return false }
    let number = (given as? any OptionalType)?.wrapped ?? given
    return (number as? any SignedInteger).map { isBelowZero($0) } ?? false
  }

  private static func isBelowZero<Number: SignedInteger>(_ number: Number) -> Bool { number < 0 }
}
