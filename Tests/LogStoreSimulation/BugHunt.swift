/// Looks for a planted bug in one seed after another.
package struct BugHunt {
  package struct Found: Sendable, Equatable {
    package let seed: UInt64
    package let counts: SimulationCounts
    package let failure: FoundFailure

    package static func == (left: Self, right: Self) -> Bool {
      left.seed == right.seed && left.counts == right.counts
    }
  }

  private let defect: Defect?

  /// Without a bug it must find nothing.
  package init(defect: Defect?) { self.defect = defect }

  /// The first seed that finds it, or nothing.
  package func run(seeds: ClosedRange<UInt64>) -> Found? {
    var counts = SimulationCounts()
    for seed in seeds {
      var simulation = Simulation(seed: seed, effort: .quick, defect: defect)
      do throws(FoundFailure) {
        defer { counts += simulation.counts }
        try simulation.run()
      } catch { return Found(seed: seed, counts: counts, failure: error) }
    }
    return nil
  }
}
