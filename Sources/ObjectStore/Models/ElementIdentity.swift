/// By what an element of a list is known, for an app that does not see all that is in it.
public enum ElementIdentity: Sendable, Hashable {
  /// The value of a member: see ``EmbeddedObject/elementKey``.
  case member(String)
  /// All that the app sees of it: an element of a set is there once, and has no place.
  case value
}
