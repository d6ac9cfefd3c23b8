/// More cases of an enumeration: `AddCases("status", ["refunded"])`.
///
/// For members whose cases the history declares with `cases:`. Nothing happens to objects, and it
/// costs them nothing. Older apps cannot read the new cases, and change no objects of the type,
/// unless `readAs` says which they read instead.
public struct AddCases: OperationDeclaration {
  public let operation: RecordOperation

  /// Adds `cases` to those of `member`; older apps read them as `readAs`, a case from before.
  public init(_ member: String, _ cases: [Value], readAs value: Value? = nil) {
    operation = .addCases(member: member, cases, readAs: value)
  }
}
