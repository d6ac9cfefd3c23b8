/// The number of a collection: the keys of one collection sort together and apart from all others.
///
/// 0 is the catalog, reserved for descriptions of the data; applications use 1 to 2^24 − 1.
public struct CollectionIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let rawValue: UInt32

  /// - Precondition: `rawValue` is below 2^24.
  public init(_ rawValue: UInt32) {
    precondition(
      rawValue < LogLimits.collectionCount, "a collection identifier must be below 2^24")
    self.rawValue = rawValue
  }

  /// Nothing when `value`, which may come from disk, is out of range.
  init?(exactly value: UInt64) {
    guard value < UInt64(LogLimits.collectionCount) else { return nil }
    rawValue = UInt32(value)
  }

  /// The reserved collection that holds schema descriptions.
  public static let catalog = CollectionIdentifier(0)

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  public var description: String { "\(rawValue)" }
}
