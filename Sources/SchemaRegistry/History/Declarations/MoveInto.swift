/// Members of the record become members of a new embedded object:
/// `MoveInto("address", "street", "zip")`. Older apps read them out of it.
public struct MoveInto: CompoundDeclaration {
  public let operations: [RecordOperation]

  /// Makes the embedded object `object` of `members`, which keep their names and types.
  public init(_ object: String, _ members: String...) {
    let value = ValueExpression.object(members.map { ObjectPart($0, .member($0)) })
    operations =
      [.derive(member: object, type: nil, inputs: members, computation: .expression(value))]
      + members.map { .remove(member: $0, readAs: .field(.member(object), $0)) }
  }
}
