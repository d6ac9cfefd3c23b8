internal import SchemaRegistry

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension Value {
  /// The value as code without types expects it.
  var swiftValue: Any? {
    switch self {
    case .null: nil
    case .bool(let value): value
    case .int(let value): Int(exactly: value) ?? value
    case .float(let value): value
    case .double(let value): value
    case .string(let value): value
    case .data(let value): Data(value)
    case .date(let value): Date(timeIntervalSinceReferenceDate: value)
    case .uuid(let value): UUID(value)
    case .list(let values): values.map(\.element)
    case .dictionary(let values), .object(let values): values.mapValues(\.element)
    }
  }

  /// The same in a list, a dictionary or an object: nothing but what is nil is an optional there,
  /// which texts would tell of.
  private var element: Any {
    if let value = swiftValue { return value }
    return Any?.none as Any
  }

  /// The value for a member of `type`; nothing when `swiftValue` is of another kind.
  ///
  /// Numbers become those of the member where nothing is lost but digits of a fraction: an integer
  /// that it cannot hold exactly is refused, and so is a number that would become infinite. `sign`
  /// tells how the member stores integers, and is asked for unsigned ones from 2^63 on.
  init?(
    swiftValue: Any?, for type: FieldType, of sign: () -> IntegerSign = { .unknown }
  ) {
    guard let value = Value.plain(swiftValue, for: type, sign), value.isValid(for: type) else {
      return nil
    }
    self = value
  }

  private static func plain(
    _ any: Any?, for type: FieldType, _ sign: () -> IntegerSign
  ) -> Value? {
    guard let any else { return .null }
    // What was nil in a dictionary or a list comes as an optional within `Any`.
    if let optional = any as? any OptionalType { return plain(optional.wrapped, for: type, sign) }
    let wanted = type.unwrapped
    switch any {
    case let value as Value: return fitted(value, to: wanted, given: .unknown, sign)
    case let object as MigrationObject:
      if case .object = wanted { return .object(object.values) }
      return object.key
    case let value as any StorableValue:
      let stored = value.dynamicValue
      let given = stored.holdsNegativeInteger ? IntegerSign(of: Swift.type(of: value)) : .unknown
      return fitted(stored, to: wanted, given: given, sign)
    case let values as [Any?]:
      guard case .list(let element) = wanted else { return nil }
      let converted = values.compactMap { plain($0, for: element, sign) }
      return converted.count == values.count ? .list(converted) : nil
    case let values as [String: Any?]: return plain(values, for: wanted, sign)
    default: return nil
    }
  }

  private static func plain(
    _ values: [String: Any?], for type: FieldType, _ sign: () -> IntegerSign
  ) -> Value? {
    var result: [String: Value] = [:]
    for (name, value) in values {
      let converted: Value?
      switch type {
      case .dictionary(let element): converted = plain(value, for: element, sign)
      case .object(let members):
        guard let member = members.first(where: { $0.name == name }) else { return nil }
        converted = plain(value, for: member.type) { sign().inside(name) }
      default: return nil
      }
      guard let converted else { return nil }
      result[name] = converted
    }
    if case .object = type { return .object(result) }
    return .dictionary(result)
  }

  /// Whether an integer in it may be the bits of an unsigned one.
  private var holdsNegativeInteger: Bool {
    switch self {
    case .int(let integer): integer < 0
    case .list(let values): values.contains(where: \.holdsNegativeInteger)
    case .dictionary(let values), .object(let values):
      values.values.contains(where: \.holdsNegativeInteger)
    default: false
    }
  }

  /// The value with its numbers as those of the member; nothing where that cannot hold one.
  private static func fitted(
    _ value: Value, to type: FieldType, given: IntegerSign, _ sign: () -> IntegerSign
  ) -> Value? {
    switch (value, type) {
    case (.int(let bits), _) where bits < 0 && given == .unsigned:
      return unsigned(UInt64(bitPattern: bits), as: type, sign)
    case (.int(let integer), .double): return Double(exactly: integer).map(Value.double)
    case (.int(let integer), .float): return Float(exactly: integer).map(Value.float)
    case (.float(let value), .double): return .double(Double(value))
    case (.double(let number), .float):
      return number.isFinite && Float(number).isInfinite ? nil : .float(Float(number))
    case (.list(let values), .list(let element)):
      let fitting = values.compactMap { fitted($0, to: element.unwrapped, given: given, sign) }
      return fitting.count == values.count ? .list(fitting) : nil
    case (.dictionary(let values), .dictionary(let element)):
      let fitting = values.compactMapValues {
        fitted($0, to: element.unwrapped, given: given, sign)
      }
      return fitting.count == values.count ? .dictionary(fitting) : nil
    case (.dictionary(let values), .object(let members)):
      return object(of: values, members, given: { _ in given }, sign)
    case (.object(let values), .object(let members)):
      return object(of: values, members, given: { given.inside($0) }, sign)
    default: return value
    }
  }

  /// An embedded object of the values for its members.
  private static func object(
    of values: [String: Value], _ members: [MemberShape], given: (String) -> IntegerSign,
    _ sign: () -> IntegerSign
  ) -> Value? {
    var fitting: [String: Value] = [:]
    for (name, value) in values {
      guard let member = members.first(where: { $0.name == name }) else { return nil }
      let inside = fitted(value, to: member.type.unwrapped, given: given(name)) {
        sign().inside(name)
      }
      guard let inside else { return nil }
      fitting[name] = inside
    }
    return .object(fitting)
  }

  /// An unsigned number from 2^63 on as one of the member's: its bits where that stores those, or
  /// nobody knows, and nothing where it is known to store signed ones.
  private static func unsigned(
    _ number: UInt64, as type: FieldType, _ sign: () -> IntegerSign
  ) -> Value? {
    switch type {
    case .double: Double(exactly: number).map(Value.double)
    case .float: Float(exactly: number).map(Value.float)
    case .int64: sign() == .signed ? nil : Value.int(Int64(bitPattern: number))
    default: nil
    }
  }
}
