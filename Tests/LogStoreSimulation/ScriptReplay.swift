internal import StorageTestSupport

/// Runs a script exactly as it is written.
package struct ScriptReplay {
  private let check: StoreCheck
  private let script: SimulationScript

  package init(_ script: SimulationScript, defect: Defect? = nil) {
    self.script = script
    check = StoreCheck(knobs: script.knobs, defect: defect)
  }

  /// What fails; nothing when all promises are kept.
  package func failure() -> SimulationFailure? {
    do throws(SimulationFailure) {
      try Defect.planting(check.defect) { () throws(SimulationFailure) in try run() }
    } catch { return error }
    return nil
  }

  /// With `searches`, also the states that other choices at the last life's operations leave; gives
  /// the script that fails.
  package func search(limit: Int) -> FoundFailure? {
    if let failure = failure() { return FoundFailure(failure: failure, script: script, trace: "") }
    if let fault = script.readFault { return searchReadFaults(like: fault) }
    guard let last = script.lives.last else { return nil }
    return Defect.planting(check.defect) { explore(last, limit: limit) }
  }

  /// Other places for the same kind of fault: places mean something else in a smaller store.
  private func searchReadFaults(like fault: ReadFaultDecision) -> FoundFailure? {
    var generator = SeededGenerator(seed: script.knobs.seed)
    for _ in 0..<40 {
      var other = script
      other.readFault = .drawn(fault.kind, using: &generator)
      if let failure = ScriptReplay(other, defect: check.defect).failure() {
        return FoundFailure(failure: failure, script: other, trace: "")
      }
    }
    return nil
  }

  private func explore(_ last: SimulationScript.Life, limit: Int) -> FoundFailure? {
    do throws(SimulationFailure) {
      let runner = try runLives(script.lives.dropLast() + [.init(steps: last.steps)])
      var effort = SimulationEffort.quick
      effort.continuedOneIn = Int.max
      effort.sampleCount = limit
      effort.simpleOneIn = 1
      effort.stateCount = limit
      effort.verifiedOneIn = 1
      var explorer = CrashExplorer(
        check: check, effort: effort, drawing: StepDrawing(seed: script.knobs.seed))
      do throws(FoundFailure) {
        try explorer.explore(
          runner, last.steps, path: Array(script.lives.dropLast()), budget: limit)
      } catch { return error }
    } catch { return nil }
    return nil
  }

  private func run() throws(SimulationFailure) {
    let runner = try runLives(script.lives[...])
    if let decision = script.readFault { _ = try Simulation.read(runner, check, decision) }
  }

  private func runLives(_ lives: ArraySlice<SimulationScript.Life>) throws(SimulationFailure)
    -> LifeRunner
  {
    var history = CommitHistory(keyCount: script.knobs.keyCount)
    var fileSystem = SimulatedFileSystem(profile: script.knobs.profile)
    for (number, life) in lives.enumerated() {
      fileSystem.recordCrashPoints()
      var runner = LifeRunner(
        check, history: history, fileSystem: fileSystem, opening: UInt64(number))
      try runner.run(life.steps)
      guard let decision = life.crash else { return runner }
      let point = fileSystem.crashPoint(recordedAs: runner.pointIndex(of: decision))
      let choice = point.adapted(decision.choice)
      let isKill = choice == .processKill
      let found = try check.recovered(
        point.afterCrash(choice), runner.history, operation: point.operation, isKill: isKill)
      try check.verify(point.afterCrash(choice))
      fileSystem = point.afterCrash(choice)
      history = runner.history.afterCrash(
        at: point.operation, isKill: isKill, found: found)
    }
    fileSystem.recordCrashPoints()
    return LifeRunner(check, history: history, fileSystem: fileSystem, opening: 0)
  }
}
