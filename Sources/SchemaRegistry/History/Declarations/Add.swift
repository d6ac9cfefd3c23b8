/// A new member: `Add("email", .optional(.string))` or `Add("score", .int64, default: .int(0))`.
///
/// Older records read the default that is written here, whatever today's initialiser says. A
/// required member needs a default, unless a ``Rewrite`` in the same version gives every record
/// one.
public struct Add: OperationDeclaration {
  public let operation: RecordOperation

  /// A new member of `type`, with the value that older records get, and the name of the type whose
  /// keys it holds, or all the values that it may have; `inside` says the same of what is inside.
  ///
  /// Literals are numbers of the member's type: `Add("price", .double, default: 0)`.
  public init(
    _ member: String, _ type: FieldType, default value: Value? = nil, linksTo: String? = nil,
    cases: [Value]? = nil, inside: [String: MemberMeaning] = [:]
  ) {
    operation = .add(
      member: member, type: type, default: value?.asNumber(for: type),
      meaning: MemberMeaning(linksTo: linksTo, cases: cases, inside: inside))
  }
}
