/// Walks the objects of a type in the order of their keys; used by one thread.
public final class ObjectCursor<Model: StorableObject> {
  @usableFromInline let binding: ModelBinding
  @usableFromInline let records: UpgradingCursor

  init(binding: ModelBinding, dynamic: UpgradingCursor) {
    self.binding = binding
    records = dynamic
  }

  /// The next object, or nothing after the last.
  ///
  /// Throws for an object whose upgrade fails; the next call goes on with the one after it.
  @inlinable
  public func next() throws(StoreError) -> Model? {
    var object = Model()
    let isFound = try records.next { (key, payload) throws(StoreError) in
      try binding.decode(key: key, payload: payload, into: &object)
    }
    return isFound ? consume object : nil
  }

  /// Objects passed over so far because their upgrade failed; see ``FailurePolicy/skipped``.
  public var skippedCount: UInt64 { records.skippedCount }

  /// The number of objects that are left; none is made, so those count, too, that only their model
  /// refuses.
  ///
  /// - Throws: what ``next()`` throws for the first object whose upgrade fails.
  public func count() throws(StoreError) -> Int { try records.count() }

  /// Moves so that the next object is that of `key`, or the first behind it in the cursor's order;
  /// forwards or backwards, but never out of the range that is walked.
  public func seek<Key: StorableKey>(to key: Key) throws(StoreError) {
    try records.seek(to: key.dynamicValue)
  }
}
