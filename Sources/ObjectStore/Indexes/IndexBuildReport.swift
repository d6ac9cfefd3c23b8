public import SchemaRegistry

/// What building the indexes of a store did, and what it found.
public struct IndexBuildReport: Sendable, Equatable {
  /// Objects that share a value of a unique member; they were stored before it was unique.
  public struct Conflict: Sendable, Equatable {
    /// The name of the type.
    public let type: String
    /// The name of the unique member.
    public let member: String
    /// The keys of the objects, ascending.
    public let keys: [Value]
  }

  /// How many objects were read to complete indexes.
  public internal(set) var objectCount: UInt64 = 0
  /// How many keys of indexes that nobody needs any more were removed.
  public internal(set) var removedCount: UInt64 = 0
  /// Groups of objects with the same value of a unique member, at most the first hundred.
  ///
  /// They stay as they are, and only new values are refused, until each is changed or deleted.
  public internal(set) var conflicts: [Conflict] = []
}
