import CoreMetrics
import FileIO
import InMemoryLogging
import LogStore
import Logging
import MetricsTestKit
import StorageTestSupport
import StoreTelemetry
import Testing

/// What a logger and a metrics system get to see of a store.
@Suite struct TelemetryObserverTests {
  static func open(
    _ fileSystem: any FileSystem, _ observer: (any StoreObserver)?,
    transactionByteCountInMemory: Int = 16 << 20
  ) throws(LogError) -> Log {
    var configuration = LogConfiguration()
    configuration.observer = observer
    configuration.transactionByteCountInMemory = transactionByteCountInMemory
    configuration.timeSource = ManualTimeSource()
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  static func put(_ number: UInt8, _ log: Log) throws(LogError) {
    let batch = log.makeBatch()
    for key in 1...3 {
      try batch.put(
        [UInt8(key)], in: CollectionIdentifier(1), schemaVersion: 0, payload: [number])
    }
    try log.commit(batch)
  }

  static func makeLogger(_ handler: InMemoryLogHandler, _ level: Logger.Level) -> Logger {
    var logger = Logger(label: "logstore", factory: { _ in handler })
    logger.logLevel = level
    return logger
  }

  @Test("The logger sees each happening at its level, and no keys or values")
  func logging() throws {
    let handler = InMemoryLogHandler()
    let observer = TelemetryObserver(
      logger: Self.makeLogger(handler, .trace), metrics: TestMetrics())
    let fileSystem = SimulatedFileSystem()
    do {
      let log = try Self.open(fileSystem, nil)
      try Self.put(1, log)
    }
    let log = try Self.open(fileSystem, observer)
    try Self.put(2, log)
    try log.close()
    let levels = handler.entries.filter { $0.level > .trace }.map(\.level)
    #expect(levels == [.notice, .notice, .debug, .info])
    #expect(handler.entries.first?.metadata["commitsReplayed"] == "1")
    #expect(handler.entries.contains { $0.level == .trace && $0.message == "committed" })
  }

  @Test("P2: a manifest that was made anew is damage, told with its file and counted")
  func rebuiltManifest() throws {
    let handler = InMemoryLogHandler()
    let metrics = TestMetrics()
    let fileSystem = SimulatedFileSystem()
    var log = try Self.open(fileSystem, nil)
    try Self.put(1, log)
    try log.close()
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    let manifest = try #require(FileName("MANIFEST"))
    let file = try directory.open(manifest, .readWrite)
    try [UInt8](repeating: 0xFF, count: 4).withUnsafeBytes { try file.write([$0], at: 9) }
    log = try Self.open(
      fileSystem,
      TelemetryObserver(logger: Self.makeLogger(handler, .notice), metrics: metrics))
    #expect(log.recoveryReport.rebuiltManifest != nil)
    let entry = try #require(handler.entries.first)
    #expect(entry.level == .warning)
    #expect(entry.metadata["file"] == "MANIFEST")
    #expect(try metrics.expectCounter("logstore.damages").totalValue == 1)
    try log.close()
  }

  @Test("Objects that nothing describes any more are counted as damage")
  func undescribed() throws {
    let metrics = TestMetrics()
    let observer = TelemetryObserver(
      logger: Self.makeLogger(InMemoryLogHandler(), .notice), metrics: metrics)
    observer.observe(.undescribed(collectionCount: 1, recordCount: 5))
    #expect(try metrics.expectCounter("logstore.damages").totalValue == 1)
  }

  @Test("A failed synchronization is critical, and said once")
  func poisoning() throws {
    let handler = InMemoryLogHandler()
    let metrics = TestMetrics()
    let fileSystem = SimulatedFileSystem()
    let log = try Self.open(
      fileSystem,
      TelemetryObserver(logger: Self.makeLogger(handler, .warning), metrics: metrics))
    try Self.put(1, log)
    fileSystem.setFaults([
      FaultPlan(operation: 1, .fail(.ioError), isPermanent: true, kinds: [.synchronize])
    ])
    for _ in 0..<3 { #expect(throws: LogError.self) { try Self.put(2, log) } }
    #expect(handler.entries.map(\.level) == [.critical])
    #expect(try metrics.expectCounter("logstore.failures").totalValue == 1)
  }

  @Test(
    "Metrics are those of the log's own statistics, also where a transaction outgrows its memory",
    arguments: [false, true])
  func metrics(spills: Bool) throws {
    let metrics = TestMetrics()
    let log = try Self.open(
      InMemoryFileSystem(),
      TelemetryObserver(
        logger: Self.makeLogger(InMemoryLogHandler(), .critical), metrics: metrics,
        dimensions: [("store", "test")]),
      transactionByteCountInMemory: spills ? 1 << 10 : 16 << 20)
    for number in 1...6 { try Self.put(UInt8(number), log) }
    let before = try log.statistics().activity
    try log.transact { transaction in
      for key in 1...300 {
        try transaction.put(
          Array("\(key)".utf8), in: CollectionIdentifier(1), schemaVersion: 0, payload: [1, 2, 3])
      }
    }
    let activity = try log.statistics().activity
    func total(_ name: String) throws -> Int64 {
      try metrics.expectCounter("logstore." + name, [("store", "test")]).totalValue
    }
    // Short keys and payloads: a record has a header of at least some bytes, and no frame.
    let byteCount = activity.recordByteCount - before.recordByteCount
    #expect(byteCount > 300 * 6 && byteCount < 300 * 40, "\(byteCount)")
    #expect(activity.groupCount == before.groupCount + 1)
    #expect(try total("commits") == 7)
    #expect(try total("groups") == Int64(activity.groupCount))
    #expect(try total("records") == 318)
    #expect(try total("bytes") == Int64(activity.recordByteCount))
    let times = try metrics.expectTimer("logstore.synchronization", [("store", "test")]).values
    #expect(UInt64(times.count) == activity.synchronizationCount)
    #expect(times.allSatisfy { $0 == 1000 })
  }
}
