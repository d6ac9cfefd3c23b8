/// Members of the record become members of a new embedded object:
/// `MoveInto("address", "street", "zip")`. Older apps read them out of it.
///
/// Links and cases of the members end, as they do with a ``Convert``; `inside` says them anew.
public struct MoveInto: CompoundDeclaration {
  public let operations: [RecordOperation]

  /// Makes the embedded object `object` of `members`, which keep their names and types.
  public init(
    _ object: String, _ members: String..., inside: [String: MemberMeaning] = [:]
  ) {
    let value = ValueExpression.object(members.map { ObjectPart($0, .member($0)) })
    let derive = RecordOperation.derive(
      member: object, type: nil, inputs: members, computation: .expression(value),
      meaning: MemberMeaning(inside: inside))
    operations =
      [derive] + members.map { .remove(member: $0, readAs: .field(.member(object), $0)) }
  }
}
