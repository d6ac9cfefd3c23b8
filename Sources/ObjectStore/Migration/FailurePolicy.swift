public import SchemaRegistry

/// What a reader gets for an object whose upgrade fails; the object itself stays as it is stored.
public enum FailurePolicy: Sendable {
  /// The error. Others stay readable.
  case thrown
  /// Walks pass over it and count it; asked for by its key, it is the error.
  case skipped
  /// What the closure makes of the stored members, by the names of their version; nothing is the
  /// error. It has to be as pure as a step.
  case fallback(@Sendable (FailedObject) -> [String: Value]?)
}

/// An object whose upgrade failed, for a fallback.
public struct FailedObject: Sendable {
  /// The members as they are stored, by the names of their version.
  public let members: [String: Value]
  /// The version they are stored under.
  public let version: SchemaVersion
  /// What failed.
  public let error: SchemaError
}
