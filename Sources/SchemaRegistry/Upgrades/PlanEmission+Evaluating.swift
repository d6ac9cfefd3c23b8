extension PlanEmission {
  /// For each member of the target, whether its value alone tells what an upgrade would: no other
  /// member needs a step that may fail, and no whole-record step is on the way.
  static func evaluableMembers(
    _ emissions: [PlanEmission], segments: [PlanSegment], target: TypeShape
  ) -> [Bool] {
    var result = [Bool](repeating: false, count: target.members.count)
    guard segments.count == 1, let segment = segments.first else { return result }
    // All drops are evaluated before any member.
    var known: Set<Int> = []
    for drop in segment.drops { for input in drop.inputs { collect(input, segment, &known) } }
    let needed = emissions.map { emission -> Set<Int> in
      var steps: Set<Int> = []
      if case .value(let step) = emission { collect(step, segment, &steps) }
      return steps
    }
    let all = needed.reduce(into: Set<Int>()) { $0.formUnion($1) }
    for (slot, steps) in zip(target.layout.slots, needed) {
      result[slot.memberIndex] = all.subtracting(steps).isSubset(of: known)
    }
    return result
  }

  /// Adds the steps that `step` needs and that may fail.
  private static func collect(_ step: Int, _ segment: PlanSegment, _ steps: inout Set<Int>) {
    switch segment.steps[step] {
    case .source, .constant: return
    case .fill(let input, _), .widen(let input, _, _): collect(input, segment, &steps)
    case .transform(let input, _):
      if steps.insert(step).inserted { collect(input, segment, &steps) }
    case .compute(let computation):
      guard steps.insert(step).inserted else { return }
      for input in computation.inputs { collect(input, segment, &steps) }
    }
  }
}
