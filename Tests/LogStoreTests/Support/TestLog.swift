import BinaryCoding
import FileIO

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
    let cursor = try log.snapshot().records(in: people)
    var found: [[UInt8]: [UInt8]] = [:]
    while let (key, record) = try cursor.next() { found[key] = record.payload }
    return found
  }

  static func expected(_ numbers: some Sequence<Int>) -> [[UInt8]: [UInt8]] {
    Dictionary(uniqueKeysWithValues: numbers.map { (key($0), payload($0)) })
  }
}
