/// Another name for a type whose records stay: `RenameType("Person", to: "Contact")`.
public struct RenameType: Hashable, Sendable {
  public let old: String
  public let new: String

  public init(_ old: String, to new: String) {
    self.old = old
    self.new = new
  }
}
