import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Merging in the background: beside everything, and never in the way of closing.
@Suite(.serialized) struct IndexMaintenanceTests {
  private static func open(_ fileSystem: any FileSystem) throws(LogError) -> Log {
    var configuration = TestLog.configuration
    configuration.segmentByteCountMinimum = 1 << 10
    configuration.segmentByteCountMaximum = 1 << 10
    configuration.durability = .process
    configuration.maintenance = .background
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  /// Small commits, in sealed segments.
  private static func fill(_ log: Log, _ count: Int) throws {
    for start in stride(from: 0, to: count, by: 10) { try TestLog.put(start..<(start + 10), log) }
    try log.sealActiveSegment()
  }

  private static func sourceCount(_ log: Log) throws -> Int {
    try log.snapshot().view().beneath.sources.count
  }

  private static func pause(milliseconds: Int) {
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    while ContinuousClock.now < end {}
  }

  private static func wait(
    _ log: Log, for condition: (LogStatistics) throws -> Bool
  ) throws -> Bool {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(20)
    while clock.now < end {
      if try condition(try log.statistics()) { return true }
    }
    return false
  }

  @Test("An idle log ends with one index, or two, without being asked")
  func anIdleLogEndsWithFewIndexes() throws {
    let log = try Self.open(InMemoryFileSystem())
    try Self.fill(log, 600)
    let isDone = try Self.wait(log) { _ in try Self.sourceCount(log) <= 2 }
    let count = try Self.sourceCount(log)
    #expect(isDone, "\(count) indexes")
    #expect(try TestLog.contents(log) == TestLog.expected(0..<600))
    try log.close()
  }

  @Test("What rewrites left is merged soon after a hurry, without a commit")
  func rewrittenIndexesAreMergedSoon() throws {
    let log = try Self.open(InMemoryFileSystem())
    try Self.fill(log, 600)
    #expect(try Self.wait(log) { _ in try Self.sourceCount(log) <= 2 })
    // So long that nobody looks any more.
    Self.pause(milliseconds: 600)
    let sealed = try log.statistics().segments.map(\.identifier)
    for start in stride(from: 0, to: sealed.count, by: max(1, sealed.count / 6)) {
      let rewrite = try log.beginRewrite(
        of: Set(sealed[start..<min(start + max(1, sealed.count / 6), sealed.count)]))
      while try rewrite.carryOver(atMost: 100) {}
      try rewrite.publish()
    }
    #expect(try Self.sourceCount(log) > 2)
    try log.hurrying {}
    #expect(try Self.wait(log) { _ in try Self.sourceCount(log) <= 2 })
    #expect(try TestLog.contents(log) == TestLog.expected(0..<600))
    try log.close()
  }

  /// Rewrites each of `segments` by itself.
  private static func rewriteEach(_ segments: [SegmentIdentifier], _ log: Log) throws(LogError) {
    for segment in segments {
      let rewrite = try log.beginRewrite(of: [segment], effort: .quick)
      while try rewrite.carryOver(atMost: 100) {}
      try rewrite.publish()
    }
  }

  @Test("A log in which somebody rewrites in a hurry is not idle; with many indexes it merges")
  func hurryingPostponesIdleMerges() throws {
    let log = try Self.open(InMemoryFileSystem())
    try Self.fill(log, 1800)
    #expect(try Self.wait(log) { _ in try Self.sourceCount(log) <= 2 })
    let sealed = try log.statistics().segments.map(\.identifier)
    #expect(sealed.count > 80)
    let end = ContinuousClock.now + .seconds(20)
    let (before, after) = try log.hurrying { () throws(LogError) in
      // The thread that merges has something to look at.
      try TestLog.put(1800..<1810, log)
      try log.sealActiveSegment()
      // On a busy machine the thread may be late, and would merge what the rewrites leave besides.
      while !log.pipeline.maintenance.hasLooked, ContinuousClock.now < end {}
      try Self.rewriteEach(Array(sealed.prefix(20)), log)
      let before = try log.statistics().activity.mergeCount
      Self.pause(milliseconds: 600)
      let after = try log.statistics().activity.mergeCount
      try Self.rewriteEach(Array(sealed.dropFirst(20)), log)
      // So many that they are merged all the same.
      while try log.statistics().activity.mergeCount == after, ContinuousClock.now < end {}
      return (before, after)
    }
    #expect(before == after)
    #expect(ContinuousClock.now < end)
    #expect(try Self.wait(log) { _ in try Self.sourceCount(log) <= 2 })
    #expect(try TestLog.contents(log) == TestLog.expected(0..<1810))
    try log.close()
  }

  @Test("Indexes that were left side by side are merged soon after the first commit, not before")
  func leftIndexesAreMerged() throws {
    let fileSystem = InMemoryFileSystem()
    var configuration = TestLog.configuration
    configuration.segmentByteCountMinimum = 1 << 10
    configuration.segmentByteCountMaximum = 1 << 10
    configuration.maintenance = .none
    let first = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    for start in stride(from: 0, to: 600, by: 10) { try TestLog.put(start..<(start + 10), first) }
    try first.close()
    let log = try Self.open(fileSystem)
    let before = try Self.sourceCount(log)
    #expect(before > 16)
    Self.pause(milliseconds: 400)
    #expect(try Self.sourceCount(log) == before)
    try TestLog.put([600], log)
    #expect(try Self.wait(log) { _ in try Self.sourceCount(log) <= 2 })
    #expect(try TestLog.contents(log) == TestLog.expected(0...600))
    try log.close()
  }

  @Test("A log is closed in the middle of a hurry")
  func closedInAHurry() throws {
    let log = try Self.open(InMemoryFileSystem())
    try log.hurrying { () throws(LogError) in
      try TestLog.put(0..<200, log)
      try log.sealActiveSegment()
      try log.close()
    }
  }

  @Test("A log that is let go or closed in the middle of merging gives its lock back at once")
  func lettingGoEndsMerging() throws {
    let fileSystem = InMemoryFileSystem()
    for round in 0..<30 {
      let log = try Self.open(fileSystem)
      for start in stride(from: 0, to: 100, by: 10) { try TestLog.put(start..<(start + 10), log) }
      if round % 2 == 0 { try log.close() }
    }
    let log = try Self.open(fileSystem)
    #expect(try TestLog.contents(log) == TestLog.expected(0..<100))
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test(
    "Merges on demand, merges in the background, compactions and commits do not disturb another")
  func everythingAtOnce() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try Self.open(fileSystem)
    let failures = Threads.run(5) { number in
      for round in 0..<40 {
        switch number {
        case 0, 1:
          let start = (round * 2 + number) * 10
          try TestLog.put(start..<(start + 10), log)
        case 2: try log.mergeIndexes()
        case 3:
          let sealed = try log.statistics().segments.filter { !$0.isActive }
          let rewrite = try log.beginRewrite(of: Set(sealed.prefix(3).map(\.identifier)))
          while let record = try rewrite.next() { try rewrite.keep(record) }
          try rewrite.publish()
        default:
          let contents = try TestLog.contents(log)
          for (key, payload) in contents {
            guard try log.snapshot().record(for: key, in: TestLog.people)?.payload == payload
            else { throw CaseFailure("a key of the walk is not found") }
          }
        }
      }
    }
    #expect(failures.isEmpty, "\(failures)")
    try log.mergeIndexes()
    #expect(try TestLog.contents(log) == TestLog.expected(0..<800))
    try log.close()
    let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
    #expect(report.isIntact && report.notes.isEmpty, "\(report)")
  }

  @Test("Each of several threads that merge at once finds all merged when it returns")
  func mergedForEach() throws {
    var configuration = TestLog.configuration
    configuration.segmentByteCountMinimum = 1 << 10
    configuration.segmentByteCountMaximum = 1 << 10
    configuration.durability = .process
    configuration.maintenance = .none
    for round in 0..<5 {
      let log = try Log.open(
        at: "/store", configuration: configuration, fileSystem: InMemoryFileSystem())
      for start in stride(from: 0, to: 30_000, by: 100) {
        try TestLog.put(start..<(start + 100), log)
      }
      try log.sealActiveSegment()
      let failures = Threads.run(4) { _ in
        try log.mergeIndexes()
        let count = try Self.sourceCount(log)
        if count != 1 { throw CaseFailure("\(count) indexes are left") }
      }
      #expect(failures.isEmpty, "round \(round): \(failures)")
      try log.close()
    }
  }

  @Test("A closed log merges no more")
  func aClosedLogMergesNoMore() throws {
    let log = try Self.open(InMemoryFileSystem())
    try TestLog.put(0..<100, log)
    try log.close()
    #expect(throws: LogError.closed) { try log.mergeIndexes() }
  }
}
