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
  /// Objects whose upgrade fails come last: each throws, and the next call goes on with the one
  /// after it. Where other members make it fail, and the value of this one is known, only those
  /// come whose value is selected; else all. What a policy gives in place of an object, also of one
  /// that only its model refuses, must be selected, too. Those that the policy of their type skips
  /// are not told. So it is with damaged ones, which throw in their place where an index tells that
  /// they match.
  @inlinable
  public func next() throws(StoreError) -> Model? { try nextFound()?.object }

  /// The same with the object's key.
  @inlinable
  func nextFound() throws(StoreError) -> (key: Value, object: Model)? {
    while let found = try nextPayload() {
      do throws(StoreError) {
        let object = try binding.decode(
          Model.self, key: found.key, payload: found.payload, meant: isSelected)
        if let object { return (found.key, object) }
      } catch { guard skips(error) else { throw error } }
    }
    return nil
  }

  /// Starts behind `object`, which a look-up of the same kind gave: a page begins behind the last
  /// object of the page before.
  ///
  /// Where the object has been changed or deleted since, its place is the one that it had. One that
  /// has not stands where what is stored stands, whatever a policy or the model made of that. Costs
  /// nothing for those before it where the member has an index, but for types with a
  /// ``FailurePolicy/fallback(_:)``, whose objects are read: what that gives comes last, in the
  /// pages behind the others, and once such an object is put or deleted its place is that of its
  /// value, so that others come again. Errors of objects that lie before the place are not told.
  /// - Precondition: nothing was asked of the cursor yet.
  /// - Throws: ``StoreError/invalidLookup(type:member:reason:)`` when the model has no such member,
  ///   but another app's has, and what encoding the object throws.
  public func start(after object: Model) throws(StoreError) {
    guard let walk else { return }
    guard binding.hidden[walk.member] == nil else {
      throw .invalidLookup(
        type: binding.shape.name, member: walk.member,
        reason: "the model does not have the member, so it cannot tell where an object stands")
    }
    let given = try binding.encode(object)
    try walk.start(after: given.key, holding: given.payload) { stored in
      do throws(StoreError) {
        let object = try binding.decode(Model.self, key: stored.key, payload: stored.payload)
        return try binding.encode(object) == given
      } catch { return false }
    }
  }

  /// The number of objects that are left; none is made, so those count, too, that only their model
  /// refuses.
  ///
  /// - Throws: what ``next()`` throws for the first object whose upgrade fails.
  public func count() throws(StoreError) -> Int { try walk?.count() ?? 0 }

  @usableFromInline
  func isSelected(_ object: DynamicObject) -> Bool { walk?.selects(object) ?? true }

  @usableFromInline
  func skips(_ error: StoreError) -> Bool { walk?.skips(error) ?? false }

  @usableFromInline
  func nextPayload() throws(StoreError) -> (key: Value, payload: [UInt8])? {
    try walk?.next().map { ($0.key, $0.payload) }
  }
}
