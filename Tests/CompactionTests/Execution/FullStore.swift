import FileIO
import LogStore
import StorageTestSupport

@testable import Compaction

/// A store on a disk that gets full, and a model of what it acknowledged.
struct FullStore {
  static let people = CollectionIdentifier(1)

  let fileSystem: any FileSystem
  let path: String
  private(set) var log: Log
  private(set) var expected: [[UInt8]: [UInt8]] = [:]
  private var generator = SeededGenerator(seed: 16)

  init(_ fileSystem: any FileSystem, _ path: String = "/store") throws(LogError) {
    self.fileSystem = fileSystem
    self.path = path
    log = try Self.open(fileSystem, path)
  }

  static func open(_ fileSystem: any FileSystem, _ path: String) throws(LogError) -> Log {
    var configuration = LogConfiguration()
    configuration.segmentByteCountMinimum = 8 << 10
    configuration.segmentByteCountMaximum = 8 << 10
    configuration.compression = .none
    configuration.maintenance = .inline
    configuration.randomSource = SeededRandomSource(seed: 5)
    configuration.timeSource = ManualTimeSource()
    return try Log.open(at: path, configuration: configuration, fileSystem: fileSystem)
  }

  mutating func put(_ number: Int) throws(LogError) {
    let key = [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    let size = Int.random(in: 0..<900, using: &generator)
    let payload = (0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let batch = log.makeBatch()
    try batch.put(key, in: Self.people, schemaVersion: 0, payload: payload)
    try log.commit(batch)
    expected[key] = payload
  }

  /// Deletes each second key, a commit for each.
  mutating func deleteHalf() throws(LogError) {
    for (index, key) in expected.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }).enumerated()
    where index % 2 == 0 {
      let batch = log.makeBatch()
      try batch.delete(key, in: Self.people)
      try log.commit(batch)
      expected[key] = nil
    }
  }

  func compact() throws(LogError) { try Compactor(log).run() }

  /// Puts and compactions, until one meets a full disk; false when none does.
  mutating func fill(putCount: Int) throws(LogError) -> Bool {
    do throws(LogError) {
      for number in 0..<putCount {
        try put(number % 140)
        if number % 90 == 89 { try compact() }
      }
      return false
    } catch {
      guard case .diskFull = error else { throw error }
      return true
    }
  }

  /// Whether everything that was acknowledged, and nothing else, can be read.
  func isComplete() throws(LogError) -> Bool {
    let cursor = try log.snapshot().records(in: Self.people)
    var found: [[UInt8]: [UInt8]] = [:]
    while let (key, record) = try cursor.next() { found[key] = record.payload }
    return found == expected
  }

  mutating func reopen(on fileSystem: any FileSystem) throws(LogError) {
    log = try Self.open(fileSystem, path)
  }

  /// The store after the process died, on what it left.
  func afterKill(_ fileSystem: any FileSystem) throws(LogError) -> FullStore {
    var other = try FullStore(fileSystem, path)
    other.expected = expected
    other.generator = generator
    return other
  }
}
