internal import BinaryCoding
internal import SchemaRegistry

/// A value inside of a `Codable` type that no case of an enumeration has. It lies beneath an error
/// that is known to such types, so that they may catch that and go on with another value.
struct CodedUnknownCase: Error {
  let unknown: UnknownCase

  /// The one that `error` tells of, also where types between passed it on within another error.
  init?(beneath error: any Error) {
    var next: (any Error)? = error
    while let error = next {
      if let found = error as? CodedUnknownCase {
        self = found
        return
      }
      next = (error as? DecodingError)?.context?.underlyingError
    }
    return nil
  }

  private init(_ unknown: UnknownCase, _ codingPath: [any CodingKey]) {
    var unknown = unknown
    unknown.path = codingPath.memberNames + unknown.path
    self.unknown = unknown
  }

  /// What `Codable` types are given.
  static func error(for unknown: UnknownCase, at codingPath: [any CodingKey]) -> DecodingError {
    .dataCorrupted(
      DecodingError.Context(
        codingPath: codingPath,
        debugDescription: unknown.value.map { "\(unknown.enumeration) has no case \($0)" }
          ?? "\(unknown.enumeration) does not have the value that is stored",
        underlyingError: CodedUnknownCase(unknown, codingPath)))
  }

  /// The error for an object of `type`, which is where the path begins.
  func error(of type: String, _ keyText: String) -> SchemaError {
    .unknownCase(
      type: type, keyText: keyText, member: unknown.path.joined(separator: "."),
      enumeration: unknown.enumeration, value: unknown.value)
  }
}
