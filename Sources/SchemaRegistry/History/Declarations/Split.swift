/// One text in two: `Split("name", into: "first", "last", at: " ")`.
///
/// Splits at the first separator. A text without it goes to the first member, and the second one is
/// empty; nil stays nil in both. The member itself is removed. With an `inverse`, older apps read
/// what it makes of the new members.
public struct Split: CompoundDeclaration {
  public let operations: [RecordOperation]

  /// Splits the text `member` into the new members `first` and `second` of `type`.
  public init(
    _ member: String, into first: String, _ second: String, at separator: String,
    as type: FieldType = .string, inverse: ValueExpression? = nil
  ) {
    let whole = ValueExpression.member(member)
    // What a text without separator gives to the second member, and what nil gives.
    let rest: ValueExpression =
      type.isOptional
      ? .mapped(
        whole.isNil, [CaseMapping(from: true, to: .null), CaseMapping(from: false, to: "")],
        otherwise: nil) : .constant("")
    operations = [
      Derive(first, type, whole.textBefore(separator).orElse(whole)).operation,
      Derive(second, type, whole.textAfter(separator).orElse(rest)).operation,
      .remove(member: member, readAs: inverse),
    ]
  }
}
