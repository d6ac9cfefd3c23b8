/// The part of a fused plan between two whole-record steps.
struct PlanSegment: Sendable {
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
