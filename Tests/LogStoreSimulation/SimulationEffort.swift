/// How much work one seed is given.
package struct SimulationEffort: Sendable {
  /// One in so many of the four simple choices at each operation is tried.
  package var simpleOneIn: Int
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
  /// Segments are no larger than this, so that debug builds get on.
  package var segmentByteCountMaximum: Int

  /// For continuous integration and long runs.
  package static let thorough = SimulationEffort(
    simpleOneIn: 1, stateCount: 2500, sampleCount: 90, verifiedOneIn: 12, continuedOneIn: 150,
    readFaultCount: 40,
    segmentByteCountMaximum: 1 << 20)
  /// Many seeds, few states of each: finds what is easily found.
  package static let quick = SimulationEffort(
    simpleOneIn: 4, stateCount: 40, sampleCount: 12, verifiedOneIn: 6, continuedOneIn: 20,
    readFaultCount: 8,
    segmentByteCountMaximum: 4096)
}
