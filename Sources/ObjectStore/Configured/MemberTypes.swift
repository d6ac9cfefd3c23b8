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
  /// or a text in a `URL` that is none.
  ///
  /// Of a `UInt64` the bits are stored, so any number is one: blocks see those from 2^63 on as
  /// negative ones, and may hand them over so.
  func refusal(of value: Value, for member: String) -> String? {
    guard !value.isNull, let type = types[member] else { return nil }
    return Self.holds(value, type) ? nil : "\(type)"
  }

  private static func holds<Member: StorableValue>(_ value: Value, _: Member.Type) -> Bool {
    // Optional members of objects may be left out.
    Member(dynamicValue: value.completed(for: Member.memberType)) != nil
  }
}
