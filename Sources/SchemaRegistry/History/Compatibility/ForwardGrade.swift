/// What an older app can do with records that a newer one wrote.
public enum ForwardGrade: UInt8, Hashable, Comparable, Sendable {
  /// Read and change them; what it does not know stays.
  case full = 0
  /// Read those that it can show, and change none.
  case readOnly = 1
  /// Nothing: opening the type's objects is an error; other types stay usable.
  case refused = 2

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
