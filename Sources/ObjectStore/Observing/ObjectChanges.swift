/// Which objects of a type were put or deleted since the last time that this was asked.
public struct ObjectChanges<Model: StorableObject>: Sendable {
  /// Links to the objects; nothing when any object of the type may have changed.
  ///
  /// That is so when more than 65,536 objects changed, or keys of 4 MiB, before this was asked for;
  /// when a store that is read beside its writer went to a newer state; and when a write was going
  /// on as watching began. Then load again what is shown.
  public let links: Set<Link<Model>>?

  /// Whether the object with that key may have changed.
  public func contains<Key: StorableKey>(_ key: Key) -> Bool {
    links?.contains(Link(stored: key.dynamicValue)) ?? true
  }
}
