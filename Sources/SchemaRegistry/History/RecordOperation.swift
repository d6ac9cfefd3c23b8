/// One operation on every record of a type.
public enum RecordOperation: Sendable {
  case add(
    member: String, type: FieldType, default: Value?, meaning: MemberMeaning = MemberMeaning())
  /// `readAs` is what older apps read in its place.
  case remove(member: String, readAs: ValueExpression? = nil)
  case rename(member: String, to: String, type: FieldType?, fill: Value?)
  case widen(member: String, to: FieldType)
  /// `inverse` is what older apps read, computed from the new members.
  case convert(
    member: String, to: FieldType, computation: Computation, inverse: ValueExpression? = nil,
    meaning: MemberMeaning = MemberMeaning())
  case require(member: String, fill: Value)
  /// `readAs` is what older apps read for nil.
  case makeOptional(member: String, readAs: Value? = nil)
  /// A missing type is reported when the history is checked.
  case derive(
    member: String, type: FieldType?, inputs: [String], computation: Computation,
    meaning: MemberMeaning = MemberMeaning())
  /// Operations on the members of an embedded object, or with `each` of every object in a list or
  /// dictionary.
  case embedded(member: String, each: Bool, operations: [RecordOperation])
  /// Another value for some values of a member; the others stay, or fail when `all` lists every one
  /// that there is.
  case mapCases(member: String, [CaseMapping], all: [Value]?)
  /// More values that a member may have. `readAs` is what older apps read for them.
  case addCases(member: String, [Value], readAs: Value? = nil)
  /// Drops the records for which the computation gives true.
  case dropRecords(inputs: [String], computation: Computation)
  case rewrite(RewriteClosure)

  /// How an operation takes part in a fused plan.
  public enum Class: String, Sendable {
    /// Fuses completely and needs no app code.
    case fused = "F"
    /// A pure closure with declared inputs; fuses as one opaque step.
    case pure = "P"
    /// A whole-record closure; cuts the plan.
    case wholeRecord = "W"
    /// Runs once over whole types, in a transaction of its own.
    case barrier = "B"
  }

  /// How this operation takes part in a fused plan.
  public var operationClass: Class {
    switch self {
    case .convert(_, _, .closure, _, _), .derive(_, _, _, .closure, _), .dropRecords: .pure
    case .embedded(_, _, let operations):
      operations.allSatisfy { $0.operationClass == .fused } ? .fused : .pure
    case .rewrite: .wholeRecord
    default: .fused
    }
  }

  /// Whether objects from before differ from those after it; not so for new cases.
  public var changesObjects: Bool {
    if case .addCases = self { false } else { true }
  }

  /// Whether the operation is described only: it was a closure, and its code is not at hand.
  public var needsApplicationCode: Bool {
    switch self {
    case .convert(_, _, .closure(let closure), _, _), .derive(_, _, _, .closure(let closure), _),
      .dropRecords(_, .closure(let closure)):
      closure.run == nil
    case .rewrite(let closure): closure.run == nil
    case .embedded(_, _, let operations): operations.contains(where: \.needsApplicationCode)
    default: false
    }
  }

  /// What the author raised when the meaning of the code changed; 0 for operations without code.
  public var revision: UInt32 {
    switch self {
    case .convert(_, _, .closure(let closure), _, _), .derive(_, _, _, .closure(let closure), _),
      .dropRecords(_, .closure(let closure)):
      closure.revision
    case .rewrite(let closure): closure.revision
    // Not the largest: any of them that is raised has to show.
    case .embedded(_, _, let operations): operations.reduce(0) { $0 &+ $1.revision }
    default: 0
    }
  }

  /// The member that the operation is about; nil when it is about the whole record.
  public var memberName: String? {
    switch self {
    case .add(let member, _, _, _), .remove(let member, _), .rename(let member, _, _, _),
      .widen(let member, _), .convert(let member, _, _, _, _), .require(let member, _),
      .makeOptional(let member, _), .derive(let member, _, _, _, _), .embedded(let member, _, _),
      .mapCases(let member, _, _), .addCases(let member, _, _):
      member
    case .rewrite, .dropRecords: nil
    }
  }
}
