internal import SchemaRegistry

extension EncodingError {
  /// The same without values, for texts: without the one that was to be encoded, and without keys
  /// of dictionaries in its path, which begins at a value of `type`.
  fileprivate func hidingValues(of type: FieldType) -> EncodingError {
    guard case .invalidValue(let value, let context) = self else { return self }
    return .invalidValue(
      Swift.type(of: value),
      Context(
        codingPath: Self.hiding(context.codingPath, in: type),
        debugDescription: context.debugDescription,
        underlyingError: context.underlyingError?.tellingNoValues(of: type)))
  }

  /// A dictionary encodes its keys as others do their names, so only the type tells them apart.
  private static func hiding(_ path: [any CodingKey], in type: FieldType) -> [any CodingKey] {
    var held: FieldType? = type
    var hidden: [any CodingKey] = []
    for key in path {
      switch held?.unwrapped {
      case .object(let members)?:
        held = members.first { $0.name == key.stringValue }?.type
        hidden.append(key)
      case .list(let element)?:
        held = element
        hidden.append(key)
      case .dictionary(let element)?:
        held = element
        hidden.append(CodedKey(stringValue: "*"))
      default:
        held = nil
        hidden.append(CodedKey(stringValue: "*"))
      }
    }
    return hidden
  }
}

extension Error {
  /// The same without values in what the standard library says of coding a value of `type`, for
  /// texts. What an app's own error says is its own.
  func tellingNoValues(of type: FieldType) -> any Error {
    if let error = self as? DecodingError { return error.hidingValues }
    if let error = self as? EncodingError { return error.hidingValues(of: type) }
    return self
  }
}
