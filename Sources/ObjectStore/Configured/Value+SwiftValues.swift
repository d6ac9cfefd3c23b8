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
  /// that it cannot hold exactly is refused, and so is a number that would become infinite.
  init?(swiftValue: Any?, for type: FieldType) {
    guard let value = Value.plain(swiftValue, for: type), value.isValid(for: type) else {
      return nil
    }
    self = value
  }

  private static func plain(_ any: Any?, for type: FieldType) -> Value? {
    guard let any else { return .null }
    // What was nil in a dictionary or a list comes as an optional within `Any`.
    if let optional = any as? any OptionalType { return plain(optional.wrapped, for: type) }
    let wanted = type.unwrapped
    switch any {
    case let value as Value: return fitted(value, to: wanted)
    case let object as MigrationObject:
      if case .object = wanted { return .object(object.values) }
      return object.key
    case let value as any StorableValue: return fitted(value.dynamicValue, to: wanted)
    case let values as [Any?]:
      guard case .list(let element) = wanted else { return nil }
      let converted = values.compactMap { plain($0, for: element) }
      return converted.count == values.count ? .list(converted) : nil
    case let values as [String: Any?]: return plain(values, for: wanted)
    default: return nil
    }
  }

  private static func plain(_ values: [String: Any?], for type: FieldType) -> Value? {
    var result: [String: Value] = [:]
    for (name, value) in values {
      var element: FieldType?
      switch type {
      case .dictionary(let type): element = type
      case .object(let members): element = members.first { $0.name == name }?.type
      default: element = nil
      }
      guard let element, let converted = plain(value, for: element) else { return nil }
      result[name] = converted
    }
    if case .object = type { return .object(result) }
    return .dictionary(result)
  }

  private static func fitted(_ value: Value, to type: FieldType) -> Value {
    switch (value, type) {
    case (.int(let integer), .double): Double(exactly: integer).map { .double($0) } ?? value
    case (.int(let integer), .float): Float(exactly: integer).map { .float($0) } ?? value
    case (.float(let value), .double): .double(Double(value))
    case (.double(let number), .float):
      number.isFinite && Float(number).isInfinite ? value : .float(Float(number))
    case (.dictionary(let values), .object): .object(values)
    case (.list(let values), .list(let element)):
      .list(values.map { fitted($0, to: element.unwrapped) })
    default: value
    }
  }
}
