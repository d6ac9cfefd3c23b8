/// The number of a schema: every record carries the version it was written under.
///
/// Versions start at 0 and only grow. The largest integer is reserved and rejected wherever a
/// version enters: histories, stored shapes and store configurations.
public struct SchemaVersion: RawRepresentable, Hashable, Comparable, Sendable,
  ExpressibleByIntegerLiteral, CustomStringConvertible
{
  /// The number.
  public let rawValue: UInt64

  /// The version with this number.
  @inlinable
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The version with this number.
  @inlinable
  public init(_ rawValue: UInt64) { self.rawValue = rawValue }

  @inlinable
  public init(integerLiteral value: UInt64) { rawValue = value }

  /// The largest integer, which no schema may use.
  public static let reserved = SchemaVersion(rawValue: .max)

  @inlinable
  public static func < (left: SchemaVersion, right: SchemaVersion) -> Bool {
    left.rawValue < right.rawValue
  }

  public var description: String { String(rawValue) }
}
