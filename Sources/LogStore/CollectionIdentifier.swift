/// The number of a collection: the keys of one collection sort together and apart from all others.
///
/// 0 is the catalog, reserved for descriptions of the data, 2^24 − 1 the ledger, for what was
/// recorded of schema histories, and 2^24 − 2 holds copies of both; applications use those between.
public struct CollectionIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let rawValue: UInt32

  /// - Precondition: `rawValue` is below 2^24.
  public init(_ rawValue: UInt32) {
    guard rawValue < LogLimits.collectionCount else {
      fatalError("a collection identifier must be below 2^24")
    }
    self.rawValue = rawValue
  }

  /// Nothing when `value`, which may come from disk, is out of range.
  init?(exactly value: UInt64) {
    guard value < UInt64(LogLimits.collectionCount) else { return nil }
    rawValue = UInt32(value)
  }

  /// The reserved collection that holds schema descriptions.
  public static let catalog = CollectionIdentifier(0)

  /// The reserved collection that holds what was recorded of schema histories.
  ///
  /// The last one, and not the catalog: libraries that know nothing of it refuse unknown records
  /// there, and leave alone a collection that no type has. Its records are replaced, never removed.
  public static let ledger = CollectionIdentifier(LogLimits.collectionCount - 1)

  /// The reserved collection that holds copies of what the catalog and the ledger hold, for
  /// salvage; see ``CatalogCopy``. Libraries that know nothing of it leave it alone.
  public static let catalogCopies = CollectionIdentifier(LogLimits.collectionCount - 2)

  /// Those that hold what a store knows of itself.
  static let reserved = [catalog, ledger, catalogCopies]

  /// Whether it holds what a store knows of itself, and no data.
  public var isReserved: Bool { self == .catalog || self >= .catalogCopies }

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  public var description: String { "\(rawValue)" }
}
