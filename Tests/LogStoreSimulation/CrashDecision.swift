package import StorageTestSupport

/// Where a life of a store ends, and what of it survives.
package struct CrashDecision: Sendable, Equatable {
  /// The step the crash falls into; 0 is the opening of the store, 1 the first step.
  package var step: Int
  /// How many operations of that step took effect.
  package var operation: Int
  package var choice: CrashChoice

  package init(step: Int, operation: Int, choice: CrashChoice) {
    self.step = step
    self.operation = operation
    self.choice = choice
  }

  /// As scripts hold it; it stands behind the line of its step.
  var line: String {
    switch choice {
    case .processKill: return "crash \(operation) kill"
    case .powerLoss(let survivors, let fill):
      let fillText =
        switch fill {
        case .zeros: "zeros"
        case .garbage(let seed): "garbage \(seed)"
        }
      return "crash \(operation) power keep \(survivors.count == 0 ? "-" : survivors.description) "
        + "fill \(fillText)"
    }
  }

  init?(words: ArraySlice<Substring>, step: Int) {
    let words = Array(words)
    guard words.count >= 2, let operation = Int(words[0]) else { return nil }
    if words[1] == "kill" {
      self.init(step: step, operation: operation, choice: .processKill)
      return
    }
    guard words.count >= 6, words[1] == "power" else { return nil }
    let bits = words[3] == "-" ? "" : words[3]
    var survivors = SurvivorSet(count: bits.count)
    for (index, bit) in bits.enumerated() { survivors[index] = bit == "1" }
    let fill: CrashChoice.Fill =
      words[5] == "garbage" ? .garbage(seed: words.last.flatMap { UInt64($0) } ?? 1) : .zeros
    self.init(
      step: step, operation: operation, choice: .powerLoss(survivors: survivors, fill: fill))
  }
}
