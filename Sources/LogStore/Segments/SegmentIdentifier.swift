/// The number of a segment; numbers are never used again, so a larger one was created later.
public struct SegmentIdentifier: Hashable, Comparable, Codable, Sendable,
  CustomStringConvertible
{
  public let rawValue: UInt32

  init(_ rawValue: UInt32) { self.rawValue = rawValue }

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// Reads the number alone; it may name a segment that no store has.
  public init(from decoder: any Decoder) throws {
    rawValue = try decoder.singleValueContainer().decode(UInt32.self)
  }

  /// Writes the number alone.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }

  public var description: String { "\(rawValue)" }
}
