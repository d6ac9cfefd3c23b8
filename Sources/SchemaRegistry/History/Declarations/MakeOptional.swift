/// Makes a required member optional: `MakeOptional("age")`; every value stays.
public struct MakeOptional: OperationDeclaration {
  public let operation: RecordOperation

  /// Makes the member called `member` optional.
  ///
  /// With `readAs`, older apps read that for nil, and may go on writing, too.
  public init(_ member: String, readAs: Value? = nil) {
    operation = .makeOptional(member: member, readAs: readAs)
  }
}
