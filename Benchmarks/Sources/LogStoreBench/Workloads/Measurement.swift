/// One result of one engine: what it achieved in one repetition of a workload.
struct Measurement: Codable {
  /// What the value counts.
  enum Unit: String, Codable {
    case operationsPerSecond = "ops/s"
    case milliseconds = "ms"
    case seconds = "s"
    /// The time that 99 of 100 operations do not exceed.
    case microseconds = "µs p99"
    case megabytes = "MB"
    /// Bytes on disk for each byte of keys and values.
    case timesTheRecords = "× data"
    /// Bytes on disk for each byte there was before.
    case timesBefore = "× before"

    var isHigherBetter: Bool { self == .operationsPerSecond }
  }

  let engine: EngineKind
  let workload: String
  let value: Double
  let unit: Unit
  /// Operations carried out and the time they took; zero for sizes.
  var operationCount = 0
  var seconds = 0.0
  /// Processor time of all threads of the process for one operation, in nanoseconds.
  var cpuNanoseconds: Double?
  /// How long single operations took, where each was timed.
  var percentiles: Percentiles?
  /// Set by the comparing process, as is what follows.
  var repetition = 0
  var recordCount = 0

  /// Tries of what only reads, and the seconds after which no further one begins.
  static let readTryCount = 12
  private static let readSecondsMaximum = 5.0

  /// Runs `body` some times, with the number of the try, and takes the rate of the fastest.
  ///
  /// Only for what changes nothing: a neighbour on the same core takes up to half of a try, and is
  /// not what is measured.
  static func fastestRate(
    _ workload: String, of engine: EngineKind, _ body: (Int) throws -> Int
  ) rethrows -> Measurement {
    let stopwatch = Stopwatch()
    var fastest = try rate(workload, of: engine) { try body(0) }
    for attempt in 1..<readTryCount where stopwatch.seconds < readSecondsMaximum {
      let measurement = try rate(workload, of: engine) { try body(attempt) }
      if measurement.value > fastest.value { fastest = measurement }
    }
    return fastest
  }

  /// Runs `body`, which returns how many operations it carried out, and takes their rate.
  static func rate(
    _ workload: String, of engine: EngineKind, _ body: () throws -> Int
  ) rethrows -> Measurement {
    let stopwatch = Stopwatch()
    let count = try body()
    let seconds = stopwatch.seconds
    let cpuSeconds = stopwatch.cpuSeconds
    return Measurement(
      engine: engine, workload: workload, value: Double(count) / seconds,
      unit: .operationsPerSecond, operationCount: count, seconds: seconds,
      cpuNanoseconds: cpuSeconds * 1e9 / Double(max(count, 1)))
  }
}
