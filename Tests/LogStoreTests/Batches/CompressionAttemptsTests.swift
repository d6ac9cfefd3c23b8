import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Small payloads of which LZ4 saves little are not tried again and again.
@Suite("Compressing is not tried where it saves little, but for a sample")
struct CompressionAttemptsTests {
  static let collection = CollectionIdentifier(1)
  static let other = CollectionIdentifier(2)
  static let text = [UInt8](repeating: 7, count: 300)

  static func noise(_ number: Int, _ byteCount: Int = 300) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(number))
    return generator.bytes(byteCount)
  }

  static func batch(
    _ outlook: CompressionOutlook?, _ compression: LogConfiguration.Compression = .automatic
  ) throws -> WriteBatch {
    let log = try Log.open(
      at: "/store", configuration: DictionaryLog.configuration, fileSystem: InMemoryFileSystem())
    return WriteBatch(
      compression: compression, commitTime: CommitTime(secondsSince1970: 1_800_000_000),
      dictionaries: log.pipeline.dictionaries, outlook: outlook)
  }

  static func put(
    _ payload: [UInt8], to batch: WriteBatch, in collection: CollectionIdentifier = collection
  ) throws {
    let key = Array("key \(batch.count)".utf8)
    try batch.put(key, in: collection, schemaVersion: 1, payload: payload)
  }

  /// Which records of a batch are compressed.
  static func compressed(_ batch: WriteBatch) throws -> [Bool] {
    try batch.changes.map { change in
      let record = batch.record(startingAt: change.recordStart, length: change.recordLength)
      return try RecordHeader(decoding: record).compression != .none
    }
  }

  @Test("After so many attempts that save too little one in sixteen is tried, until those save")
  func sampling() throws {
    let outlook = CompressionOutlook()
    let batch = try Self.batch(outlook)
    let patience = Int(CompressionAttempts.patience)
    for number in 0..<patience - 1 { try Self.put(Self.noise(number), to: batch) }
    #expect(!outlook.attempts(of: Self.collection).areHopeless)
    try Self.put(Self.text, to: batch)
    #expect(outlook.attempts(of: Self.collection).areHopeless)
    #expect(try Self.compressed(batch) == (1...patience).map { $0 == patience })
    let start = batch.count
    // The first is of the sample, and in vain; with seven of the next ones it is judged.
    try Self.put(Self.noise(0), to: batch)
    for _ in 1..<150 { try Self.put(Self.text, to: batch) }
    let expected = (0..<150).map { $0 > 112 || ($0 > 0 && $0 % 16 == 0) }
    #expect(try Array(Self.compressed(batch)[start...]) == expected)
    #expect(!outlook.attempts(of: Self.collection).areHopeless)
  }

  @Test("All are tried where they save a quarter of their bytes together", arguments: 1...10)
  func shares(every: Int) throws {
    let outlook = CompressionOutlook()
    let batch = try Self.batch(outlook)
    // A text saves nearly all of itself.
    for number in 0..<300 {
      try Self.put(number % every == 0 ? Self.text : Self.noise(number), to: batch)
    }
    #expect(outlook.attempts(of: Self.collection).areHopeless == (every > 3))
  }

  @Test("A put of very many counts by its shares", arguments: [1, 1000, 1 << 20, 1 << 50])
  func largeOutcomes(byteCount: Int) {
    for (share, isHopeless) in [(3, false), (5, true)] {
      var outcome = CompressionAttempts.Outcome()
      for _ in 0..<100 { outcome.add(byteCount: byteCount * 8, saved: byteCount * 8 / share) }
      let attempts = CompressionAttempts()
      for _ in 0..<5 { attempts.note(outcome) }
      #expect(attempts.areHopeless == isHopeless)
    }
  }

  @Test("Large payloads, other collections, other batches, and all with `always` are tried anyway")
  func others() throws {
    let outlook = CompressionOutlook()
    let first = try Self.batch(outlook)
    for number in 0..<100 { try Self.put(Self.noise(number), to: first) }
    // What is learnt holds for the next batch.
    let batch = try Self.batch(outlook)
    try Self.put(Self.noise(0), to: batch)
    let large = [UInt8](repeating: 7, count: CompressionAttempts.payloadByteCountMaximum + 1)
    try Self.put(Self.text, to: batch)
    try Self.put(large, to: batch)
    try Self.put(Self.text, to: batch, in: Self.other)
    #expect(try Self.compressed(batch) == [false, false, true, true])
    #expect(outlook.attempts(of: Self.collection).areHopeless)
    let always = try Self.batch(outlook, .always)
    for _ in 0..<3 { try Self.put(Self.text, to: always) }
    #expect(try Self.compressed(always) == [true, true, true])
    // Neither empty payloads nor large ones tell how small ones are.
    let neither = CompressionOutlook()
    let batches = try Self.batch(neither)
    for number in 0..<100 {
      try Self.put([1, 2], to: batches)
      try Self.put(Self.noise(number, 2000), to: batches)
    }
    #expect(!neither.attempts(of: Self.collection).areHopeless)
  }

  @Test("Collections whose records take turns are sampled each, also by batches of one")
  func turns() throws {
    let outlook = CompressionOutlook()
    func put(_ payload: [UInt8], _ collection: CollectionIdentifier) throws -> Bool {
      let batch = try Self.batch(outlook)
      try Self.put(payload, to: batch, in: collection)
      return try Self.compressed(batch) == [true]
    }
    for number in 0..<100 {
      _ = try put(Self.noise(number), Self.collection)
      _ = try put(Self.noise(number), Self.other)
    }
    var gained = 0
    for number in 0..<120 {
      _ = try put(Self.noise(number), Self.collection)
      if try put(Self.text, Self.other) { gained += 1 }
    }
    #expect(gained >= 40)
  }

  @Test("A table of too many collections begins anew")
  func manyCollections() {
    let outlook = CompressionOutlook()
    var outcome = CompressionAttempts.Outcome()
    for _ in 0..<CompressionAttempts.patience { outcome.add(byteCount: 300, saved: 0) }
    outlook.attempts(of: Self.collection).note(outcome)
    for number in 2..<1025 as Range<UInt32> {
      _ = outlook.attempts(of: CollectionIdentifier(number))
    }
    #expect(outlook.attempts(of: Self.collection).areHopeless)
    _ = outlook.attempts(of: CollectionIdentifier(5000))
    #expect(!outlook.attempts(of: Self.collection).areHopeless)
  }

  @Test(
    "P7: many records are the same bytes whoever encodes them, and everything is read back",
    arguments: 1...10 as ClosedRange<UInt64>)
  func manyRecords(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    func open(_ maintenance: LogConfiguration.Maintenance) throws -> Log {
      var configuration = DictionaryLog.configuration
      configuration.maintenance = maintenance
      return try Log.open(
        at: "/store", configuration: configuration, fileSystem: InMemoryFileSystem())
    }
    // With a thread that helps, and without one.
    let (helped, alone) = (try open(.background), try open(.inline))
    var expected: [[UInt8]: [UInt8]] = [:]
    for turn in 0..<8 {
      let isNoise = Int.random(in: 0..<3, using: &generator) > 0
      let records = (0..<Int.random(in: 1...400, using: &generator)).map { number in
        let mayGain = Int.random(in: 0..<100, using: &generator) < (isNoise ? 1 : 50)
        let byteCount = Int.random(in: 0..<600, using: &generator)
        return (
          key: Array("\(Int.random(in: 0..<500, using: &generator))".utf8),
          payload: mayGain ? [UInt8](repeating: 1, count: byteCount) : generator.bytes(byteCount)
        )
      }
      let batches = [helped.makeBatch(), alone.makeBatch()]
      for batch in batches {
        try SharedEncodingTests.lend(records) {
          try batch.put($0, in: Self.collection, schemaVersion: 1)
        }
      }
      let (left, right) = (
        SharedEncodingTests.contents(batches[0]), SharedEncodingTests.contents(batches[1])
      )
      #expect(left == right, "seed \(seed) turn \(turn)")
      try helped.commit(batches[0])
      try alone.commit(batches[1])
      for record in records { expected[record.key] = record.payload }
    }
    for log in [helped, alone] {
      let snapshot = log.snapshot()
      for (key, payload) in expected {
        let found = try snapshot.record(for: key, in: Self.collection)?.payload
        if found != payload { Issue.record("seed \(seed) key \(key)") }
      }
      try log.close()
    }
  }

  @Test("Single changes of a log learn from each other, and a put of many from them")
  func singleChanges() throws {
    var configuration = DictionaryLog.configuration
    configuration.maintenance = .inline
    let log = try Log.open(
      at: "/store", configuration: configuration, fileSystem: InMemoryFileSystem())
    for number in 0..<80 {
      try log.put(
        Array("\(number)".utf8), in: Self.collection, schemaVersion: 1, payload: Self.noise(number))
    }
    let batch = log.makeBatch()
    try SharedEncodingTests.lend((0..<160).map { ([UInt8($0)], Self.text) }) {
      try batch.put($0, in: Self.collection, schemaVersion: 1)
    }
    #expect(try Self.compressed(batch) == (0..<160).map { $0 % 16 == 0 })
    // They gained, so all are tried again.
    try SharedEncodingTests.lend((0..<160).map { ([UInt8($0)], Self.text) }) {
      try batch.put($0, in: Self.collection, schemaVersion: 1)
    }
    #expect(try Self.compressed(batch)[160...].allSatisfy { $0 })
    try log.close()
  }
}
