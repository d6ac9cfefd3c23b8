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
  /// call goes on with the one after it.
  @inlinable
  public func next() throws(StoreError) -> Model? {
    guard let found = try nextPayload() else { return nil }
    return try binding.decode(Model.self, key: found.key, payload: found.payload)
  }

  @usableFromInline
  func nextPayload() throws(StoreError) -> (key: Value, payload: [UInt8])? {
    try walk?.next().map { ($0.key, $0.payload) }
  }
}
