/// Another name for a type whose records stay: `RenameType("Person", to: "Contact")`.
public struct RenameType: Hashable, Sendable {
  /// The name so far.
  public let old: String
  /// The name from this version on.
  public let new: String

  public init(_ old: String, to new: String) {
    self.old = old
    self.new = new
  }
}
