/// Removes a type and its records for ever: `RemoveType("Draft")`.
///
/// No member of a type that stays may still link to it. A type that only the models lack keeps its
/// records.
public struct RemoveType: Hashable, Sendable {
  /// The type's name.
  public let name: String

  public init(_ name: String) { self.name = name }
}
