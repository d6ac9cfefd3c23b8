internal import FileIO

/// Runs seeds one after another on several threads until enough states were checked, or one fails.
package final class SeedFarm: Sendable {
  package struct Outcome: Sendable {
    package var counts = SimulationCounts()
    package var seconds = 0.0
    package var failure: FoundFailure?
    package var failedSeed: UInt64?
  }

  private struct State {
    var nextSeed: UInt64
    var outcome = Outcome()
  }

  private let wantedStates: Int
  private let wantedNestedStates: Int
  private let effort: SimulationEffort
  private let defect: Defect?
  private let trace: (@Sendable (String) -> Void)?
  private let state: Lock<State>

  /// `trace` is told when a seed begins and when it ends, on any of the threads: those that have
  /// begun only were running when the process died.
  package init(
    firstSeed: UInt64, wantedStates: Int, wantedNestedStates: Int = 0,
    effort: SimulationEffort = .thorough,
    defect: Defect? = nil, trace: (@Sendable (String) -> Void)? = nil
  ) {
    self.trace = trace
    self.wantedStates = wantedStates
    self.wantedNestedStates = wantedNestedStates
    self.defect = defect
    self.effort = effort
    state = Lock(State(nextSeed: firstSeed))
  }

  /// Returns when enough states were checked; `progress` is told the counts now and then, on any of
  /// the threads.
  package func run(
    threads: Int, progress: @escaping @Sendable (SimulationCounts) -> Void = { _ in }
  ) -> Outcome {
    let clock = ContinuousClock()
    let start = clock.now
    let workers = (0..<threads).map { _ in SerialWorker() }
    for worker in workers {
      let isSubmitted = worker.submit { [self] in
        while let seed = nextSeed() { run(seed, progress) }
      }
      precondition(isSubmitted, "the operating system must give a thread for the simulation")
    }
    for worker in workers { worker.waitUntilIdle() }
    var outcome = state.withLock { state in state.outcome }
    outcome.seconds = Double((clock.now - start) / .microseconds(1)) / 1e6
    return outcome
  }

  private func nextSeed() -> UInt64? {
    state.withLock { state in
      let counts = state.outcome.counts
      let isEnough =
        counts.states >= wantedStates && counts.nestedStates >= wantedNestedStates
      guard state.outcome.failure == nil, !isEnough else { return nil }
      defer { state.nextSeed += 1 }
      return state.nextSeed
    }
  }

  private func run(_ seed: UInt64, _ progress: (SimulationCounts) -> Void) {
    trace?("begin \(seed)")
    defer { trace?("end \(seed)") }
    var simulation = Simulation(seed: seed, effort: effort, defect: defect)
    var failure: FoundFailure?
    do throws(FoundFailure) { try simulation.run() } catch { failure = error }
    let counts = simulation.counts
    let found = failure
    let sum = state.withLock { state in
      state.outcome.counts += counts
      // Of several, the lowest seed: a run with one thread finds the same.
      if let found, state.outcome.failedSeed.map({ seed < $0 }) ?? true {
        state.outcome.failure = found
        state.outcome.failedSeed = seed
      }
      return state.outcome.counts
    }
    if seed % 100 == 0 { progress(sum) }
  }
}
