/// Objects that satisfy a condition become objects of another type, under the same key:
/// `Move("Person", to: "Customer", where: .member("kind").isEqual(to: "customer"))`.
///
/// A barrier: all objects of both types are written again, once, in one transaction. The keys of
/// both are of one kind. Members go by their names: what the other type does not have is named in
/// `dropping`, and what it has besides is optional or has a value in `defaults`, which also stands
/// for nil. What has declared cases in the other type has no others in this one. No link, declared
/// or of a model, may lead to the type then, as a link leads to one type. The barrier stands alone
/// for the two in its version, where the other type may be new.
///
/// Unique members are not looked at: where two objects with one value meet in the other type, the
/// move commits, both stay, and `buildIndexes` reports them.
public struct Move: Sendable {
  let step: BarrierStep

  /// Moves the objects for which the expression is true.
  public init(
    _ type: String, to target: String, defaults: [String: Value] = [:], dropping: [String] = [],
    onExisting: ExistingKeys = .fail, where condition: ValueExpression
  ) {
    step = .move(
      RecordMove(
        type: type, target: target, inputs: condition.memberNames,
        condition: .expression(condition), defaults: defaults, dropping: dropping,
        onExisting: onExisting))
  }

  /// Moves the objects for whose members `inputs` the closure returns true.
  public init<each Input: ValueConvertible>(
    _ type: String, to target: String, from inputs: String..., defaults: [String: Value] = [:],
    dropping: [String] = [], onExisting: ExistingKeys = .fail, revision: UInt32 = 1,
    where isMoved: @escaping @Sendable (repeat each Input) throws -> Bool
  ) {
    let closure = StepClosure(revision: revision, taking: isMoved)
    step = .move(
      RecordMove(
        type: type, target: target, inputs: inputs, condition: .closure(closure),
        defaults: defaults, dropping: dropping, onExisting: onExisting))
  }
}
