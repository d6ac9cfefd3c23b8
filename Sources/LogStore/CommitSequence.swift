/// The position of a record in the history of a store: 1 for the first record ever written.
///
/// Every record has its own sequence; the records of one commit have consecutive ones. Order in
/// time is decided by sequences, never by clocks.
public struct CommitSequence: RawRepresentable, Hashable, Comparable, Sendable,
  CustomStringConvertible
{
  public let rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }

  init(_ rawValue: UInt64) { self.rawValue = rawValue }

  /// Before the first record.
  public static let zero = CommitSequence(0)

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  public var description: String { "\(rawValue)" }
}
