/// The part of a fused plan between two whole-record steps. A class, as each record that runs
/// through it would copy it else.
final class PlanSegment: Sendable {
  /// What happens with the values at the end of the segment.
  enum End: Sendable {
    /// They are the record; one step per member of the target.
    case record(members: [Int])
    /// A whole-record step makes the next segment's record of them.
    case rewrite(PlanRewrite)
  }

  let steps: [PlanStep]
  /// Asked in this order before the segment ends: the record is dropped when one is true.
  let drops: [PlanComputation]
  let end: End

  init(steps: [PlanStep], drops: [PlanComputation], end: End) {
    self.steps = steps
    self.drops = drops
    self.end = end
  }
}

/// A whole-record step in a fused plan.
struct PlanRewrite: Sendable {
  let operationID: String
  let closure: RewriteClosure
  let transition: TypeTransition
  /// The steps of the old record's members, in the order of the transition's source.
  let old: [Int]
  /// The steps of the new record's members, in the order of the transition's target.
  let new: [Int]
}
