/// How much a simulation did; sums over seeds.
package struct SimulationCounts: Sendable, Equatable, CustomStringConvertible {
  package var seeds = 0
  package var lives = 0
  package var commits = 0
  package var compactions = 0
  package var faults = 0
  /// Of these, those that came: the others were planned for operations that there were not, or for
  /// a disk on which there was room enough.
  package var firedFaults = 0
  package var failedSteps = 0
  package var failedSynchronizations = 0
  package var crashPoints = 0
  /// Ways to crash that were tried, and how many of them led to a state that was known.
  package var choices = 0
  package var repeatedStates = 0
  /// Distinct states that were opened and compared, by what made them.
  package var killStates = 0
  package var powerStates = 0
  /// Of all states: those after one crash, after a crash in the life that recovered from one, …
  package var statesByDepth: [Int] = []
  /// Of all states: those whose every byte was verified, and which were written to again.
  package var verifiedStates = 0
  package var continuedStates = 0
  package var readFaults = 0
  package var readErrors = 0

  package init() {}

  /// Distinct states that were checked.
  package var states: Int { killStates + powerStates }
  /// Of them, those behind a crash in the recovery from another.
  package var nestedStates: Int { statesByDepth.dropFirst().reduce(0, +) }

  mutating func countState(depth: Int, isKill: Bool) {
    if isKill { killStates += 1 } else { powerStates += 1 }
    while statesByDepth.count < depth { statesByDepth.append(0) }
    statesByDepth[depth - 1] += 1
  }

  package static func += (left: inout Self, right: Self) {
    let paths: [WritableKeyPath<Self, Int>] = [
      \.seeds, \.lives, \.commits, \.compactions, \.faults, \.firedFaults, \.failedSteps,
      \.failedSynchronizations, \.crashPoints, \.choices, \.repeatedStates, \.killStates,
      \.powerStates, \.verifiedStates, \.continuedStates, \.readFaults, \.readErrors,
    ]
    for path in paths { left[keyPath: path] += right[keyPath: path] }
    for (index, count) in right.statesByDepth.enumerated() {
      if index < left.statesByDepth.count {
        left.statesByDepth[index] += count
      } else {
        left.statesByDepth.append(count)
      }
    }
  }

  /// One line for each kind of thing.
  package var description: String {
    let depths = statesByDepth.map { "\($0)" }.joined(separator: " + ")
    return """
      seeds               \(seeds)
      lives of stores     \(lives)
      commits             \(commits)
      compactions         \(compactions)
      planned faults      \(faults), of which \(firedFaults) came; \(failedSteps) made a step \
      fail, \(failedSynchronizations) of them in a synchronization
      crash points        \(crashPoints)
      ways to crash       \(choices), of which \(repeatedStates) led to files seen before
      distinct states     \(states): \(killStates) after a kill, \(powerStates) after a power loss
      by crashes so far   \(depths)
      nested states       \(nestedStates)
      verified bytewise   \(verifiedStates)
      written to again    \(continuedStates)
      faults of reading   \(readFaults), of which \(readErrors) gave an error, the rest right values
      """
  }
}
