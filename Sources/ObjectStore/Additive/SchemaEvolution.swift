/// How the schema of a store changes that is opened without a history.
public enum SchemaEvolution: Sendable, Hashable {
  /// By additions alone, so that apps with different models share the store.
  ///
  /// There are no versions to number and no migrations to write. What a model adds, types and
  /// members, is added by itself: members that are optional or have a fixed initial value, which
  /// older objects then have. What a model lacks stays in the store, hidden from it: objects that
  /// it changes keep it, and objects that it makes get the value that was fixed when the member
  /// was added. The same holds inside embedded objects, in containers of any depth. In lists of
  /// them, an app that does not know all their members can add, take away and move elements, and
  /// change those in which others have nothing, or that have an ``EmbeddedObject/elementKey``. Any
  /// other change is refused.
  case additive
}
