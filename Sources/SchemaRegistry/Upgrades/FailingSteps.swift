/// Counts the steps of a segment that may fail and that others need.
struct FailingSteps {
  private let segment: PlanSegment
  /// For each step the last count that it was part of.
  private var counts: [Int]
  private var number = 0
  private static let settled = Int.max

  init(_ segment: PlanSegment) {
    self.segment = segment
    counts = [Int](repeating: 0, count: segment.steps.count)
  }

  /// How many steps that may fail `steps` need, themselves among them; settled ones do not count.
  mutating func count(neededBy steps: [Int]) -> Int {
    number += 1
    return steps.reduce(0) { $0 + visit($1, number) }
  }

  /// The steps that `steps` need count no more.
  mutating func settle(_ steps: [Int]) {
    for step in steps { _ = visit(step, Self.settled) }
  }

  private mutating func visit(_ step: Int, _ number: Int) -> Int {
    switch segment.steps[step] {
    case .source, .constant: return 0
    case .fill(let input, _), .widen(let input, _): return visit(input, number)
    case .transform(let input, _): return isNew(step, number) ? 1 + visit(input, number) : 0
    case .compute(let computation):
      guard isNew(step, number) else { return 0 }
      return computation.inputs.reduce(1) { $0 + visit($1, number) }
    }
  }

  private mutating func isNew(_ step: Int, _ number: Int) -> Bool {
    if counts[step] == number || counts[step] == Self.settled { return false }
    counts[step] = number
    return true
  }
}
