/// One operation on every record of a type.
public enum RecordOperation: Sendable {
  case add(member: String, type: FieldType, default: Value?)
  case remove(member: String)
  case rename(member: String, to: String, type: FieldType?, fill: Value?)
  case widen(member: String, to: FieldType)
  case convert(member: String, to: FieldType, computation: Computation)
  case require(member: String, fill: Value)
  case makeOptional(member: String)
  /// A missing type is reported when the history is checked.
  case derive(member: String, type: FieldType?, inputs: [String], computation: Computation)
  case rewrite(RewriteClosure)

  /// How an operation takes part in a fused plan.
  public enum Class: String, Sendable {
    /// Fuses completely and needs no app code.
    case fused = "F"
    /// A pure closure with declared inputs; fuses as one opaque step.
    case pure = "P"
    /// A whole-record closure; cuts the plan.
    case wholeRecord = "W"
  }

  /// How this operation takes part in a fused plan.
  public var operationClass: Class {
    switch self {
    case .convert(_, _, .closure), .derive(_, _, _, .closure): .pure
    case .rewrite: .wholeRecord
    default: .fused
    }
  }

  /// Whether the operation is described only: it was a closure, and its code is not at hand.
  public var needsApplicationCode: Bool {
    switch self {
    case .convert(_, _, .closure(let closure)), .derive(_, _, _, .closure(let closure)):
      closure.run == nil
    case .rewrite(let closure): closure.run == nil
    default: false
    }
  }

  /// The member that the operation is about; nil for a whole-record closure.
  public var memberName: String? {
    switch self {
    case .add(let member, _, _), .remove(let member), .rename(let member, _, _, _),
      .widen(let member, _), .convert(let member, _, _), .require(let member, _),
      .makeOptional(let member), .derive(let member, _, _, _):
      member
    case .rewrite: nil
    }
  }
}
