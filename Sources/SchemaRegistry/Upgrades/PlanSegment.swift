/// The part of a fused plan between two whole-record steps. A class, as each record that runs
/// through it would copy it else.
final class PlanSegment: Sendable {
  let steps: [PlanStep]
  /// Asked in this order before the segment ends: the record is dropped when one is true.
  let drops: [PlanComputation]
  /// The steps that give the record at the end of the segment, one per member of the target; none
  /// where a whole-record step ends it.
  let members: [Int]
  /// The whole-record step that makes the next segment's record; nothing in the last segment.
  let rewrite: PlanRewrite?

  /// The last segment, which gives the target's members.
  init(steps: [PlanStep], drops: [PlanComputation], members: [Int]) {
    self.steps = steps
    self.drops = drops
    self.members = members
    rewrite = nil
  }

  /// One that ends with a whole-record step.
  init(steps: [PlanStep], drops: [PlanComputation], rewrite: PlanRewrite) {
    self.steps = steps
    self.drops = drops
    members = []
    self.rewrite = rewrite
  }
}
