internal import FileIO

/// The members that a `Codable` type asks for by `contains(_:)`. A store keeps nil for what was
/// left out, so what nil is to the type depends on what it decodes.
struct MemberPresence: Sendable {
  /// Looked at once for each type, as decoders ask for every nil.
  private static let known = Lock<[ObjectIdentifier: MemberPresence]>([:])

  /// Those of which no optional is decoded: nil is one that was left out.
  var mayBeMissing: Set<String> = []
  /// Those of which an optional is decoded, and which are another value when they are left out: nil
  /// was encoded, so none may be left out.
  var alwaysEncoded: Set<String> = []

  static func of(_ type: any Decodable.Type) -> MemberPresence {
    let identifier = ObjectIdentifier(type)
    if let found = known.withLock({ known in known[identifier] }) { return found }
    // Not within the lock, as looking at a type looks at those inside of it.
    let found = MemberProbe.presence(of: type)
    known.withLock { known in known[identifier] = found }
    return found
  }
}
