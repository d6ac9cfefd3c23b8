/// One result of one engine: what it achieved in one repetition of a workload.
struct Measurement: Codable {
  /// What the value counts.
  enum Unit: String, Codable {
    case operationsPerSecond = "ops/s"
    case milliseconds = "ms"
    case seconds = "s"
    case megabytes = "MB"
    /// Bytes on disk for each byte of keys and values.
    case timesTheRecords = "× data"

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
  /// Set by the comparing process.
  var repetition = 0
}
