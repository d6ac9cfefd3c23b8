internal import BinaryCoding
internal import FileIO
internal import LogStore
internal import SchemaRegistry

/// How the values of members are found in records that cannot be upgraded; each way is kept.
final class KnownMembers: Sendable {
  /// A member of the current shape, in records of one version.
  struct Place: Hashable {
    let collection: CollectionIdentifier
    let version: SchemaVersion
    let member: Int
  }

  /// Indirect, as each look copies it.
  indirect enum Way: Sendable {
    /// The member of that shape is as it was stored: nothing behind the record's version changes
    /// it.
    case stored(TypeShape, member: Int)
    /// By the plan to the version that changed it last.
    case computed(UpgradePlan, member: Int)
    case unknown
  }

  /// A type of its own: a lock of the table would have the runtime look whether places are
  /// hashable, which takes longer than all else here (see `LibraryScalars`).
  private struct Ways {
    var table = SmallTable<Place, Way>()
  }

  private let ways = Lock(Ways())

  /// The way for a place; `make` finds it where nobody asked before.
  func way(_ place: Place, orMake make: () -> Way) -> Way {
    if let known = ways.withLock({ ways in ways.table[place] }) { return known }
    let way = make()
    ways.withLock { ways in ways.table[place] = way }
    return way
  }
}
