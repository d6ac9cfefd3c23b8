/// Removes a member and its values: `Remove("firstName")`.
///
/// A member that is added later under the same name is another member and starts from its default.
public struct Remove: OperationDeclaration {
  public let operation: RecordOperation

  /// Removes the member called `member`.
  public init(_ member: String) { operation = .remove(member: member) }

  /// The same with what older apps read in its place, which lets them go on reading.
  public init(_ member: String, readAs value: Value) {
    self.init(member, readAs: .constant(value))
  }

  /// The same with what older apps read computed from the members that are left.
  public init(_ member: String, readAs expression: ValueExpression) {
    operation = .remove(member: member, readAs: expression)
  }
}
