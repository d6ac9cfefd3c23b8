/// A larger type that holds every old value: `Widen("age", to: .int64)`.
///
/// Lossless only: int32 to int64 or double, float to double, T to T? and T to [T].
public struct Widen: OperationDeclaration {
  public let operation: RecordOperation

  /// Widens `member` to `type`.
  public init(_ member: String, to type: FieldType) {
    operation = .widen(member: member, to: type)
  }
}
