/// Another name for a member whose values stay: `Rename("yearsSinceBirth", to: "age")`.
///
/// Two renames may swap names. `as` applies a new optionality in the same operation, and `fill`
/// replaces nil when the member becomes required.
public struct Rename: OperationDeclaration {
  public let operation: RecordOperation

  /// Renames `member` to `name`, and optionally changes whether it is optional.
  public init(_ member: String, to name: String, as type: FieldType? = nil, fill: Value? = nil) {
    operation = .rename(member: member, to: name, type: type, fill: fill)
  }
}
