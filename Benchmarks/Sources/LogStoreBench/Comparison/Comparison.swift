import Foundation

/// One run: every phase, engine after engine, again and again, so that what disturbs the machine
/// disturbs all.
struct Comparison {
  let engines: [EngineKind]
  let phases: [Phase]
  let repetitions: Int
  let secondsMaximum: Double
  let folder: String
  let recordFile: String
  let keyKind: KeyKind
  let seed: UInt64
  let objectCount: Int
  let recordCount: Int

  /// Looks at its share of a core, into `share`, before each phase of an engine.
  func run(share: inout CoreShare, progress: (String) -> Void) throws -> [Measurement] {
    var measurements: [Measurement] = []
    var random = SplitMix(seed: seed)
    for phase in Phase.selectable where phases.contains(phase) {
      let count = phase.isRepeatable ? repetitions : 1
      for repetition in 0..<count {
        // Nobody is always first, or always behind the same neighbour.
        for engine in engines.shuffled(using: &random) where phase.includes(engine) {
          progress("\(phase.rawValue) \(repetition + 1)/\(count): \(engine.rawValue)")
          // What the one before left to be written is not the next one's.
          sync()
          share.look()
          for var measurement in try ChildProcess.measure(order(engine, phase, repetition)) {
            measurement.repetition = repetition
            measurement.recordCount = recordCount
            measurements.append(measurement)
          }
        }
      }
    }
    return measurements
  }

  private func order(_ engine: EngineKind, _ phase: Phase, _ repetition: Int) -> PhaseOrder {
    PhaseOrder(
      engine: engine, phase: phase, directory: "\(folder)/\(engine.rawValue)",
      recordFile: recordFile, keyKind: keyKind, secondsMaximum: secondsMaximum,
      seed: seed &+ UInt64(repetition), recordSeed: seed, objectCount: objectCount)
  }
}
