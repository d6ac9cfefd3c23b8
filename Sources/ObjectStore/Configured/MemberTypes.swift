internal import SchemaRegistry

/// The Swift types of a model's members: a shape knows only what they are stored as.
struct MemberTypes {
  private let types: [String: any StorableValue.Type]
  /// How members store integers whose types are `Codable`, and no storable values.
  private let codedSigns: [String: IntegerSign]

  /// Those of a type that no model stands for.
  static let unknown = MemberTypes()

  private init() {
    types = [:]
    codedSigns = [:]
  }

  init<Model: StorableObject>(of model: Model.Type) throws(StoreError) {
    let visitor = try ShapeVisitor.visitor(of: model, .cases)
    var found = visitor.types.map { ($0.member, $0.type) }
    var codedSigns: [String: IntegerSign] = [:]
    if visitor.isCoded, let coded = model as? any Decodable.Type {
      for (member, type) in (try? MemberProbe.types(of: coded)) ?? [] {
        if let storable = type as? any StorableValue.Type {
          found.append((member, storable))
        } else {
          codedSigns[member] = IntegerSign(of: type)
        }
      }
    }
    types = Dictionary(found) { first, _ in first }
    self.codedSigns = codedSigns
  }

  /// The member's type cannot hold what was given.
  struct Refusal: Error {
    let type: String
  }

  /// A value of the member's field type as its Swift type writes it: `12.50` in a `Decimal` becomes
  /// `12.5`, by which it is looked up. Throws where that type cannot hold it: 300 in an `Int8`, or
  /// a text in a `URL` that is none.
  ///
  /// Of a `UInt64` the bits are stored, so any number is one: blocks see those from 2^63 on as
  /// negative ones, and may hand them over so.
  func stored(_ value: Value, in member: String) throws(Refusal) -> Value {
    guard !value.isNull, let type = types[member] else { return value }
    guard let stored = Self.stored(value, as: type) else { throw Refusal(type: "\(type)") }
    return stored
  }

  private static func stored<Member: StorableValue>(
    _ value: Value, as _: Member.Type
  ) -> Value? {
    // Optional members of objects may be left out.
    Member(dynamicValue: value.completed(for: Member.memberType))?.dynamicValue
  }

  /// How the integers in a member are stored.
  func sign(of member: String) -> IntegerSign {
    types[member].map { IntegerSign(of: $0) } ?? codedSigns[member] ?? .unknown
  }
}
