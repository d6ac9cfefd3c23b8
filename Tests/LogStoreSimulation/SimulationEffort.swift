/// How much work one seed is given.
package struct SimulationEffort: Sendable {
  /// About so many distinct states are checked for each seed.
  package var stateCount: Int
  /// At most so many choices at a crash point that has too many parts for all subsets.
  package var sampleCount: Int
  /// One state in so many is verified byte by byte.
  package var verifiedOneIn: Int
  /// One state in so many is written to again, and crashed again.
  package var continuedOneIn: Int
  /// Faults of reading for each seed.
  package var readFaultCount: Int

  /// For continuous integration and long runs.
  package static let thorough = SimulationEffort(
    stateCount: 2500, sampleCount: 90, verifiedOneIn: 12, continuedOneIn: 150, readFaultCount: 40)
  /// Many seeds, few states of each: finds what is easily found.
  package static let quick = SimulationEffort(
    stateCount: 60, sampleCount: 12, verifiedOneIn: 6, continuedOneIn: 10, readFaultCount: 6)
}
