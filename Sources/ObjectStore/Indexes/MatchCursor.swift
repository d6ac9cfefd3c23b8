/// Walks the objects that were looked up by a member's value, in the order of the values, and of
/// the keys where they are equal; used by one thread.
public final class MatchCursor<Model: StorableObject> {
  private let binding: ModelBinding
  private let walk: MatchWalk?

  init(binding: ModelBinding, walk: MatchWalk?) {
    self.binding = binding
    self.walk = walk
  }

  /// The next object, or nothing after the last.
  ///
  /// Objects whose upgrade fails come last, whatever their value may be: each throws, and the next
  /// call goes on with the one after it.
  public func next() throws(StoreError) -> Model? {
    guard let found = try walk?.next() else { return nil }
    return try binding.decode(Model.self, key: found.key, payload: found.payload)
  }
}
