/// Walks objects of a type known by name that were looked up by a member's value, in the order of
/// the values; used by one thread.
public final class DynamicMatchCursor {
  private let walk: MatchWalk?

  init(walk: MatchWalk?) { self.walk = walk }

  /// The next object, or nothing after the last; throws for those whose upgrade fails, which come
  /// last.
  public func next() throws(StoreError) -> DynamicObject? {
    guard let found = try walk?.next() else { return nil }
    return try DynamicObject(shape: found.shape, key: found.key, payload: found.payload)
  }
}
