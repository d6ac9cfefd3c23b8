/// How many live records a type has under one version; together, the version histogram of a store.
public struct RecordCount: Hashable, Sendable {
  /// The type of the records.
  public let type: TypeIdentity
  /// The version they were written under.
  public let version: SchemaVersion
  /// How many live records there are.
  public let count: UInt64

  public init(type: TypeIdentity, version: SchemaVersion, count: UInt64) {
    self.type = type
    self.version = version
    self.count = count
  }
}
