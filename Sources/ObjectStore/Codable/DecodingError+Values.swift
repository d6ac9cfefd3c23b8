internal import BinaryCoding

extension DecodingError {
  /// The same without values that are stored, for texts: without the keys of dictionaries in its
  /// path, and without the raw value that the standard library says was refused.
  ///
  /// Errors of decoding beneath it are told so, too. What an app's own error says is its own, also
  /// where that holds one of these and prints its path.
  var hidingValues: DecodingError {
    let hidden = context.map { with(Self.hiding($0)) } ?? self
    guard case .keyNotFound(let key, let context) = hidden else { return hidden }
    return .keyNotFound(Self.hiding(key), context)
  }

  /// Where it happened, and what is beneath it.
  var context: Context? {
    if case .typeMismatch(_, let context) = self { return context }
    if case .valueNotFound(_, let context) = self { return context }
    if case .keyNotFound(_, let context) = self { return context }
    if case .dataCorrupted(let context) = self { return context }
    return nil
  }

  /// The same with an error of an unknown case in place of that of the standard library, where it
  /// or what is beneath it says that a type has no such raw value as was read at `codingPath`.
  func tellingUnknownCases(at codingPath: [any CodingKey]) -> DecodingError {
    guard let context else { return self }
    // Of what other decoders say the path begins elsewhere.
    if context.codingPath.map(\.stringValue) == codingPath.map(\.stringValue),
      let type = Self.refusingType(in: context.debugDescription)
    {
      return CodedUnknownCase.error(
        for: UnknownCase(enumeration: type, value: nil), at: codingPath)
    }
    guard let beneath = context.underlyingError as? DecodingError else { return self }
    return with(
      Context(
        codingPath: context.codingPath, debugDescription: context.debugDescription,
        underlyingError: beneath.tellingUnknownCases(at: codingPath)))
  }

  /// The same kind of error with another context.
  private func with(_ context: Context) -> DecodingError {
    if case .typeMismatch(let type, _) = self { return .typeMismatch(type, context) }
    if case .valueNotFound(let type, _) = self { return .valueNotFound(type, context) }
    if case .keyNotFound(let key, _) = self { return .keyNotFound(key, context) }
    if case .dataCorrupted = self { return .dataCorrupted(context) }
    return self
  }

  /// The type that a text is about which types with raw values have from the standard library:
  /// "Cannot initialize Email from invalid String value secret".
  ///
  /// That it is this one cannot be seen otherwise: a type may refuse what it read at the same place
  /// for a reason of its own, and then the text is the app's.
  private static func refusingType(in text: String) -> String? {
    // Bytes, as the value may begin with what makes one character with the space before it.
    let beginning = "Cannot initialize ".utf8
    let middle = " from invalid ".utf8
    guard text.utf8.starts(with: beginning) else { return nil }
    let rest = text.utf8.dropFirst(beginning.count)
    guard let end = rest.indices.first(where: { rest[$0...].starts(with: middle) }) else {
      return nil
    }
    let rawType = rest[end...].dropFirst(middle.count)
    guard rawType.drop(while: { $0 != UInt8(ascii: " ") }).starts(with: " value ".utf8) else {
      return nil
    }
    return String(decoding: rest[..<end], as: UTF8.self)
  }

  private static func hiding(_ context: Context) -> Context {
    let refusing = refusingType(in: context.debugDescription)
    return Context(
      codingPath: context.codingPath.map { key in hiding(key) },
      debugDescription: refusing.map { type in "\(type) does not have the value that is stored" }
        ?? context.debugDescription,
      underlyingError: context.underlyingError.map { error -> any Error in
        (error as? DecodingError)?.hidingValues ?? error
      })
  }

  private static func hiding(_ key: any CodingKey) -> any CodingKey {
    key is DictionaryKey ? CodedKey(stringValue: "*") : key
  }
}
