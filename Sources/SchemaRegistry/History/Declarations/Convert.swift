/// Another type for a member: `Convert("zip", to: .string) { (code: Int) in String(code) }`.
///
/// The closure must be pure: it may run any number of times, on any thread. It may throw, then the
/// record stays as it is. Nil stays nil without a call unless the new type is required. Raise
/// `revision` whenever the closure's meaning changes before it has shipped.
///
/// With an `inverse`, older apps read what it makes of the new members. It is an expression, as
/// they do not have this app's code: it is stored. `cases` are all values that the member may have
/// from then on, `linksTo` is the type whose keys it holds, `inside` says both of embedded objects.
public struct Convert: OperationDeclaration {
  public let operation: RecordOperation

  /// Converts `member` to `type` by Swift code.
  public init<Input: ValueConvertible, Output: ValueConvertible>(
    _ member: String, to type: FieldType, revision: UInt32 = 1, linksTo: String? = nil,
    cases: [Value]? = nil, inside: [String: MemberMeaning] = [:],
    inverse: ValueExpression? = nil,
    _ transform: @escaping @Sendable (Input) throws -> Output
  ) {
    let closure = StepClosure(revision: revision, taking: transform)
    operation = .convert(
      member: member, to: type, computation: .closure(closure), inverse: inverse,
      meaning: MemberMeaning(linksTo: linksTo, cases: cases, inside: inside))
  }

  /// The same without Swift code, so that tools can run it; the expression reads the member itself.
  public init(
    _ member: String, to type: FieldType, linksTo: String? = nil, cases: [Value]? = nil,
    inside: [String: MemberMeaning] = [:], _ expression: ValueExpression,
    inverse: ValueExpression? = nil
  ) {
    operation = .convert(
      member: member, to: type, computation: .expression(expression), inverse: inverse,
      meaning: MemberMeaning(linksTo: linksTo, cases: cases, inside: inside))
  }
}
