/// A member of a type, by name: `MemberPlace("Person", "home")`.
public struct MemberPlace: Hashable, Sendable, CustomStringConvertible {
  /// The name of the type.
  public let type: String
  /// The name of the member.
  public let member: String

  public init(_ type: String, _ member: String) {
    self.type = type
    self.member = member
  }

  /// The two with a point between.
  public var description: String { "\(type).\(member)" }
}
