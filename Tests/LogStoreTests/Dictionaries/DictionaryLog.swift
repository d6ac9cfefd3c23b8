import FileIO
import StorageTestSupport

@testable import LogStore

/// A log whose records are compressed against a dictionary, in memory.
enum DictionaryLog {
  static let people = CollectionIdentifier(1)
  static let version = CollectionVersion(collection: people, schemaVersion: 1)

  static var configuration: LogConfiguration {
    var configuration = LogConfiguration()
    configuration.segmentByteCountMinimum = 16 << 10
    configuration.segmentByteCountMaximum = 16 << 10
    configuration.maintenance = .inline
    configuration.randomSource = SeededRandomSource(seed: 9)
    configuration.timeSource = ManualTimeSource()
    return configuration
  }

  static func open(
    _ fileSystem: any FileSystem, access: LogConfiguration.Access = .readWrite,
    readMode: LogConfiguration.ReadMode = .mapped,
    compression: LogConfiguration.Compression = .automatic
  ) throws(LogError) -> Log {
    var configuration = configuration
    configuration.access = access
    configuration.readMode = readMode
    configuration.compression = compression
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  static func key(_ number: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt32(number).bigEndian) { [UInt8]($0) }
  }

  /// Different for each number, and much like all others.
  static func payload(_ number: Int) -> [UInt8] {
    let names = [
      "Ada Lovelace", "Grace Hopper", "Edsger Dijkstra", "Barbara Liskov", "Alan Turing",
    ]
    return [UInt8]("name: \(names[number % 5]), born in 19\(number % 90 + 10), no. \(number)".utf8)
  }

  static func put(_ numbers: some Sequence<Int>, _ log: Log) throws(LogError) {
    let batch = log.makeBatch()
    for number in numbers {
      try batch.put(key(number), in: people, schemaVersion: 1, payload: payload(number))
    }
    try log.commit(batch)
  }

  /// Payloads of every third record, from one on.
  static func sample(from first: Int) -> [[UInt8]] { (0..<512).map { payload($0 * 3 + first) } }

  /// Payloads that have nothing in common with those of the log's records.
  static var otherSample: [[UInt8]] {
    (0..<600).map { number in
      [UInt8]("quite another text, with other words in it: item \(number * 7919) of \(number)".utf8)
    }
  }

  /// Makes a dictionary of a sample, that of the log's records; whether one was made.
  @discardableResult
  static func makeDictionary(
    _ log: Log, _ sample: [[UInt8]] = DictionaryLog.sample(from: 0)
  ) throws(LogError) -> Bool {
    try log.makeDictionary(for: version, sample: sample, recordCount: 5000)
  }

  /// 50 records from before there was a dictionary, and 150 that need it; closed.
  static func fill(_ fileSystem: any FileSystem) throws(LogError) {
    let log = try open(fileSystem)
    try put(0..<50, log)
    try makeDictionary(log)
    try put(50..<200, log)
    try log.close()
  }

  /// What is wrong with the records `numbers`, or nothing.
  static func defect(_ numbers: some Sequence<Int>, _ log: Log) throws(LogError) -> String? {
    let snapshot = log.snapshot()
    for number in numbers {
      let found = try snapshot.record(for: key(number), in: people)
      guard found?.payload == payload(number) else { return "\(number) is not what was put" }
    }
    let cursor = try snapshot.records(in: people)
    var found = 0
    var expected = 0
    for _ in numbers { expected += 1 }
    while let isRight = try cursor.withNext({ (record: BorrowedRecord) -> Bool in
      let number = UInt32(bigEndian: record.key.loadUnaligned(as: UInt32.self))
      return [UInt8](record.payload) == payload(Int(number))
    }) {
      found += isRight ? 1 : 0
    }
    return found == expected ? nil : "a walk finds \(found) of \(expected)"
  }
}
