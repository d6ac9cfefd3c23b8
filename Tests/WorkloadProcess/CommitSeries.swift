import LogStore
import StorageTestSupport

/// Small commits, one behind the other, that need not survive the loss of power.
struct CommitSeries {
  let count: Int
  static let collection = CollectionIdentifier(1)

  static func key(_ number: Int) -> [UInt8] { [UInt8]("key \(number)".utf8) }

  static func payload(_ number: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(number))
    // Some are larger than what a mapping takes.
    let isLarge = number % 97 == 0
    return generator.bytes(Int.random(in: 0..<(isLarge ? 9000 : 300), using: &generator))
  }

  /// The same bytes in either mode; the log is neither synchronized nor closed.
  func write(
    to path: String, _ mode: LogConfiguration.WriteMode, watch: () throws -> Void = {}
  ) throws {
    var configuration = LogConfiguration()
    configuration.writeMode = mode
    configuration.durability = .process
    configuration.segmentByteCountMinimum = 96 << 10
    configuration.maintenance = .inline
    configuration.timeSource = ManualTimeSource(secondsSince1970: 1_750_000_000)
    configuration.randomSource = SeededRandomSource(seed: 7)
    let log = try Log.open(at: path, configuration: configuration)
    for number in 0..<count {
      let batch = log.makeBatch()
      try batch.put(
        Self.key(number), in: Self.collection, schemaVersion: 0, payload: Self.payload(number))
      // What is durable goes the same way, and is synchronized.
      try log.commit(batch, durability: number % 500 == 499 ? .full : nil)
      if number % 100 == 99 { try watch() }
    }
    withExtendedLifetime(log) {}
  }

  /// Whether each commit is in the log.
  func isWhole(in log: Log) throws -> Bool {
    let snapshot = log.snapshot()
    for number in 0..<count {
      let record = try snapshot.record(for: Self.key(number), in: Self.collection)
      if record?.payload != Self.payload(number) { return false }
    }
    return true
  }
}
