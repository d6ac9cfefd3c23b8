/// A whole-record step in a fused plan. A class, as each record
/// that runs through it would copy it else.
final class PlanRewrite: Sendable {
  let operationID: String
  let closure: RewriteClosure
  let transition: TypeTransition
  /// The steps of the old record's members, in the order of the transition's source.
  let old: [Int]
  /// The steps of the new record's members, in the order of the transition's target.
  let new: [Int]

  init(
    operationID: String, closure: RewriteClosure, transition: TypeTransition, old: [Int],
    new: [Int]
  ) {
    self.operationID = operationID
    self.closure = closure
    self.transition = transition
    self.old = old
    self.new = new
  }
}
