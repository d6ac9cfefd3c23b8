import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Many records that are put together are encoded by two threads, and nobody can tell.
@Suite struct SharedEncodingTests {
  private static let version = DictionaryLog.version

  private static func open(
    _ compression: LogConfiguration.Compression, withDictionary: Bool
  ) throws -> Log {
    var configuration = DictionaryLog.configuration
    configuration.maintenance = .background
    configuration.compression = compression
    let log = try Log.open(
      at: "/store", configuration: configuration, fileSystem: InMemoryFileSystem())
    if withDictionary { try #require(try DictionaryLog.makeDictionary(log)) }
    return log
  }

  /// Keys, some of them twice, and payloads of all sizes, some of which LZ4 cannot shorten.
  private static func records(_ count: Int, seed: UInt64) -> [(key: [UInt8], payload: [UInt8])] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { number in
      let key = DictionaryLog.key(Int.random(in: 0...count, using: &generator))
      switch Int.random(in: 0..<20, using: &generator) {
      case 0: return (key, generator.bytes(Int.random(in: 0..<3000, using: &generator)))
      case 1: return (key, [])
      default: return (key, DictionaryLog.payload(number))
      }
    }
  }

  /// Lends all of them at once.
  static func lend<Result>(
    _ records: [(key: [UInt8], payload: [UInt8])], _ body: ([KeyedPayload]) throws -> Result
  ) rethrows -> Result {
    let keys = records.map(\.key)
    let bytes = keys.flatMap { $0 } + records.flatMap(\.payload)
    return try bytes.withUnsafeBytes { bytes in
      var keyStart = 0
      var start = keys.reduce(0) { $0 + $1.count }
      return try body(
        records.map { record in
          defer {
            keyStart += record.key.count
            start += record.payload.count
          }
          return KeyedPayload(
            key: UnsafeRawBufferPointer(
              rebasing: bytes[keyStart..<(keyStart + record.key.count)]),
            payload: UnsafeRawBufferPointer(
              rebasing: bytes[start..<(start + record.payload.count)]))
        })
    }
  }

  static func contents(_ batch: WriteBatch) -> (bytes: [UInt8], changes: [String]) {
    ([UInt8](batch.encodedRecords), batch.changes.map { "\($0)" })
  }

  /// The batches of records that are put one by one, and together behind some others.
  private static func expectEqual(
    _ records: [(key: [UInt8], payload: [UInt8])], _ log: Log, _ comment: String
  ) throws {
    let (single, shared) = (log.makeBatch(), log.makeBatch())
    for batch in [single, shared] {
      try batch.put(
        DictionaryLog.key(7), in: version.collection, schemaVersion: 1, payload: [1, 2, 3])
    }
    for record in records {
      try single.put(
        record.key, in: version.collection, schemaVersion: version.schemaVersion,
        payload: record.payload)
    }
    try lend(records) {
      try shared.put($0, in: version.collection, schemaVersion: version.schemaVersion)
    }
    let (left, right) = (contents(single), contents(shared))
    #expect(left.bytes == right.bytes, "\(comment)")
    #expect(left.changes == right.changes, "\(comment)")
    #expect(single.dictionaryUses.sorted.map(\.use) == shared.dictionaryUses.sorted.map(\.use))
  }

  @Test(
    "P7: a batch of records put together is the batch of them put one by one, to the byte",
    arguments: [LogConfiguration.Compression.automatic, .always, .none], [false, true])
  func batchesAreEqual(
    compression: LogConfiguration.Compression, withDictionary: Bool
  ) throws {
    let isPossible = compression != .none
    let log = try Self.open(compression, withDictionary: withDictionary && isPossible)
    for (number, count) in [0, 1, 64, 127, 128, 129, 191, 192, 193, 700, 1000].enumerated() {
      let records = Self.records(count, seed: UInt64(number))
      for turn in 1...6 { try Self.expectEqual(records, log, "\(count) records, turn \(turn)") }
    }
    try log.close()
  }

  @Test("What was put together is read back, and the last payload of a key holds")
  func recordsAreRead() throws {
    let log = try Self.open(.automatic, withDictionary: false)
    let records = Self.records(900, seed: 5)
    let batch = log.makeBatch()
    try Self.lend(records) { try batch.put($0, in: Self.version.collection, schemaVersion: 1) }
    try log.commit(batch)
    let expected = Dictionary(records.map { ($0.key, $0.payload) }) { _, last in last }
    let snapshot = log.snapshot()
    for (key, payload) in expected {
      let found = try snapshot.record(for: key, in: Self.version.collection)?.payload
      if found != payload { Issue.record("key \(key)") }
    }
    try log.close()
  }

  @Test("P2: when one of many records may not be put, none is")
  func noneIsPut() throws {
    let log = try Self.open(.automatic, withDictionary: false)
    for wrong in [0, 100, 299] {
      var records = Self.records(300, seed: 6)
      let batch = log.makeBatch()
      try batch.put([1], in: Self.version.collection, schemaVersion: 1, payload: [2])
      records[wrong].key = []
      #expect(throws: LogError.emptyKey) {
        try Self.lend(records) {
          try batch.put($0, in: Self.version.collection, schemaVersion: 1)
        }
      }
      records[wrong].key = [UInt8](repeating: 1, count: LogLimits.keyByteCount + 1)
      #expect(throws: LogError.self) {
        try Self.lend(records) {
          try batch.put($0, in: Self.version.collection, schemaVersion: 1)
        }
      }
      #expect(batch.count == 1)
    }
    try log.close()
  }

  @Test("P7: what the worker encodes is moved to its place, be it all, a part or nothing")
  func portionsKeepTheirOrder() throws {
    let log = try Self.open(.automatic, withDictionary: true)
    for count in [1, 63, 64, 65, 128, 130, 640, 700] {
      let records = Self.records(count, seed: UInt64(count))
      let (single, shared) = (log.makeBatch(), log.makeBatch())
      for record in records {
        try single.put(
          record.key, in: Self.version.collection, schemaVersion: 1, payload: record.payload)
      }
      Self.lend(records) {
        let encoding = SharedEncoding(
          $0, Self.version.collection, 1, shared.compressing(Self.version.collection, 1),
          for: shared)
        // All of them, before who puts begins.
        encoding.work()
        encoding.encode(into: shared, with: SerialWorker())
      }
      #expect(Self.contents(shared) == Self.contents(single), "\(count)")
      #expect(shared.dictionaryUses == single.dictionaryUses)
    }
    try log.close()
  }

  @Test("P19: a transaction that puts more than memory has room for goes to disk, and is read")
  func transactionsSpill() throws {
    var configuration = DictionaryLog.configuration
    configuration.transactionByteCountInMemory = 100 << 10
    configuration.segmentByteCountMaximum = 4 << 20
    configuration.maintenance = .background
    let log = try Log.open(
      at: "/store", configuration: configuration, fileSystem: InMemoryFileSystem())
    var generator = SeededGenerator(seed: 12)
    let records = (0..<4000).map { (DictionaryLog.key($0), generator.bytes(800 + $0 % 300)) }
    try log.transact { transaction in
      try Self.lend(records.map { (key: $0.0, payload: $0.1) }) {
        try transaction.put($0, in: Self.version.collection, schemaVersion: 1)
      }
      #expect(transaction.spill != nil)
      for number in [0, 1500, 3999] {
        let found = try transaction.record(for: records[number].0, in: Self.version.collection)
        #expect(found?.payload == records[number].1)
      }
    }
    let snapshot = log.snapshot()
    for record in records {
      let found = try snapshot.record(for: record.0, in: Self.version.collection)
      if found?.payload != record.1 { Issue.record("\(record.0)") }
    }
    try log.close()
  }

  @Test("Who puts many records does not wait for a worker that is busy, and it adds none later")
  func aBusyWorkerIsNotWaitedFor() throws {
    let log = try Self.open(.automatic, withDictionary: false)
    let records = Self.records(500, seed: 8)
    let worker = SerialWorker()
    let gate = WorkerGate(worker)
    defer { gate.open() }
    let (single, shared) = (log.makeBatch(), log.makeBatch())
    for record in records {
      try single.put(
        record.key, in: Self.version.collection, schemaVersion: 1, payload: record.payload)
    }
    Self.lend(records) {
      SharedEncoding(
        $0, Self.version.collection, 1, shared.compressing(Self.version.collection, 1), for: shared
      )
      .encode(into: shared, with: worker)
    }
    let before = Self.contents(shared)
    #expect(before.bytes == Self.contents(single).bytes)
    gate.open()
    worker.waitUntilIdle()
    #expect(Self.contents(shared) == before)
    try log.close()
  }
}
