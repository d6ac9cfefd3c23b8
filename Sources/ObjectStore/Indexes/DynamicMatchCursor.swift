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

  /// Starts behind `object`, which a look-up of the same kind gave; see
  /// ``MatchCursor/start(after:)``.
  ///
  /// - Precondition: nothing was asked of the cursor yet.
  public func start(after object: DynamicObject) throws(StoreError) {
    let (key, payload) = try object.encode()
    try walk?.start(after: key, holding: payload, in: object.shape)
  }

  /// The number of objects that are left; none is made.
  public func count() throws(StoreError) -> Int { try walk?.count() ?? 0 }
}
