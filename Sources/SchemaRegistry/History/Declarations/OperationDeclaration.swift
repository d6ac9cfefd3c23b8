/// A word that may stand inside `On`, such as ``Add`` or ``Rename``.
public protocol OperationDeclaration: Sendable {
  /// What the word means.
  var operation: RecordOperation { get }
}
