/// The number of a dictionary in its store: 1 and up, in the order in which they were made, and
/// never used again.
public struct DictionaryIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let rawValue: UInt32

  init(_ rawValue: UInt32) { self.rawValue = rawValue }

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  public var description: String { "\(rawValue)" }
}
