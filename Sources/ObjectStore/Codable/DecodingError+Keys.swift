extension DecodingError {
  /// The same without the keys of dictionaries in its path, for texts.
  var hidingDictionaryKeys: DecodingError {
    if case .typeMismatch(let type, let context) = self {
      return .typeMismatch(type, Self.hiding(context))
    }
    if case .valueNotFound(let type, let context) = self {
      return .valueNotFound(type, Self.hiding(context))
    }
    if case .keyNotFound(let key, let context) = self {
      return .keyNotFound(key, Self.hiding(context))
    }
    if case .dataCorrupted(let context) = self { return .dataCorrupted(Self.hiding(context)) }
    return self
  }

  private static func hiding(_ context: Context) -> Context {
    Context(
      codingPath: context.codingPath.map { key -> any CodingKey in
        key is DictionaryKey ? CodedKey(stringValue: "*") : key
      },
      debugDescription: context.debugDescription, underlyingError: context.underlyingError)
  }
}
