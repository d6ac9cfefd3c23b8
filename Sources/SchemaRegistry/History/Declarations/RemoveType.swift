/// Removes a type and its records for ever: `RemoveType("Draft")`.
public struct RemoveType: Hashable, Sendable {
  /// The type's name.
  public let name: String

  public init(_ name: String) { self.name = name }
}
