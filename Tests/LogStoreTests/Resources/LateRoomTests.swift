import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Some file systems find out that there is no room when they synchronize. Of a file that no
/// manifest lists that is a full disk and nothing worse.
@Suite struct LateRoomTests {
  /// What synchronizes files that are not listed yet.
  enum Work: String, CaseIterable {
    case rewrite, largeTransaction, seal, repair

    var isLarge: Bool { self == .largeTransaction }
  }

  private static func open(
    _ fileSystem: any FileSystem, _ work: Work = .rewrite
  ) throws(LogError) -> Log {
    var configuration = TestLog.configuration
    configuration.timeSource = ManualTimeSource()
    configuration.randomSource = SeededRandomSource(seed: 5)
    if work.isLarge { configuration.transactionByteCountInMemory = 1 << 10 }
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  /// A store of 200 records, most of them sealed; for a repair one that was not closed.
  private static func prepared(
    _ work: Work
  ) throws -> (fileSystem: SimulatedFileSystem, log: Log) {
    var fileSystem = SimulatedFileSystem()
    var log = try open(fileSystem, work)
    try TestLog.put(0..<190, log)
    try log.sealActiveSegment()
    if work != .rewrite { try TestLog.put(190..<200, log) }
    if work == .repair {
      fileSystem = fileSystem.afterCrash(.processKill)
      log = try open(fileSystem, work)
    }
    return (fileSystem, log)
  }

  /// Does the work; returns the numbers of all that is stored when it succeeds.
  private static func perform(_ work: Work, _ log: Log) throws -> Range<Int> {
    switch work {
    case .rewrite:
      let segments = try log.statistics().segments.map(\.identifier)
      let rewrite = try log.beginRewrite(of: Set(segments))
      while try rewrite.carryOver() {}
      try rewrite.publish()
      return 0..<190
    case .largeTransaction:
      try log.transact { transaction in
        for number in 200..<300 {
          try transaction.put(
            TestLog.key(number), in: TestLog.people, schemaVersion: 0,
            payload: TestLog.payload(number))
        }
      }
      return 0..<300
    case .seal:
      try log.sealActiveSegment()
      return 0..<200
    case .repair:
      try TestLog.put([200], log)
      return 0..<201
    }
  }

  @Test(
    "P10, P11: no room for a file that nothing lists is a full disk, and ends no writing",
    arguments: Work.allCases, [SynchronizationFailure.keptAndMarkedClean, .reverted])
  func unlistedFiles(work: Work, model: SynchronizationFailure) throws {
    let (rehearsal, rehearsed) = try Self.prepared(work)
    let start = rehearsal.operationCount
    _ = try Self.perform(work, rehearsed)
    var paths: Set<String> = []
    for operation in start + 1...rehearsal.operationCount {
      let (fileSystem, log) = try Self.prepared(work)
      fileSystem.setFaults([
        // One file is tried a second time.
        FaultPlan(
          operation: operation, .failedSynchronization(model, .noSpace), isPermanent: true,
          occurrences: 2, kinds: [.synchronize])
      ])
      var stored = 0..<(work == .rewrite ? 190 : 200)
      var failure: (any Error)?
      do { stored = try Self.perform(work, log) } catch { failure = error }
      fileSystem.setFaults([])
      let listed = Set(
        log.pipeline.manifest.segments.map { StoreDirectory.segment($0.identifier).description })
      let names = fileSystem.firedFaultPaths.compactMap { path in
        path.split(separator: "/").last.map { String($0) }
      }
      if names.isEmpty || names.contains(where: listed.contains) { continue }
      paths.formUnion(names)
      if let failure {
        #expect((failure as? LogError)?.isDiskFull == true, "\(operation): \(failure)")
      }
      try TestLog.put([500], log)
      try TestLog.delete([0], log)
      var expected = TestLog.expected(stored)
      expected[TestLog.key(0)] = nil
      expected[TestLog.key(500)] = TestLog.payload(500)
      try TestLog.compare(log, expected)
      let point = fileSystem.crashPoint()
      for choice in point.choices(exhaustiveUnitCount: 3, randomCount: 4) {
        let crashed = try Self.open(point.afterCrash(choice), work)
        try TestLog.compare(crashed, expected)
      }
      try log.close()
      let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
      #expect(report.isIntact && report.notes.isEmpty)
    }
    print("\(work), \(model): no room for \(paths.sorted())")
    #expect(!paths.isEmpty)
  }

  @Test("P10: no room for what the manifest lists may have lost commits, and ends writing")
  func listedFiles() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.open(fileSystem)
    try TestLog.put(0..<10, log)
    fileSystem.setFaults([
      FaultPlan(
        operation: fileSystem.operationCount + 1,
        .failedSynchronization(.keptAndMarkedClean, .noSpace), isPermanent: true, occurrences: 1,
        kinds: [.synchronize])
    ])
    #expect(throws: LogError.self) { try TestLog.put([10], log) }
    #expect {
      try TestLog.put([11], log)
    } throws: { error in
      if case .poisoned = error as? LogError { true } else { false }
    }
  }
}
