/// The number of a segment; numbers are never used again, so a larger one was created later.
public struct SegmentIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let rawValue: UInt32

  init(_ rawValue: UInt32) { self.rawValue = rawValue }

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  public var description: String { "\(rawValue)" }
}
