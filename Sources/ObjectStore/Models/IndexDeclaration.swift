/// That objects of a type can be looked up by the value of a member.
///
/// The member holds a bool, a number, a text, bytes, a date or a UUID, an optional of these, or a
/// list or set of them, by whose elements objects are looked up then. A unique one, of no list,
/// refuses an object whose value another object has; absent values do not count.
/// A member that is declared twice has one index, which is unique if either declaration is.
public struct IndexDeclaration: Sendable, Hashable {
  /// The name of the member.
  public let member: String
  /// Whether two objects may not have the same value.
  public let isUnique: Bool

  /// An index of the member called `member`.
  public init(_ member: String, isUnique: Bool = false) {
    self.member = member
    self.isUnique = isUnique
  }

  /// An index of the member called `member` that refuses a value which another object has.
  public static func unique(_ member: String) -> IndexDeclaration {
    IndexDeclaration(member, isUnique: true)
  }
}
