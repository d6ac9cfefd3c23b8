/// How many live records a type has under one version; together, the version histogram of a store.
public struct RecordCount: Hashable, Sendable {
  public let type: TypeIdentity
  public let version: SchemaVersion
  public let count: UInt64

  public init(type: TypeIdentity, version: SchemaVersion, count: UInt64) {
    self.type = type
    self.version = version
    self.count = count
  }
}
