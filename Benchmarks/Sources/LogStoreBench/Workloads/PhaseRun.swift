import Foundation

/// Carries out one phase for one engine, and checks afterwards that no byte went wrong.
final class PhaseRun {
  let order: PhaseOrder
  let records: RecordFile
  let generations: Generations
  var random: SplitMix
  private(set) var measurements: [Measurement] = []

  /// Records that are compared byte for byte after each phase.
  static let checkedRecordCount = 20_000
  /// Records of a batch.
  static let batchRecordCount = 1000

  init(_ order: PhaseOrder) throws {
    self.order = order
    records = try RecordFile(path: order.recordFile, keyKind: order.keyKind)
    let files = FileManager.default
    if order.phase.isFromEmpty {
      if files.fileExists(atPath: order.directory) {
        try files.removeItem(atPath: order.directory)
      }
      try files.createDirectory(atPath: order.storePath, withIntermediateDirectories: true)
    }
    generations = try Generations(
      records, readingFrom: order.phase.isFromEmpty ? nil : order.generationsPath)
    random = SplitMix(seed: order.seed)
  }

  func run() throws -> [Measurement] {
    switch order.phase {
    case .fillsync: try fill(promise: .powerLoss, threadCount: 1, numbers: distinctNumbers())
    case .fillsync8: try fill(promise: .powerLoss, threadCount: 8, numbers: distinctNumbers())
    case .fillseq: try fill(promise: .processKill, threadCount: 1, numbers: numbersInOrder())
    case .fillrandom:
      try fill(
        promise: .processKill, threadCount: 1, numbers: randomNumbers(records.count))
    case .load: try load()
    case .open: try open()
    case .read: try read()
    case .mixed: try mixed()
    case .overwrite: try overwrite()
    case .aged: try readAll(suffix: ".aged")
    case .latency: try latency()
    case .compact: try compact()
    case .compacted: try readAll(suffix: ".compacted")
    case .objects, .migrationSetup, .migration1, .migration5, .migration50:
      preconditionFailure("work on objects must be done by another run")
    }
    return measurements
  }

  func openEngine(_ promise: Promise) throws -> any Engine {
    try order.engine.open(
      EngineSettings(
        path: order.storePath, promise: promise, keyKind: order.keyKind,
        expectedByteCount: records.byteCount))
  }

  func record(_ measurement: Measurement) { measurements.append(measurement) }

  /// Runs `body`, which returns how many operations it carried out, and records their rate.
  func measure(_ workload: String, _ body: () throws -> Int) rethrows {
    record(try Measurement.rate(workload, of: order.engine, body))
  }

  /// The same for what only reads: `body` runs some times, with the number of the try, and the
  /// fastest counts.
  func measureReading(_ workload: String, _ body: (Int) throws -> Int) rethrows {
    record(try Measurement.fastestRate(workload, of: order.engine, body))
  }

  /// Closes the engine, opens it again and compares: what was acknowledged must be there.
  func closeAndCheck(_ engine: any Engine) throws {
    try engine.close()
    try generations.write(to: order.generationsPath)
    let reopened = try openEngine(.processKill)
    try check(reopened)
    try reopened.close()
  }

  /// Compares random records with what was written last; any difference ends the run.
  func check(_ engine: any Engine) throws {
    let reader = try engine.makeReader()
    for _ in 0..<min(Self.checkedRecordCount, records.count) {
      let number = random.below(records.count)
      let expected = generations.expected(number)
      var isEqual = true
      let isFound = try reader.read(records.key(number)) { value in
        isEqual = expected.map { $0.elementsEqual(value) } ?? false
      }
      guard isEqual, isFound == (expected != nil) else {
        throw BenchmarkError(
          "\(order.engine.rawValue), \(order.phase): record \(number) is not what was written")
      }
    }
  }

  func numbersInOrder() -> [UInt32] { (0..<records.count).map(UInt32.init(truncatingIfNeeded:)) }

  func distinctNumbers() -> [UInt32] { numbersInOrder().shuffled(using: &random) }

  func randomNumbers(_ count: Int) -> [UInt32] {
    (0..<count).map { _ in UInt32(truncatingIfNeeded: random.below(records.count)) }
  }

  /// Bytes on disk for each byte of the records that are alive.
  func recordSpace(_ workload: String) throws {
    let byteCount = try FileSpace.allocatedByteCount(below: order.storePath)
    let share = Double(generations.liveCount) / Double(records.count)
    record(
      Measurement(
        engine: order.engine, workload: workload,
        value: Double(byteCount) / (Double(records.byteCount) * share), unit: .timesTheRecords))
  }
}
