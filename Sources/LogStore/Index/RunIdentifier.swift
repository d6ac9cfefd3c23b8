/// The number of a merged run; runs and segments share their numbers, which are never used again.
public struct RunIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let rawValue: UInt32

  init(_ rawValue: UInt32) { self.rawValue = rawValue }

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  public var description: String { "\(rawValue)" }
}
