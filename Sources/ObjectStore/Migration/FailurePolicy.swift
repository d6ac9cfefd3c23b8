public import SchemaRegistry

/// What a reader gets for an object whose upgrade fails; the object itself stays as it is stored.
///
/// The same for an object that its model cannot hold, as no case of an enumeration has a value that
/// it has: ``SchemaError/unknownCase(type:keyText:member:enumeration:value:)``. Reading without a
/// model, and ``ObjectReading/count(_:)``, find nothing wrong with such an object.
public enum FailurePolicy: Sendable {
  /// The error. Others stay readable.
  case thrown
  /// Walks pass over it, those over keys count it; asked for by its key, it is the error.
  case skipped
  /// What the closure makes of the stored members, by the names of their version; nothing is the
  /// error. It has to be as pure as a step. Where the model cannot hold the object, the members and
  /// the version are the current ones. Deletions by a member's value do not count what it made up.
  case fallback(@Sendable (FailedObject) -> [String: Value]?)
}

/// An object whose upgrade failed, or which its model cannot hold, for a fallback.
public struct FailedObject: Sendable {
  /// The members as they are stored, by the names of their version.
  public let members: [String: Value]
  /// The version they are stored under.
  public let version: SchemaVersion
  /// What failed.
  public let error: SchemaError
}
