public import SchemaRegistry

/// What building the indexes of a store did, and what it found.
public struct IndexBuildReport: Sendable, Equatable {
  /// Objects that share a value of a unique member.
  ///
  /// They were stored before it was unique, got the value by an upgrade or a barrier, or were
  /// written by an app that does not know that the member is unique.
  public struct Conflict: Sendable, Equatable {
    /// The name of the type.
    public let type: String
    /// The name of the unique member.
    public let member: String
    /// The keys of the objects, ascending.
    public let keys: [Value]
  }

  /// An object whose key leaves no room for the value of an indexed member; it was stored before
  /// the index was declared.
  public struct Oversized: Sendable, Equatable {
    /// The name of the type.
    public let type: String
    /// The name of the indexed member.
    public let member: String
    /// The key of the object.
    public let key: Value
  }

  private static let oversizedCountMaximum = 100

  /// How many objects were read to complete indexes.
  public internal(set) var objectCount: UInt64 = 0
  /// How many keys of indexes that nobody needs any more were removed.
  public internal(set) var removedCount: UInt64 = 0
  /// Groups of objects with the same value of a unique member, at most the first hundred.
  ///
  /// They stay as they are, and only new values are refused, until each is changed or deleted. Of a
  /// member whose index a version made useless, and whose model is not at hand, none are found.
  public internal(set) var conflicts: [Conflict] = []
  /// Objects that keep an index from being complete, at most the first hundred of each.
  ///
  /// Look-ups by the member read all objects, and are right. Give these objects shorter keys, or
  /// take the index away.
  public private(set) var oversized: [Oversized] = []

  mutating func note(_ key: Value, of shape: TypeShape, member: String) {
    let count = oversized.count { $0.type == shape.name && $0.member == member }
    guard count < Self.oversizedCountMaximum else { return }
    oversized.append(Oversized(type: shape.name, member: member, key: key))
  }
}
