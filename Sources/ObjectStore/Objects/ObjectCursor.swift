/// Walks the objects of a type in ascending order of their keys; used by one thread.
public final class ObjectCursor<Model: StorableObject> {
  private let binding: ModelBinding
  private let records: UpgradingCursor

  init(binding: ModelBinding, dynamic: UpgradingCursor) {
    self.binding = binding
    records = dynamic
  }

  /// The next object, or nothing after the last.
  ///
  /// Throws for an object whose upgrade fails; the next call goes on with the one after it.
  public func next() throws(StoreError) -> Model? {
    guard let found = try records.next() else { return nil }
    return try binding.decode(Model.self, key: found.key, payload: found.payload)
  }
}
