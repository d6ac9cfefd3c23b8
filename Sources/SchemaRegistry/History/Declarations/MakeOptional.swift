/// Makes a required member optional: `MakeOptional("age")`; every value stays.
public struct MakeOptional: OperationDeclaration {
  public let operation: RecordOperation

  /// Makes the member called `member` optional.
  public init(_ member: String) { operation = .makeOptional(member: member) }
}
