internal import StorageTestSupport

/// One seed: knobs and lives drawn from it, every life explored, and reading through faults.
package struct Simulation {
  private let check: StoreCheck
  private let effort: SimulationEffort
  private var drawing: StepDrawing
  package private(set) var counts = SimulationCounts()
  package var knobs: SimulationKnobs { check.knobs }

  package init(seed: UInt64, effort: SimulationEffort, defect: Defect? = nil) {
    drawing = StepDrawing(
      seed: seed, segmentByteCountMaximum: effort.segmentByteCountMaximum)
    check = StoreCheck(knobs: drawing.knobs, defect: defect)
    self.effort = effort
  }

  /// Runs the seed; throws the first failure.
  package mutating func run() throws(FoundFailure) {
    var copy = self
    defer { self = copy }
    try Defect.planting(check.defect) { () throws(FoundFailure) in try copy.runLives() }
  }

  private mutating func runLives() throws(FoundFailure) {
    counts.seeds += 1
    var explorer = CrashExplorer(check: check, effort: effort, drawing: drawing)
    defer { counts += explorer.counts }
    var path: [SimulationScript.Life] = []
    let lives = drawing.crashCount + 1
    // Large files cost more to copy and to read.
    let scale = max(1, drawing.knobs.segmentByteCount / 8192)
    var life = try firstLife(&explorer, stepCount: max(3, drawing.stepCount / lives))
    for number in 1...lives {
      try explorer.explore(
        life.runner, life.steps, path: path, budget: effort.stateCount / lives / scale)
      guard number < lives else { break }
      let operations = life.runner.fileSystem.recordedOperations
      let index = explorer.drawing.pick(Array(operations.indices))
      let point = life.runner.fileSystem.crashPoint(recordedAs: index)
      let choice = explorer.drawing.choice(at: point)
      path.append(explorer.decided(life.steps, life.runner, point, choice))
      let steps = explorer.drawing.steps(max(3, drawing.stepCount / lives))
      explorer.begin(path)
      life = (try explorer.run(steps, behind: point, choice, life.runner), steps)
    }
    try readThroughFaults(&explorer, life.runner, path + [.init(steps: life.steps)])
  }

  private mutating func firstLife(
    _ explorer: inout CrashExplorer, stepCount: Int
  ) throws(FoundFailure) -> (runner: LifeRunner, steps: [SimulationStep]) {
    let steps = explorer.drawing.steps(stepCount)
    let fileSystem = SimulatedFileSystem(profile: knobs.profile)
    fileSystem.recordCrashPoints()
    var runner = LifeRunner(
      check, history: CommitHistory(keyCount: knobs.keyCount), fileSystem: fileSystem, opening: 0)
    do throws(SimulationFailure) {
      try runner.run(steps)
    } catch {
      throw FoundFailure(
        failure: error, script: SimulationScript(knobs: knobs, lives: [.init(steps: steps)]),
        trace: "\(fileSystem.trace)")
    }
    counts.lives += 1
    counts += runner.counts
    return (runner, steps)
  }

  private mutating func readThroughFaults(
    _ explorer: inout CrashExplorer, _ life: LifeRunner, _ path: [SimulationScript.Life]
  ) throws(FoundFailure) {
    for _ in 0..<effort.readFaultCount {
      let decision = explorer.drawing.readFault()
      do throws(SimulationFailure) {
        guard let isError = try Self.read(life, check, decision) else { continue }
        counts.readFaults += 1
        counts.readErrors += isError ? 1 : 0
      } catch {
        throw FoundFailure(
          failure: error,
          script: SimulationScript(knobs: knobs, lives: path, readFault: decision), trace: "")
      }
    }
  }

  /// Whether a fault of reading led to an error; nothing when there is nothing to read wrong.
  static func read(
    _ life: LifeRunner, _ check: StoreCheck, _ decision: ReadFaultDecision
  ) throws(SimulationFailure) -> Bool? {
    let fileSystem = life.fileSystem.pristineCopy()
    let points = life.fileSystem.recordedOperations.count
    let overlay = decision.overlay(fileSystem.snapshotOfFiles(in: StoreCheck.path)) { source in
      life.fileSystem.crashPoint(recordedAs: source % points).afterCrash(.processKill)
        .snapshotOfFiles(in: StoreCheck.path)
    }
    guard let overlay else { return nil }
    return try ReadFaultCheck(check: check, history: life.history).run(fileSystem, overlay)
  }
}
