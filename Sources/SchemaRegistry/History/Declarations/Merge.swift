/// Several texts in one: `Merge("name", from: "first", "last", separator: " ")`.
///
/// Parts that are nil are left out. The members that were merged are removed. With an `inverse`,
/// older apps read what it makes of the new text for each of them.
public struct Merge: CompoundDeclaration {
  public let operations: [RecordOperation]

  /// Joins `members` into the new text `member`.
  public init(
    _ member: String, from members: String..., separator: String,
    inverse: [String: ValueExpression] = [:]
  ) {
    let joined = ValueExpression.join(members.map { .member($0) }, separator: separator)
    operations =
      [Derive(member, .string, joined).operation]
      + members.map { .remove(member: $0, readAs: inverse[$0]) }
  }
}
