/// What becomes of one value of a member that has a fixed set of them, such as an enumeration.
public struct CaseMapping: Hashable, Sendable {
  /// The value so far.
  public let from: Value
  /// The value in its place.
  public let to: Value

  public init(from: Value, to: Value) {
    self.from = from
    self.to = to
  }
}
