import FileIO
import LogStore
import StorageTestSupport

/// Commits, transactions, rewrites, closings and recoveries of a log, chosen by a seed.
struct RepeatableLogRun {
  private var generator: SeededGenerator
  private let seed: UInt64
  private let time = ManualTimeSource(secondsSince1970: 1_750_000_000)
  private let random: SeededRandomSource
  /// How far the clock moves before each operation; by default forwards, up to an hour.
  private let nextTime: (UInt64, inout SeededGenerator) -> UInt64
  static let collections = (1...3).map { CollectionIdentifier(UInt32($0)) }

  init(
    seed: UInt64,
    nextTime: @escaping (UInt64, inout SeededGenerator) -> UInt64 = { now, generator in
      now + UInt64.random(in: 0..<3600, using: &generator)
    }
  ) {
    self.seed = seed
    self.nextTime = nextTime
    generator = SeededGenerator(seed: seed)
    random = SeededRandomSource(seed: seed ^ 0x5EED)
  }

  func run(at path: String, _ fileSystem: any FileSystem) throws {
    var run = self
    try run.run(at: path, fileSystem, operationCount: 60)
  }

  private mutating func run(
    at path: String, _ fileSystem: any FileSystem, operationCount: Int
  ) throws {
    // The clock draws from a generator of its own, so that it does not change what is written.
    var clock = SeededGenerator(seed: seed ^ 0xC10C)
    let configuration = RepeatableRun.configuration(seed: seed, time, random)
    var log = try Log.open(at: path, configuration: configuration, fileSystem: fileSystem)
    for _ in 0..<operationCount {
      time.set(secondsSince1970: nextTime(time.secondsSince1970(), &clock))
      switch Int.random(in: 0..<16, using: &generator) {
      case 0: try log.sealActiveSegment()
      case 1: try rewrite(log)
      case 2: try log.synchronize()
      case 3:
        try log.close()
        log = try Log.open(at: path, configuration: configuration, fileSystem: fileSystem)
      case 4:
        // Let go without closing: the next write copies the tail.
        log = try reopened(consume log, path, configuration, fileSystem)
      case 5...7: try transact(log)
      default: try commit(log)
      }
    }
    if Bool.random(using: &generator) { try log.close() }
  }

  private func reopened(
    _ log: consuming Log, _ path: String, _ configuration: LogConfiguration,
    _ fileSystem: any FileSystem
  ) throws -> Log {
    _ = consume log
    return try Log.open(at: path, configuration: configuration, fileSystem: fileSystem)
  }

  private mutating func commit(_ log: Log) throws {
    let batch = log.makeBatch()
    for _ in 0..<Int.random(in: 1...5, using: &generator) {
      let change = nextChange()
      if let payload = change.payload {
        try batch.put(
          change.key, in: change.collection, schemaVersion: UInt64(payload.count % 3),
          payload: payload)
      } else {
        try batch.delete(change.key, in: change.collection)
      }
    }
    try log.commit(batch, durability: Bool.random(using: &generator) ? .full : .process)
  }

  private mutating func transact(_ log: Log) throws {
    let changes = (0..<3).map { _ in nextChange() }
    try log.transact { transaction in
      for change in changes {
        let found = try transaction.record(for: change.key, in: change.collection)
        try transaction.put(
          change.key, in: change.collection, schemaVersion: 1,
          payload: (found?.payload.prefix(40) ?? []) + (change.payload ?? []))
      }
    }
  }

  private mutating func nextChange()
    -> (collection: CollectionIdentifier, key: [UInt8], payload: [UInt8]?)
  {
    let collection = Self.collections[Int.random(in: 0..<3, using: &generator)]
    let key = [UInt8]("key \(Int.random(in: 0..<40, using: &generator))".utf8)
    if Int.random(in: 0..<5, using: &generator) == 0 { return (collection, key, nil) }
    let count = Int.random(in: 0..<200, using: &generator)
    return (collection, key, (0..<count).map { _ in UInt8.random(in: 0..<4, using: &generator) })
  }

  private mutating func rewrite(_ log: Log) throws {
    // Chosen apart: how many segments there are must not change what comes next.
    var choice = SeededGenerator(seed: generator.next())
    let sealed = try log.statistics().segments.filter { !$0.isActive }
    let chosen = sealed.filter { _ in Bool.random(using: &choice) }
    let rewrite = try log.beginRewrite(of: Set(chosen.map(\.identifier)))
    while let record = try rewrite.next() { try rewrite.keep(record) }
    try rewrite.publish()
  }
}
