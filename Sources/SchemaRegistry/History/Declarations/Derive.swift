/// A new member computed from others:
/// `Derive("fullName", from: "first", "last") { (f: String, l: String) in "\(f) \(l)" }`.
///
/// The closure must be pure: it may run any number of times, on any thread. Its parameter types are
/// checked against the members before any record is read. It sees the members as the operations
/// before it left them. With `materialise`, the result is written by the first transaction that
/// gets the object by its key, or by `Store.migrate`. `cases` are all values that the member may
/// have, `linksTo` is the type whose keys it holds, `inside` says both of embedded objects.
public struct Derive: OperationDeclaration {
  public let operation: RecordOperation

  /// A new member computed by Swift code from `inputs`, one per parameter.
  public init<each Input: ValueConvertible, Output: ValueConvertible>(
    _ member: String, _ type: FieldType? = nil, from inputs: String..., revision: UInt32 = 1,
    materialise: Bool = false, linksTo: String? = nil, cases: [Value]? = nil,
    inside: [String: MemberMeaning] = [:],
    _ transform: @escaping @Sendable (repeat each Input) throws -> Output
  ) {
    let closure = StepClosure(
      revision: revision, materialises: materialise, taking: transform)
    operation = .derive(
      member: member, type: type ?? Output.fieldType, inputs: inputs,
      computation: .closure(closure),
      meaning: MemberMeaning(linksTo: linksTo, cases: cases, inside: inside))
  }

  /// The same without Swift code, so that tools can run it; the inputs are those the expression
  /// reads, and its type is that of what it gives unless said otherwise.
  public init(
    _ member: String, _ type: FieldType? = nil, linksTo: String? = nil, cases: [Value]? = nil,
    inside: [String: MemberMeaning] = [:], _ expression: ValueExpression
  ) {
    operation = .derive(
      member: member, type: type, inputs: expression.memberNames,
      computation: .expression(expression),
      meaning: MemberMeaning(linksTo: linksTo, cases: cases, inside: inside))
  }
}
