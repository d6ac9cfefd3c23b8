/// Removes a member and its values: `Remove("firstName")`.
///
/// A member that is added later under the same name is another member and starts from its default.
public struct Remove: OperationDeclaration {
  public let operation: RecordOperation

  /// Removes the member called `member`.
  public init(_ member: String) { operation = .remove(member: member) }
}
