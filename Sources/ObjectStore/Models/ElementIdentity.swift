/// By what the elements of a list are known, for an app that does not see all that is in them,
/// where that is not only how they look and in which order they are.
public struct ElementIdentity: Sendable, Hashable {
  /// The member that tells them apart, see ``EmbeddedObject/elementKey``; empty for none.
  public let key: String
  /// Whether the app has them in a set: each is there once, and has no place.
  public let isSet: Bool

  /// An identity made of its parts.
  public init(key: String, isSet: Bool) {
    self.key = key
    self.isSet = isSet
  }
}
