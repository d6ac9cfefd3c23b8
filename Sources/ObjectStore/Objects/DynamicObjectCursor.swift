public import SchemaRegistry

/// Walks the objects of a type known by name, in the order of their keys; used by one thread.
public final class DynamicObjectCursor {
  let records: UpgradingCursor

  init(_ records: UpgradingCursor) { self.records = records }

  /// The next object, or nothing after the last.
  ///
  /// Throws for an object whose upgrade fails; the next call goes on with the one after it.
  public func next() throws(StoreError) -> DynamicObject? {
    guard let found = try records.next() else { return nil }
    return try DynamicObject(shape: found.shape, key: found.key, payload: found.payload)
  }

  /// Objects passed over so far because their upgrade failed; see ``FailurePolicy/skipped``.
  public var skippedCount: UInt64 { records.skippedCount }

  /// The number of objects that are left; none is made.
  public func count() throws(StoreError) -> Int { try records.count() }

  /// Moves so that the next object is that of `key`, or the first behind it in the cursor's order;
  /// forwards or backwards, but never out of the range that is walked.
  public func seek(to key: Value) throws(StoreError) { try records.seek(to: key) }
}
