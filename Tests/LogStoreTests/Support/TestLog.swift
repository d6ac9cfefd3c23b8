import BinaryCoding
import FileIO
import StorageTestSupport

@testable import LogStore

/// Small stores in memory, and what tests ask of them.
enum TestLog {
  static let people = CollectionIdentifier(1)

  /// Small segments, so that a few hundred records make several; indexes are merged as they come.
  static var configuration: LogConfiguration {
    var configuration = LogConfiguration()
    configuration.segmentByteCountMinimum = 4 << 10
    configuration.segmentByteCountMaximum = 4 << 10
    configuration.maintenance = .inline
    return configuration
  }

  static func open(
    _ fileSystem: any FileSystem, access: LogConfiguration.Access = .readWrite,
    durability: Durability = .full, readMode: LogConfiguration.ReadMode = .mapped
  ) throws(LogError) -> Log {
    var configuration = configuration
    configuration.access = access
    configuration.durability = durability
    configuration.readMode = readMode
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  /// Segments that tests do not fill, and commits that need not be durable.
  static func openWithLargeSegments() throws(LogError) -> Log {
    var configuration = LogConfiguration()
    configuration.durability = .process
    configuration.segmentByteCountMinimum = 64 << 20
    return try Log.open(
      at: "/store", configuration: configuration, fileSystem: InMemoryFileSystem())
  }

  static func key(_ number: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt64(number).bigEndian) { [UInt8]($0) }
  }

  static func payload(_ number: Int) -> [UInt8] {
    [UInt8]("payload \(number), and again payload \(number), and once more \(number)".utf8)
  }

  static func put(
    _ numbers: some Sequence<Int>, _ log: Log, version: UInt64 = 0
  ) throws(LogError) {
    let batch = log.makeBatch()
    for number in numbers {
      try batch.put(key(number), in: people, schemaVersion: version, payload: payload(number))
    }
    try log.commit(batch)
  }

  static func delete(_ numbers: some Sequence<Int>, _ log: Log) throws(LogError) {
    let batch = log.makeBatch()
    for number in numbers { try batch.delete(key(number), in: people) }
    try log.commit(batch)
  }

  /// All live keys and payloads in key order.
  static func contents(_ log: Log) throws(LogError) -> [[UInt8]: [UInt8]] {
    try contents(log.snapshot().records(in: people))
  }

  /// All keys and payloads that a cursor gives.
  static func contents(_ cursor: RecordCursor) throws(LogError) -> [[UInt8]: [UInt8]] {
    var found: [[UInt8]: [UInt8]] = [:]
    while let (key, record) = try cursor.next() { found[key] = record.payload }
    return found
  }

  static func expected(_ numbers: some Sequence<Int>) -> [[UInt8]: [UInt8]] {
    Dictionary(uniqueKeysWithValues: numbers.map { (key($0), payload($0)) })
  }

  /// Throws a sentence when the log holds or counts anything but `expected`.
  static func compare(_ log: Log, _ expected: [[UInt8]: [UInt8]]) throws {
    let found = try contents(log)
    guard found == expected else {
      throw CaseFailure("\(found.count) objects, \(expected.count) expected, or other payloads")
    }
    let counted = try log.statistics().live.recordCount
    guard counted == UInt64(expected.count) else {
      throw CaseFailure("\(counted) live records are counted, \(expected.count) exist")
    }
  }
}
