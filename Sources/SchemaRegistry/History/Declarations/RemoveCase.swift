/// Removes a case of an enumeration: `RemoveCase("state", "lost", to: "closed")`.
///
/// Like ``RenameCase``, but where the history declares the cases of the member, the one that
/// objects get must be among them.
public struct RemoveCase: OperationDeclaration {
  public let operation: RecordOperation

  /// Replaces the value `old` of `member` by the case `other`; other values stay.
  public init(_ member: String, _ old: Value, to other: Value) {
    // A case that is mapped to itself must be one.
    operation = .mapCases(
      member: member,
      [CaseMapping(from: old, to: other), CaseMapping(from: other, to: other)], all: nil)
  }
}
