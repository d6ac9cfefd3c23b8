import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// What commits replace in sealed segments is looked up later than they return, and counted all the
/// same.
@Suite struct PendingReplacementsTests {
  /// Some sealed segments with the keys 0 to 199.
  private static func filled(
    _ fileSystem: any FileSystem, readMode: LogConfiguration.ReadMode = .mapped
  ) throws -> Log {
    var log = try TestLog.open(fileSystem, durability: .process)
    try TestLog.put(0..<200, log)
    try log.close()
    log = try TestLog.open(fileSystem, durability: .process, readMode: readMode)
    #expect(!log.pipeline.sealed.isEmpty)
    return log
  }

  /// Every read fails from now on.
  private static func failReads(_ fileSystem: SimulatedFileSystem) {
    fileSystem.setFaults([
      FaultPlan(
        operation: fileSystem.operationCount + 1, .fail(.ioError), isPermanent: true,
        kinds: [.read])
    ])
  }

  private static func put(_ number: Int, _ log: Log) throws {
    try log.put(
      TestLog.key(number), in: TestLog.people, schemaVersion: 0, payload: TestLog.payload(number))
  }

  /// Whether each segment counts what a walk over all indexes finds.
  private static func expectExactTotals(_ log: Log, _ comment: Comment) throws {
    _ = log.liveByVersion
    let found = try LiveTotalsCheck.totals(in: log.pipeline.view)
    for account in log.pipeline.accounts.values {
      let identifier = account.descriptor.identifier
      #expect(account.descriptor.live == found[identifier, default: LiveTotals()], comment)
    }
    #expect(log.pipeline.replacements.isEmpty)
  }

  @Test("P5: totals are exact whenever somebody asks, however many look-ups wait")
  func totalsAreExact() throws {
    for count in 0...40 {
      let log = try Self.filled(InMemoryFileSystem())
      for step in 0..<count {
        // Old keys, some of them twice, new ones, and deletions of both.
        switch step % 5 {
        case 0: try Self.put(step * 3, log)
        case 1: try Self.put(1000 + step, log)
        case 2: try Self.put(step / 2, log)
        case 3: try log.delete(TestLog.key(step * 4), in: TestLog.people)
        default: try log.delete(TestLog.key(2000 + step), in: TestLog.people)
        }
      }
      #expect(count < 20 || log.pipeline.replacements.isEmpty == false || count % 16 == 0)
      try Self.expectExactTotals(log, "\(count) commits")
    }
  }

  @Test("P5: totals are exact after batches of any size, in order and behind all keys")
  func batchesAreExact() throws {
    for count in [1, 2, 15, 16, 17, 31, 32, 33, 200] {
      for start in [0, 150, 1000] {
        let log = try Self.filled(InMemoryFileSystem())
        try TestLog.put(start..<(start + count), log)
        try Self.expectExactTotals(log, "\(count) from \(start)")
        try TestLog.delete(start..<(start + count), log)
        try Self.expectExactTotals(log, "\(count) from \(start) deleted")
      }
    }
  }

  @Test("P5: what a crash leaves waiting is counted after the next opening, and only once")
  func crashesAreExact() throws {
    for count in [1, 7, 16, 20] {
      let fileSystem = SimulatedFileSystem()
      var log = try Self.filled(fileSystem)
      for number in 0..<count { try Self.put(number, log) }
      log = try TestLog.open(fileSystem.crashPoint().afterCrash(.processKill))
      try Self.expectExactTotals(log, "\(count) replayed")
      // Repairs, and then counts what is replaced again.
      for number in 0..<(2 * count) { try Self.put(number, log) }
      try Self.expectExactTotals(log, "\(count) repaired")
      try log.close()
    }
  }

  @Test("an index that cannot be read once fails no commit, and its totals are exact later")
  func passingErrorsAreForgotten() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.filled(fileSystem, readMode: .buffered)
    for number in 0..<15 { try Self.put(number, log) }
    Self.failReads(fileSystem)
    try Self.put(15, log)
    fileSystem.setFaults([])
    #expect(!log.pipeline.replacements.isEmpty)
    try Self.expectExactTotals(log, "after an error that passed")
  }

  @Test("an index that can never be read keeps nobody from writing and sealing")
  func lastingErrorsAreGivenUp() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.filled(fileSystem, readMode: .buffered)
    for number in 0..<5 { try Self.put(number, log) }
    Self.failReads(fileSystem)
    var failureCount = 0
    while true {
      do { try log.sealActiveSegment() } catch {
        failureCount += 1
        try #require(failureCount < 10)
        continue
      }
      break
    }
    #expect(failureCount > 0, "a seal does not count what it could know a moment later")
    fileSystem.setFaults([])
    let contents = try TestLog.contents(log)
    #expect(contents == TestLog.expected(0..<200))
    // More is counted than is there, never less.
    #expect(try log.statistics().live.recordCount == 205)
    // That is no damage: nothing is lost, and what is copied can be put back.
    try log.backup(to: "/backup", fileSystem: fileSystem)
    try log.close()
    let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
    #expect(report.isIntact)
    #expect(report.notes.contains { $0.contains("compacting it counts anew") }, "\(report.notes)")
    try Log.restore("/backup", to: "/restored", fileSystem: fileSystem)
    let restored = try Log.open(at: "/restored", fileSystem: fileSystem)
    #expect(try TestLog.contents(restored) == TestLog.expected(0..<200))
  }

  // MARK: On a worker

  /// Sealed segments with the keys 0 to 2999; the next ones come when 4 MiB are written.
  private static func filledForWorker(
    _ fileSystem: any FileSystem, readMode: LogConfiguration.ReadMode = .mapped
  ) throws -> Log {
    let log = try TestLog.open(fileSystem, durability: .process)
    try TestLog.put(0..<3000, log)
    try log.close()
    var configuration = LogConfiguration()
    configuration.durability = .process
    configuration.readMode = readMode
    configuration.segmentByteCountMinimum = 4 << 20
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  private static let minimum = PendingReplacements.handedOverCountMinimum
  private static let maximum = PendingReplacements.handedOverCountMaximum

  @Test("P5: totals are exact however many keys a worker has been given, or has not")
  func workersAreExact() throws {
    var generator = SeededGenerator(seed: 77)
    let counts = [
      1, Self.minimum - 1, Self.minimum, Self.minimum + 1, 2 * Self.minimum, Self.maximum - 1,
      Self.maximum, Self.maximum + 1, Self.maximum + Self.minimum, 2 * Self.maximum, 3000,
    ]
    for (isHeldUp, isBatch) in [(false, false), (true, false), (false, true), (true, true)] {
      for count in counts {
        let log = try Self.filledForWorker(InMemoryFileSystem())
        let worker = try #require(log.pipeline.commitWorker)
        let gate = isHeldUp ? WorkerGate(worker) : nil
        defer { gate?.open() }
        // Old keys and new ones, each once.
        let numbers = (0..<6000).shuffled(using: &generator).prefix(count)
        if isBatch {
          try TestLog.delete(numbers, log)
        } else {
          for number in numbers { try Self.put(number, log) }
        }
        let isIdle = log.pipeline.replacements.isEmpty
        #expect(!isIdle)
        gate?.open()
        try Self.expectExactTotals(log, "\(count) keys, held up: \(isHeldUp), batch: \(isBatch)")
        try log.close()
      }
    }
  }

  @Test("a commit looks up what is too much for a worker, and waits for none")
  func commitsDoNotWait() throws {
    let log = try Self.filledForWorker(InMemoryFileSystem())
    let worker = try #require(log.pipeline.commitWorker)
    let gate = WorkerGate(worker)
    defer { gate.open() }
    for number in 0..<3000 { try Self.put(number, log) }
    // The worker has the first ones; at most so many wait behind them.
    let waiting = log.pipeline.replacements.waitingCount
    #expect(waiting < Self.maximum)
    let live = log.pipeline.accounts.values.reduce(0) {
      $0 + $1.descriptor.live.total.recordCount
    }
    #expect(live == UInt64(3000 + waiting + Self.minimum))
    gate.open()
    try Self.expectExactTotals(log, "after the worker was held up")
    try log.close()
  }

  @Test("P5: a rewrite that began while a worker looked up knows what was replaced of its inputs")
  func rewritesKnowWhatAWorkerFinds() throws {
    let log = try Self.filledForWorker(InMemoryFileSystem())
    let worker = try #require(log.pipeline.commitWorker)
    for number in 0..<1500 { try Self.put(number * 2, log) }
    let inputs = Set(log.pipeline.sealed.map(\.identifier))
    let gate = WorkerGate(worker)
    defer { gate.open() }
    let failures = Threads.run(2) { thread in
      // Beginning waits for the worker, which goes on only a moment later.
      if thread == 1 { return gate.open() }
      let rewrite = try log.beginRewrite(of: inputs)
      for number in 0..<2000 { try Self.put(number, log) }
      while let record = try rewrite.next() { try rewrite.keep(record) }
      for number in 2000..<2600 { try Self.put(number, log) }
      try rewrite.publish()
    }
    #expect(failures == [])
    try Self.expectExactTotals(log, "after a rewrite")
    let contents = try TestLog.contents(log)
    #expect(contents == TestLog.expected(0..<3000))
    try log.close()
  }

  @Test(
    "a worker's failure is one try of three: it fails no commit, and is forgotten when it passed")
  func workersMayFail() throws {
    for isLasting in [false, true] {
      let fileSystem = SimulatedFileSystem()
      let log = try Self.filledForWorker(fileSystem, readMode: .buffered)
      // The first commit reads the headers of segments.
      try Self.put(3000, log)
      Self.failReads(fileSystem)
      for number in 0..<Self.minimum { try Self.put(number, log) }
      try #require(log.pipeline.commitWorker).waitUntilIdle()
      if isLasting {
        for _ in 0..<3 { _ = log.liveByVersion }
        fileSystem.setFaults([])
        // More is counted than is there, never less.
        let counted = try log.statistics().live.recordCount
        #expect(counted > 3001)
        #expect(counted <= UInt64(3001 + Self.minimum))
      } else {
        fileSystem.setFaults([])
        try Self.expectExactTotals(log, "after an error that passed")
      }
      try log.close()
    }
  }

  @Test("a log may be let go while its worker looks up")
  func logsMayGo() throws {
    for _ in 0..<50 {
      let fileSystem = InMemoryFileSystem()
      var log: Log? = try Self.filledForWorker(fileSystem)
      weak let pipeline = log?.pipeline
      for number in 0..<(3 * Self.minimum) { try log.map { try Self.put(number, $0) } }
      log = nil
      #expect(pipeline == nil)
      let next = try TestLog.open(fileSystem)
      try Self.expectExactTotals(next, "opened after it was let go")
      try next.close()
    }
  }
}
