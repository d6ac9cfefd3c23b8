/// The embedded objects that are being described, from the outside in: none may be in itself.
enum EmbeddedPath {
  @TaskLocal private static var types: Set<ObjectIdentifier> = []

  /// Runs `body` on its own: what a link leads to is no part of the object that holds it.
  static func leaving<Result>(_ body: () -> Result) -> Result {
    $types.withValue([], operation: body)
  }

  /// Runs `body`, which describes a type.
  ///
  /// - Precondition: the type is not being described already; that would never come to an end.
  static func entering<Result>(_ type: Any.Type, _ body: () -> Result) -> Result {
    let entered = ObjectIdentifier(type)
    guard !types.contains(entered) else {
      fatalError(
        "\(type) holds itself, and an embedded object is a part of the one around it; "
          + "give it a primary key, and hold a Link to it")
    }
    return $types.withValue(types.union([entered]), operation: body)
  }
}
