internal import LogStore
package import StorageTestSupport

/// The text of a script: one line for each knob, step, fault and crash.
///
///     logstore-simulation 1
///     knob segment 2048
///     commit full: put 3 size 120 token 7 version 1, delete 5
///     compact 5: put 1 size 10 token 9 version 0
///     fault 3 synchronization sticky
///     crash 4 power keep 0110 fill zeros
///     synchronize
///     read flipped-bit 17 5 3
///
/// A fault and a crash belong to the step above them; the steps behind a crash are the next life.
extension SimulationScript: CustomStringConvertible {
  static let title = "logstore-simulation 1"

  package var description: String {
    var lines = [Self.title] + knobs.lines
    for life in lives {
      if let crash = life.crash, crash.step == 0 { lines.append(crash.line) }
      for (index, step) in life.steps.enumerated() {
        lines.append(step.line)
        if let fault = step.fault { lines.append(fault.line) }
        if let crash = life.crash, crash.step == index + 1 { lines.append(crash.line) }
      }
    }
    if let readFault { lines.append(readFault.line) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Reads a script; lines that are empty or begin with `#` are passed over.
  package init(text: String) throws(CaseFailure) {
    var script = SimulationScript(knobs: SimulationKnobs(), lives: [Life(steps: [])])
    var steps: [SimulationStep] = []
    var crash: CrashDecision?
    for (number, line) in text.split(separator: "\n").enumerated() {
      let words = line.split { $0 == " " || $0 == ":" || $0 == "," }
      guard let first = words.first, !line.hasPrefix("#"), line != Self.title else { continue }
      let isValid: Bool
      switch first {
      case "knob" where words.count == 3: isValid = script.knobs.set(words[1], to: words[2])
      case "fault":
        let fault = SimulatedFault(words: words.dropFirst())
        isValid = fault != nil && !steps.isEmpty
        if isValid { steps[steps.count - 1].fault = fault }
      case "crash":
        crash = CrashDecision(words: words.dropFirst(), step: steps.count)
        isValid = crash != nil
        script.lives[script.lives.count - 1] = Life(steps: steps, crash: crash)
        script.lives.append(Life(steps: []))
        steps = []
      case "read":
        script.readFault = ReadFaultDecision(words: words.dropFirst())
        isValid = script.readFault != nil
      default:
        let step = SimulationStep(words: words)
        isValid = step != nil
        if let step { steps.append(step) }
      }
      guard isValid else { throw CaseFailure("line \(number + 1) is no line of a script: \(line)") }
    }
    script.lives[script.lives.count - 1] = Life(steps: steps)
    if steps.isEmpty, script.lives.count > 1, script.readFault == nil { script.lives.removeLast() }
    self = script
  }
}

extension SimulationStep {
  /// As scripts hold it, without the fault.
  var line: String {
    let list = changes.isEmpty ? "" : ": " + changes.map(\.description).joined(separator: ", ")
    switch action {
    case .commit(_, let durability): return "commit \(durability)\(list)"
    case .transact(_, let durability): return "transact \(durability)\(list)"
    case .abandon: return "abandon\(list)"
    case .seal: return "seal"
    case .merge: return "merge"
    case .compact(let mask, _): return "compact \(mask)\(list)"
    case .cancelCompaction(let mask): return "cancel-compaction \(mask)"
    case .synchronize: return "synchronize"
    case .reopen: return "reopen"
    case .hold: return "hold"
    case .compare: return "compare"
    }
  }

  init?(words: [Substring]) {
    let durability: Durability? =
      words.count > 1 ? [.full, .process].first { "\($0)" == words[1] } : nil
    let mask = words.count > 1 ? UInt64(words[1]) : nil
    switch (words[0], durability, mask) {
    case ("commit", let durability?, _): self.init(.commit([], durability))
    case ("transact", let durability?, _): self.init(.transact([], durability))
    case ("abandon", _, _): self.init(.abandon([]))
    case ("seal", _, _): self.init(.seal)
    case ("merge", _, _): self.init(.merge)
    case ("compact", _, let mask?): self.init(.compact(mask: mask, meanwhile: []))
    case ("cancel-compaction", _, let mask?): self.init(.cancelCompaction(mask: mask))
    case ("synchronize", _, _): self.init(.synchronize)
    case ("reopen", _, _): self.init(.reopen)
    case ("hold", _, _): self.init(.hold)
    case ("compare", _, _): self.init(.compare)
    default: return nil
    }
    let first = words.firstIndex { $0 == "put" || $0 == "delete" } ?? words.count
    guard let changes = Self.changes(words[first...]) else { return nil }
    self.changes = changes
  }

  private static func changes(_ words: ArraySlice<Substring>) -> [SimulatedChange]? {
    var changes: [SimulatedChange] = []
    var rest = words
    while let verb = rest.popFirst() {
      guard let key = rest.popFirst().flatMap({ Int($0) }) else { return nil }
      if verb == "delete" {
        changes.append(SimulatedChange(key: key))
        continue
      }
      let numbers = rest.prefix(6)
      guard verb == "put", numbers.count == 6 else { return nil }
      rest = rest.dropFirst(6)
      let values = Array(numbers)
      guard let size = Int(values[1]), let token = UInt64(values[3]),
        let version = UInt64(values[5])
      else { return nil }
      changes.append(
        SimulatedChange(key: key, byteCount: size, token: token, schemaVersion: version))
    }
    return changes
  }
}
