/// A list becomes its first element: `Head("tags", as: .string, default: "none")`.
///
/// The other way round is `Widen("tag", to: .list(.string))`.
public struct Head: OperationDeclaration {
  public let operation: RecordOperation

  /// Keeps the first element of the list `member`; empty lists give `value`, or nil.
  public init(_ member: String, as type: FieldType, default value: Value? = nil) {
    let first = ValueExpression.member(member).first
    operation = .convert(
      member: member, to: type, computation: .expression(value.map { first.orElse($0) } ?? first))
  }
}
