internal import FileIO
internal import LogStore
internal import StorageTestSupport

/// Draws knobs and steps from a seed; every seed has its own mixture.
struct StepDrawing {
  private(set) var generator: SeededGenerator
  private(set) var knobs = SimulationKnobs()
  /// How the drawing itself is tuned; only what comes out of it is part of a script.
  private(set) var crashCount = 0
  private(set) var stepCount = 20
  private(set) var exhaustiveUnitCount = 6
  private var deletionPercent = 20
  private var processPercent = 30
  private var compactionPercent = 8
  private var faultPercent = 0
  private var changeMaximum = 3
  private var largeByteCount = 300
  private var smallByteCount = 200
  private var lastToken: UInt64 = 0

  init(seed: UInt64, segmentByteCountMaximum: Int = 1 << 20) {
    generator = SeededGenerator(seed: seed)
    knobs.seed = seed
    // By another remainder than what else goes by the seed.
    knobs.frames = seed % 7 == 5 ? .long : seed % 7 == 3 ? .mixed : .short
    drawKnobs(segmentByteCountMaximum)
  }

  private mutating func drawKnobs(_ segmentByteCountMaximum: Int) {
    knobs.profile = pick([.strict, .strict, .ordered])
    let sizes = [2048, 2048, 2048, 4096, 4096, 4096, 8192, 16384, 65536]
    knobs.segmentByteCount = min(
      oneIn(300) ? 1 << 20 : pick(sizes), segmentByteCountMaximum)
    knobs.readMode = pick([.mapped, .buffered])
    knobs.compression = pick([.automatic, .none])
    knobs.maintenance = pick([.inline, .none])
    knobs.keyCount = pick([3, 6, 12, 12, 24, 40])
    knobs.collectionCount = pick([1, 1, 2, 3])
    knobs.keyByteCount = pick([8, 8, 8, 3, 16, 100])
    knobs.transactionByteCount = pick([16 << 20, 16 << 20, 300, 2000])
    knobs.openFileCount = pick([64, 64, 4, 1])
    crashCount = pick([0, 0, 1, 1, 2, 3, 4, 5])
    stepCount = pick([6, 12, 20, 30, 40])
    exhaustiveUnitCount = pick([3, 4, 5, 6, 8, 10, 12])
    deletionPercent = pick([0, 10, 25, 50])
    processPercent = pick([0, 10, 30, 60, 100])
    compactionPercent = pick([0, 5, 15, 30])
    faultPercent = pick([0, 0, 0, 10, 30])
    changeMaximum = pick([1, 1, 2, 3, 8])
    smallByteCount = pick([0, 20, 100, 200, 300])
    largeByteCount = pick([300, 600, knobs.segmentByteCount, 3 * knobs.segmentByteCount])
  }

  mutating func steps(_ count: Int) -> [SimulationStep] { (0..<count).map { _ in step() } }

  mutating func step() -> SimulationStep {
    var step = SimulationStep(action())
    if chance(faultPercent) { step.fault = fault() }
    return step
  }

  private mutating func action() -> SimulationStep.Action {
    if chance(compactionPercent) {
      let mask = pick([UInt64.max, generator.next(), generator.next()])
      if oneIn(8) { return .cancelCompaction(mask: mask) }
      return .compact(mask: mask, meanwhile: oneIn(3) ? changes() : [])
    }
    switch Int.random(in: 0..<30, using: &generator) {
    case 0, 1, 2, 3: return .seal
    case 4, 5: return .reopen
    case 6: return .synchronize
    case 7: return .hold
    case 8: return .compare
    case 9: return .abandon(changes())
    case 14: return .merge
    case 10, 11, 12, 13: return .transact(changes(), durability())
    default: return .commit(changes(), durability())
    }
  }

  private mutating func durability() -> Durability { chance(processPercent) ? .process : .full }

  private mutating func changes() -> [SimulatedChange] {
    (0..<Int.random(in: 1...changeMaximum, using: &generator)).map { _ in
      let key = Int.random(in: 0..<knobs.keyCount, using: &generator)
      if chance(deletionPercent) { return SimulatedChange(key: key) }
      lastToken += 1
      let isLarge = oneIn(20)
      // A fixed size now and then, so that records fit into each other's place.
      let size =
        isLarge
        ? Int.random(in: 0...largeByteCount, using: &generator)
        : oneIn(2) ? smallByteCount : Int.random(in: 0...smallByteCount, using: &generator)
      return SimulatedChange(
        key: key, byteCount: size, token: lastToken,
        schemaVersion: UInt64.random(in: 0..<3, using: &generator))
    }
  }

  private mutating func fault() -> SimulatedFault {
    let operation = Int.random(in: 1...(oneIn(2) ? 3 : 12), using: &generator)
    let effect: SimulatedFault.Effect
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: effect = .noSpace
    case 1: effect = .shortWrite(byteCount: Int.random(in: 0..<400, using: &generator))
    case 2: effect = .permanentError
    case 3: effect = .fullDisk(byteCount: Int.random(in: 0..<8000, using: &generator))
    case 4, 5, 6, 7: effect = .synchronization(pick(SynchronizationFailure.allCases))
    default: effect = .error
    }
    return SimulatedFault(operation: operation, effect)
  }

  mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: 0..<values.count, using: &generator)]
  }

  mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &generator) < percent
  }

  mutating func choice(at point: CrashPoint) -> CrashChoice {
    point.randomChoice(using: &generator)
  }

  mutating func sampledChoices(at point: CrashPoint, limit: Int) -> [CrashChoice] {
    point.sampledChoices(
      exhaustiveUnitCount: exhaustiveUnitCount, limit: limit, using: &generator)
  }

  mutating func shuffled(_ count: Int) -> [Int] { (0..<count).shuffled(using: &generator) }

  mutating func readFault() -> ReadFaultDecision { .drawn(using: &generator) }
}
