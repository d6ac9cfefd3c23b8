internal import LogStore
internal import StorageTestSupport

/// Makes a script that fails as small as it gets while it fails in the same way (delta debugging).
///
/// 1. Lives, steps and changes go, in halves, then smaller parts, then one by one. 2. Faults go,
/// and crashes become the simplest that still do it. 3. Sizes, keys and knobs become small.
/// Repeated until nothing gets smaller. The last crash is looked for again in each candidate,
/// because what comes before it decides which operations there are.
package struct ScriptShrinker {
  private let defect: Defect?
  /// States that are tried for each candidate.
  private let stateLimit: Int
  private var best: FoundFailure
  /// Candidates that were run.
  package private(set) var attempts = 0
  private let attemptMaximum: Int

  package init(
    _ found: FoundFailure, defect: Defect? = nil, stateLimit: Int = 150, attemptMaximum: Int = 2000
  ) {
    best = found
    self.defect = defect
    self.stateLimit = stateLimit
    self.attemptMaximum = attemptMaximum
  }

  /// The smallest script found that fails in the same way.
  package mutating func shrink() -> FoundFailure {
    var size = Int.max
    while weight < size, attempts < attemptMaximum {
      size = weight
      dropLives()
      dropSteps()
      dropChanges()
      dropFaults()
      simplifyCrashes()
      simplifyValues()
      simplifyKnobs()
    }
    return best
  }

  private var weight: Int { best.script.description.utf8.count }

  /// Keeps `candidate` when it fails in the same way and is no larger.
  private mutating func accepts(_ candidate: SimulationScript) -> Bool {
    guard candidate != best.script, attempts < attemptMaximum else { return false }
    attempts += 1
    guard let found = ScriptReplay(candidate, defect: defect).search(limit: stateLimit),
      found.failure.kind == best.failure.kind, found.script.description.utf8.count <= weight
    else { return false }
    best = found
    return true
  }

  private mutating func dropLives() {
    var index = 0
    while index < best.script.lives.count, best.script.lives.count > 1 {
      var candidate = best.script
      candidate.lives.remove(at: index)
      if !accepts(candidate) { index += 1 }
    }
  }

  private mutating func dropSteps() {
    for life in best.script.lives.indices.reversed() where life < best.script.lives.count {
      var size = best.script.lives[life].steps.count
      while size > 0, life < best.script.lives.count {
        var start = best.script.lives[life].steps.count - size
        while start > -size, life < best.script.lives.count {
          let count = best.script.lives[life].steps.count
          let range = max(0, start)..<min(count, start + size)
          start -= size
          guard !range.isEmpty else { continue }
          var candidate = best.script
          candidate.lives[life].remove(range)
          _ = accepts(candidate)
        }
        size /= 2
      }
    }
  }

  private mutating func dropChanges() {
    forEachStep { script, life, step in
      let changes = script.lives[life].steps[step].changes
      guard changes.count > 1 else { return [] }
      return changes.indices.map { index in
        var candidate = script
        candidate.lives[life].steps[step].changes.remove(at: index)
        return candidate
      }
    }
  }

  private mutating func dropFaults() {
    forEachStep { script, life, step in
      guard script.lives[life].steps[step].fault != nil else { return [] }
      var candidate = script
      candidate.lives[life].steps[step].fault = nil
      return [candidate]
    }
  }

  private mutating func simplifyCrashes() {
    for life in best.script.lives.indices where life < best.script.lives.count {
      guard let crash = best.script.lives[life].crash,
        case .powerLoss(let set, _) = crash.choice
      else { continue }
      var choices: [CrashChoice] = [
        .processKill, .powerLoss(survivors: SurvivorSet(count: 0), fill: .zeros),
        .powerLoss(survivors: set, fill: .zeros),
      ]
      for index in 0..<min(set.count, 40) where set[index] {
        var smaller = set
        smaller[index] = false
        choices.append(.powerLoss(survivors: smaller, fill: .zeros))
      }
      for choice in choices where life < best.script.lives.count {
        var candidate = best.script
        candidate.lives[life].crash?.choice = choice
        _ = accepts(candidate)
      }
    }
  }

  private mutating func simplifyValues() {
    forEachStep { script, life, step in
      script.lives[life].steps[step].changes.indices.flatMap { index -> [SimulationScript] in
        let change = script.lives[life].steps[step].changes[index]
        var simple: [SimulatedChange] = []
        for size in [0, 1, (change.byteCount ?? 0) / 2] where size < change.byteCount ?? 0 {
          var smaller = change
          smaller.byteCount = size
          simple.append(smaller)
        }
        for key in [0, 1, change.key / 2] where key < change.key {
          var other = change
          other.key = key
          simple.append(other)
        }
        var plain = change
        plain.schemaVersion = 0
        plain.token = plain.byteCount == nil ? 0 : min(change.token, UInt64(step + 1))
        simple.append(plain)
        return simple.map { value in
          var candidate = script
          candidate.lives[life].steps[step].changes[index] = value
          return candidate
        }
      }
    }
  }

  private mutating func simplifyKnobs() {
    let simplifications: [(inout SimulationKnobs) -> Void] = [
      { $0.profile = .strict }, { $0.segmentByteCount = 4096 }, { $0.segmentByteCount = 2048 },
      { $0.readMode = .buffered }, { $0.compression = .none }, { $0.maintenance = .none },
      { $0.transactionByteCount = 16 << 20 }, { $0.openFileCount = 64 },
      { $0.frames = .short },
      { $0.collectionCount = 1 }, { $0.keyByteCount = 8 }, { $0.seed = 1 },
    ]
    for simplify in simplifications {
      var candidate = best.script
      simplify(&candidate.knobs)
      _ = accepts(candidate)
    }
    let keys = best.script.lives.flatMap(\.steps).flatMap(\.changes).map(\.key)
    var candidate = best.script
    candidate.knobs.keyCount = (keys.max() ?? 0) + 1
    _ = accepts(candidate)
  }

  /// Tries what `candidates` makes of each step, the last one first.
  private mutating func forEachStep(
    _ candidates: (SimulationScript, Int, Int) -> [SimulationScript]
  ) {
    for life in best.script.lives.indices.reversed() {
      guard life < best.script.lives.count else { continue }
      for step in best.script.lives[life].steps.indices.reversed() {
        var isSmaller = true
        while isSmaller {
          guard life < best.script.lives.count, step < best.script.lives[life].steps.count else {
            break
          }
          isSmaller = candidates(best.script, life, step).contains { accepts($0) }
        }
      }
    }
  }
}

extension SimulationScript.Life {
  /// Removes steps; a crash in one of them falls into the step before.
  fileprivate mutating func remove(_ range: Range<Int>) {
    steps.removeSubrange(range)
    guard let step = crash?.step else { return }
    let before = range.clamped(to: 0..<max(0, step)).count
    crash?.step = min(steps.count, max(0, step - before))
  }
}
