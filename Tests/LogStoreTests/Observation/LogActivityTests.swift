import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// What a log says of its own work.
@Suite struct LogActivityTests {
  /// Keeps what it is told.
  final class Recorder: StoreObserver {
    private let kept = Lock<[StoreEvent]>([])
    var events: [StoreEvent] { kept.withLock { kept in kept } }
    func observe(_ event: StoreEvent) { kept.withLock { kept in kept.append(event) } }
  }

  static func open(
    _ fileSystem: any FileSystem, _ observer: (any StoreObserver)? = nil
  ) throws(LogError) -> Log {
    var configuration = TestLog.configuration
    configuration.observer = observer
    configuration.timeSource = ManualTimeSource()
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  @Test("Commits, records and their bytes are counted exactly, and empty batches are not")
  func commitsAreCounted() throws {
    let log = try Self.open(InMemoryFileSystem())
    #expect(try log.statistics().activity == Self.fresh(try log.statistics().activity))
    var byteCount = 0
    for number in 0..<10 {
      let batch = log.makeBatch()
      for key in 0...number {
        try batch.put(
          TestLog.key(key), in: TestLog.people, schemaVersion: 0, payload: TestLog.payload(key))
      }
      byteCount += batch.byteCount
      try log.commit(batch)
    }
    try log.commit(log.makeBatch())
    let activity = try log.statistics().activity
    #expect(activity.commitCount == 10)
    #expect(activity.groupCount == 10)
    #expect(activity.recordCount == 55)
    #expect(activity.recordByteCount == UInt64(byteCount))
    #expect((activity.writeAmplification ?? 0) > 1)
  }

  /// What a log that has not committed anything may have done.
  private static func fresh(_ activity: LogActivity) -> LogActivity {
    var fresh = LogActivity()
    fresh.manifestByteCount = activity.manifestByteCount
    fresh.synchronizationCount = activity.synchronizationCount
    fresh.synchronizationNanoseconds = activity.synchronizationNanoseconds
    return fresh
  }

  @Test("Bytes and synchronizations are those that the file system saw")
  func writesAreThoseOfTheFileSystem() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.open(fileSystem)
    for number in 0..<40 { try TestLog.put(number * 10..<number * 10 + 10, log) }
    try log.sealActiveSegment()
    let activity = try log.statistics().activity
    let files = fileSystem.snapshotOfFiles(in: "/store")
    let segments = files.filter { $0.key.hasPrefix("segment-") }
    #expect(activity.sealCount == segments.count)
    // What was written is what lies there, but for zeros that sealing cut off again.
    let sizes = segments.values.reduce(0) { $0 + $1.count }
    #expect(activity.segmentByteCount >= UInt64(sizes))
    #expect(activity.footerByteCount > 0 && activity.footerByteCount < activity.segmentByteCount)
    #expect(activity.manifestByteCount > UInt64(files["MANIFEST"]?.count ?? 0))
    #expect(activity.otherByteCount == 0)
    #expect(activity.synchronizationCount > 40)
    // The clock of the test goes on by a microsecond with each reading.
    #expect(activity.synchronizationNanoseconds == 1000 * activity.synchronizationCount)
  }

  @Test("A compaction counts what it wrote, and says what it replaced")
  func compactionsAreCounted() throws {
    let recorder = Recorder()
    let log = try Self.open(InMemoryFileSystem(), recorder)
    for _ in 0..<4 { try TestLog.put(0..<100, log) }
    try log.sealActiveSegment()
    let inputs = try log.statistics().segments.map(\.identifier)
    let rewrite = try log.beginRewrite(of: Set(inputs))
    while let record = try rewrite.next() { try rewrite.keep(record) }
    try rewrite.publish()
    let statistics = try log.statistics()
    #expect(statistics.activity.compactionCount == 1)
    #expect(statistics.activity.compactionByteCount == statistics.byteCount)
    let compaction = recorder.events.compactMap { event -> Int? in
      if case .compacted(let count, 1, let before, let after) = event, before > after {
        return count
      }
      return nil
    }
    #expect(compaction == [inputs.count])
  }

  @Test("An observer is told of opening, commits, seals and closing, in their order")
  func aLifeIsTold() throws {
    let recorder = Recorder()
    let fileSystem = InMemoryFileSystem()
    let log = try Self.open(fileSystem, recorder)
    try TestLog.put(0..<3, log)
    try log.close()
    try log.close()
    let told = recorder.events.filter { if case .synchronized = $0 { false } else { true } }
    #expect(told.first == .opened(path: "/store", RecoveryReport()))
    #expect(told.last == .closed)
    try #require(told.count == 4)
    guard case .committed(1, 3, let byteCount) = told[1], byteCount > 0 else {
      Issue.record("the commit is \(told[1])")
      return
    }
    guard case .sealed = told[2] else {
      Issue.record("the seal is \(told[2])")
      return
    }
  }

  @Test("A crash, a full disk, a rebuilt index and a failed synchronization are told")
  func mishapsAreTold() throws {
    let recorder = Recorder()
    let fileSystem = SimulatedFileSystem()
    do {
      let log = try Self.open(fileSystem)
      try TestLog.put(0..<3, log)
    }
    let log = try Self.open(fileSystem, recorder)
    #expect(try log.statistics().recovery.replayedCommitCount == 1)
    try TestLog.put(3..<6, log)
    func fail(_ effect: FaultPlan.Effect, _ kind: OperationKind) {
      fileSystem.setFaults([FaultPlan(operation: 1, effect, isPermanent: true, kinds: [kind])])
    }
    fail(.fail(.noSpace), .write)
    #expect(throws: LogError.self) { try TestLog.put(6..<9, log) }
    fail(.failedSynchronization(.keptAndMarkedClean), .synchronize)
    #expect(throws: LogError.self) { try TestLog.put(6..<9, log) }
    #expect(throws: LogError.self) { try TestLog.put(6..<9, log) }
    var repairs = 0
    var fullDisks = 0
    var poisonings = 0
    for event in recorder.events {
      switch event {
      case .repaired: repairs += 1
      case .diskFull: fullDisks += 1
      case .poisoned: poisonings += 1
      default: break
      }
    }
    #expect(repairs == 1)
    #expect(fullDisks == 1)
    #expect(poisonings == 1)
  }

  @Test("Damage that a read meets is told with its place, and so is an index made anew")
  func damageIsTold() throws {
    let recorder = Recorder()
    let fileSystem = SimulatedFileSystem()
    let sealed = try CursorTests.makeSealed(fileSystem)
    let place = try CursorTests.place(ofPage: 2, fileSystem, sealed)
    fileSystem.flipBit(3, of: sealed.name, in: "/store", at: place + 30)
    let log = try Self.open(fileSystem, recorder)
    #expect(try TestLog.contents(log).count == 500)
    let rebuilt = recorder.events.filter { if case .footerRebuilt = $0 { true } else { false } }
    #expect(rebuilt.count == 1)
    #expect(try log.statistics().segments.count { $0.hasRebuiltIndex } == 1)
    fileSystem.flipBit(1, of: sealed.name, in: "/store", at: sealed.footer / 2)
    let again = try Self.open(
      SimulatedFileSystem(
        files: fileSystem.snapshotOfFiles(in: "/store"), in: "/store"), recorder)
    #expect(throws: LogError.self) { _ = try TestLog.contents(again) }
    let damages = recorder.events.compactMap { event -> String? in
      if case .damaged(let report) = event { report.file } else { nil }
    }
    #expect(damages.first == sealed.name)
  }
}
