/// A collection together with a schema version: what records are counted by.
public struct CollectionVersion: Hashable, Comparable, Sendable {
  /// The collection that the records belong to.
  public var collection: CollectionIdentifier
  /// The schema version that the records were written under.
  public var schemaVersion: UInt64

  public init(collection: CollectionIdentifier, schemaVersion: UInt64) {
    self.collection = collection
    self.schemaVersion = schemaVersion
  }

  public static func < (left: Self, right: Self) -> Bool {
    (left.collection, left.schemaVersion) < (right.collection, right.schemaVersion)
  }
}
