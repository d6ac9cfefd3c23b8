internal import StorageTestSupport

/// Tries the ways to crash in one life of a store and checks what each of them leaves.
///
/// 1. At every operation: a kill, a loss of power that keeps nothing, one that keeps all, and one
///    at random. 2. In random order of the operations, all subsets or a sample of them, until the
///    budget is spent. 3. Some of the states are verified; some live on, and are crashed again.
/// States whose files are equal to the bit are opened once; what they may hold is compared for
/// each.
struct CrashExplorer {
  /// What a state was found to hold.
  private struct Known {
    let sequence: UInt64
    let fingerprint: UInt64
  }

  private static let depthMaximum = 3

  let check: StoreCheck
  let effort: SimulationEffort
  var drawing: StepDrawing
  private(set) var counts = SimulationCounts()
  private var known: [UInt64: Known] = [:]
  /// The lives before the one that is explored, for the script of a failure.
  private var path: [SimulationScript.Life] = []
  private var opening: UInt64 = 1 << 20

  init(check: StoreCheck, effort: SimulationEffort, drawing: StepDrawing) {
    self.check = check
    self.effort = effort
    self.drawing = drawing
  }

  /// Explores a life behind `path` that was run; throws the first failure with its script.
  mutating func explore(
    _ life: LifeRunner, _ steps: [SimulationStep], path: [SimulationScript.Life], budget: Int
  ) throws(FoundFailure) {
    self.path = path
    let count = life.fileSystem.recordedOperations.count
    counts.crashPoints += count
    let end = counts.states + budget
    let depth = path.count + 1
    for index in 0..<count {
      let point = life.fileSystem.crashPoint(recordedAs: index)
      var choices = point.cornerChoices
      choices.append(drawing.choice(at: point))
      for choice in choices where drawing.oneIn(effort.simpleOneIn) {
        try examine(point, choice, life, steps, depth: depth)
      }
    }
    for index in drawing.shuffled(count) where counts.states < end {
      let point = life.fileSystem.crashPoint(recordedAs: index)
      for choice in drawing.sampledChoices(at: point, limit: effort.sampleCount)
      where counts.states < end + effort.stateCount / 4 {
        try examine(point, choice, life, steps, depth: depth)
      }
    }
  }

  private mutating func examine(
    _ point: CrashPoint, _ choice: CrashChoice, _ life: LifeRunner, _ steps: [SimulationStep],
    depth: Int
  ) throws(FoundFailure) {
    do throws(SimulationFailure) {
      try examine(point, choice, life, depth: depth)
    } catch {
      throw failure(error, at: point, choice, life, steps)
    }
    guard depth < Self.depthMaximum, drawing.oneIn(effort.continuedOneIn) else { return }
    try goOn(behind: point, choice, life, steps, depth: depth)
  }

  private mutating func examine(
    _ point: CrashPoint, _ choice: CrashChoice, _ life: LifeRunner, depth: Int
  ) throws(SimulationFailure) {
    counts.choices += 1
    let isKill = choice == .processKill
    let fileSystem = point.afterCrash(choice)
    let hash = fileSystem.hashOfFiles(in: StoreCheck.path)
    if let known = known[hash] {
      counts.repeatedStates += 1
      return try expect(known, life.history, operation: point.operation, isKill: isKill)
    }
    let found = try check.recovered(
      fileSystem, life.history, operation: point.operation, isKill: isKill)
    let candidate = life.history.candidates[found]
    known[hash] = Known(sequence: candidate.sequence, fingerprint: candidate.fingerprint)
    counts.countState(depth: depth, isKill: isKill)
    if drawing.oneIn(effort.verifiedOneIn) {
      counts.verifiedStates += 1
      try check.verify(point.afterCrash(choice))
    }
  }

  /// Whether a state that was checked before may be here as well.
  private func expect(
    _ known: Known, _ history: CommitHistory, operation: Int, isKill: Bool
  ) throws(SimulationFailure) {
    let allowed = history.allowed(at: operation, isKill: isKill)
    let fits = allowed.contains {
      history.candidates[$0].sequence == known.sequence
        && history.candidates[$0].fingerprint == known.fingerprint
    }
    if fits { return }
    let floor = history.floor(at: operation, isKill: isKill)
    throw SimulationFailure(
      known.sequence < floor ? .lostCommit : .noPrefix,
      "holds \(known.sequence), where at least \(floor) must be")
  }

  /// Recovers, works and crashes again: a short life behind a crash.
  private mutating func goOn(
    behind point: CrashPoint, _ choice: CrashChoice, _ life: LifeRunner,
    _ steps: [SimulationStep], depth: Int
  ) throws(FoundFailure) {
    counts.continuedStates += 1
    let outer = path
    defer { path = outer }
    path.append(decided(steps, life, point, choice))
    let next = drawing.steps(drawing.pick([1, 1, 2, 3, 4]))
    let inner = try run(next, behind: point, choice, life)
    let count = inner.fileSystem.recordedOperations.count
    for index in 0..<count {
      let point = inner.fileSystem.crashPoint(recordedAs: index)
      for _ in 0..<2 {
        let choice = drawing.choice(at: point)
        try examine(point, choice, inner, next, depth: depth + 1)
      }
    }
  }

  /// The lives before the next one that is run, for the script of a failure.
  mutating func begin(_ path: [SimulationScript.Life]) { self.path = path }

  /// Runs the life that begins with what a crash left.
  mutating func run(
    _ steps: [SimulationStep], behind point: CrashPoint, _ choice: CrashChoice, _ life: LifeRunner
  ) throws(FoundFailure) -> LifeRunner {
    opening += 1
    do throws(SimulationFailure) {
      let isKill = choice == .processKill
      let found = try check.recovered(
        point.afterCrash(choice), life.history, operation: point.operation, isKill: isKill)
      let history = life.history.afterCrash(
        at: point.operation, isKill: isKill, found: found)
      let fileSystem = point.afterCrash(choice)
      fileSystem.recordCrashPoints()
      var next = LifeRunner(check, history: history, fileSystem: fileSystem, opening: opening)
      try next.run(steps)
      counts.lives += 1
      counts += next.counts
      return next
    } catch {
      throw FoundFailure(
        failure: error,
        script: SimulationScript(knobs: check.knobs, lives: path + [.init(steps: steps)]),
        trace: "")
    }
  }

  func decided(
    _ steps: [SimulationStep], _ life: LifeRunner, _ point: CrashPoint, _ choice: CrashChoice
  ) -> SimulationScript.Life {
    let place = life.place(of: point.operation)
    // What comes behind the crash never happened.
    return SimulationScript.Life(
      steps: Array(steps.prefix(place.step)),
      crash: CrashDecision(step: place.step, operation: place.operation, choice: choice))
  }

  private func failure(
    _ failure: SimulationFailure, at point: CrashPoint, _ choice: CrashChoice,
    _ life: LifeRunner, _ steps: [SimulationStep]
  ) -> FoundFailure {
    FoundFailure(
      failure: failure,
      script: SimulationScript(
        knobs: check.knobs, lives: path + [decided(steps, life, point, choice)]),
      trace: "\(life.fileSystem.trace)")
  }
}
