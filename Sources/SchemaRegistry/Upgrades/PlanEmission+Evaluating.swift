extension PlanEmission {
  /// For each member of the target, whether its value alone tells what an upgrade would: no other
  /// member needs a step that may fail, and no whole-record step is on the way.
  static func evaluableMembers(
    _ emissions: [PlanEmission], segments: [PlanSegment], target: TypeShape
  ) -> [Bool] {
    var result = [Bool](repeating: false, count: target.members.count)
    guard segments.count == 1, let segment = segments.first else { return result }
    var failing = FailingSteps(segment)
    // All drops are evaluated before any member.
    for drop in segment.drops { failing.settle(drop.inputs) }
    let needed = emissions.map { emission -> [Int] in
      if case .value(let step) = emission { [step] } else { [] }
    }
    let count = failing.count(neededBy: needed.flatMap { $0 })
    for (slot, steps) in zip(target.layout.slots, needed) {
      result[slot.memberIndex] = failing.count(neededBy: steps) == count
    }
    return result
  }
}
