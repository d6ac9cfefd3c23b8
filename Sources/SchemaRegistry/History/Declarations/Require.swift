/// Makes an optional member required: `Require("age", fill: .int(0))`; every value but nil stays.
public struct Require: OperationDeclaration {
  public let operation: RecordOperation

  /// Makes `member` required, with `fill` in place of nil.
  public init(_ member: String, fill: Value) {
    operation = .require(member: member, fill: fill)
  }
}
