public import SchemaRegistry

/// Walks the objects that were looked up by a member's value, in the order of the values, and of
/// the keys where they are equal; used by one thread.
///
/// Of texts and bytes the first 255 bytes decide, and the key where these are equal.
public final class MatchCursor<Model: StorableObject> {
  @usableFromInline let binding: ModelBinding
  private let walk: MatchWalk?

  init(binding: ModelBinding, walk: MatchWalk?) {
    self.binding = binding
    self.walk = walk
  }

  /// The next object, or nothing after the last.
  ///
  /// Objects whose upgrade fails come last, whatever their value may be: each throws, and the next
  /// call goes on with the one after it. Those that the policy of their type skips are not told.
  @inlinable
  public func next() throws(StoreError) -> Model? {
    while let found = try nextPayload() {
      do throws(StoreError) {
        return try binding.decode(Model.self, key: found.key, payload: found.payload)
      } catch { guard skips(error) else { throw error } }
    }
    return nil
  }

  @usableFromInline
  func skips(_ error: StoreError) -> Bool { walk?.skips(error) ?? false }

  @usableFromInline
  func nextPayload() throws(StoreError) -> (key: Value, payload: [UInt8])? {
    try walk?.next().map { ($0.key, $0.payload) }
  }
}
