/// Walks the objects of a type known by name, in ascending order of their keys; one thread.
public final class DynamicObjectCursor {
  private let records: UpgradingCursor

  init(_ records: UpgradingCursor) { self.records = records }

  /// The next object, or nothing after the last.
  ///
  /// Throws for an object whose upgrade fails; the next call goes on with the one after it.
  public func next() throws(StoreError) -> DynamicObject? {
    guard let found = try records.next() else { return nil }
    return try DynamicObject(shape: found.shape, key: found.key, payload: found.payload)
  }
}
