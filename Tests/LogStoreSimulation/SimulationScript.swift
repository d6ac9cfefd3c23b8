/// Everything that decides a simulation, with nothing drawn: it can be replayed, shrunk and kept.
package struct SimulationScript: Sendable, Equatable {
  /// From one opening of the store to the crash that ends it.
  package struct Life: Sendable, Equatable {
    package var steps: [SimulationStep]
    /// How it ends; only the last life may end without a crash.
    package var crash: CrashDecision?

    package init(steps: [SimulationStep], crash: CrashDecision? = nil) {
      self.steps = steps
      self.crash = crash
    }
  }

  package var knobs: SimulationKnobs
  package var lives: [Life]
  /// What reads get wrong when the store is opened at the end, if anything.
  package var readFault: ReadFaultDecision?

  package init(
    knobs: SimulationKnobs, lives: [Life], readFault: ReadFaultDecision? = nil
  ) {
    self.knobs = knobs
    self.lives = lives
    self.readFault = readFault
  }

  /// Steps of all lives.
  package var stepCount: Int { lives.reduce(0) { $0 + $1.steps.count } }
}
