/// Another value for one case of an enumeration: `RenameCase("state", "open", to: "active")`.
///
/// Enumerations are stored as their raw values. Where the history declares the cases of the member,
/// `old` must be one of them, and `new` is one afterwards. ``AddCases`` adds some, ``RemoveCase``
/// gives the objects of one another. In a list or dictionary every element that has the case is
/// changed; older apps cannot use the type then.
public struct RenameCase: OperationDeclaration {
  public let operation: RecordOperation

  /// Replaces the value `old` of `member` by `new`; other values stay.
  public init(_ member: String, _ old: Value, to new: Value) {
    operation = .mapCases(member: member, [CaseMapping(from: old, to: new)], all: nil)
  }
}
