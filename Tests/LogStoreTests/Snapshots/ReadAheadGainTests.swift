import BinaryCoding
import FileIO
import Foundation
import StorageTestSupport
import Testing

@testable import LogStore

/// When records of a long walk are read ahead, and when no more.
@Suite struct ReadAheadGainTests {
  @Test("Where reading ahead is no gain it ends, and is tried again later, or where a cursor moves")
  func givesUp() throws {
    let log = try TestLog.openWithLargeSegments()
    try TestLog.put(0..<20_000, log)
    let cursor = try LongWalk.ahead(log, isWaiting: true)
    /// Whether records are read ahead when `count` more were walked.
    func isReadAhead(after count: Int) throws -> Bool {
      for _ in 0..<count { _ = try cursor.next() }
      return cursor.isReadAhead
    }
    /// Walks until no more are, and returns how many were.
    func aheadCount() throws -> Int {
      var count = 1
      while try isReadAhead(after: 1) { count += 1 }
      return count
    }
    // How many depends on who reads the portions, four and one or two before them.
    let expected = 5 * ReadAhead.fewCount...5 * (ReadAhead.fewCount + WalkedRecords.countMaximum)
    for aloneCount in [LongWalk.aloneCount, LongWalk.aloneCount * RecordCursor.patienceFactor] {
      let found = try [aloneCount, 1].map(isReadAhead)
      let count = try aheadCount()
      #expect(found == [false, true] && expected.contains(count), "\(count) were read ahead")
    }
    try cursor.seek(to: TestLog.key(0))
    let foundThere = try [LongWalk.aloneCount, 1].map(isReadAhead)
    #expect(foundThere == [false, true])

    let other = try LongWalk.ahead(log)
    for _ in 0..<19_999 { _ = try other.next() }
    let isAhead = other.isReadAhead
    #expect(isAhead)
  }

  @Test(
    "A thread that has no processor is not waited for, and given up after a while",
    .timeLimit(.minutes(5)))
  func doesNotWaitForAThread() throws {
    let log = try TestLog.openWithLargeSegments()
    try TestLog.put(0..<15_000, log)
    let worker = SerialWorker()
    let gate = WorkerGate(worker)
    let cursor = RecordCursor(
      try LongWalk.walk(log), readingAheadFrom: LongWalk.pool { worker })
    var (keys, aheadCount) = ([[UInt8]](), 0)
    while let key = try cursor.next()?.key {
      keys.append(key)
      aheadCount += cursor.isReadAhead ? 1 : 0
    }
    #expect(keys == (0..<15_000).map(TestLog.key))
    // Of each portion a few are read; the first says nothing.
    #expect(aheadCount == ReadAhead.fewCount + ReadAhead.ownRecordCountMaximum)
    gate.open()
    worker.waitUntilIdle()
  }

  @Test("P13: no more walks are read ahead than a pool has workers, which go to the next")
  func poolsAreBounded() throws {
    let log = try TestLog.openWithLargeSegments()
    try TestLog.put(0..<3000, log)
    let pool = LongWalk.pool(walkCount: 2)
    func walked() throws -> RecordCursor {
      let cursor = RecordCursor(try LongWalk.walk(log), readingAheadFrom: pool)
      for _ in 0...LongWalk.aloneCount { _ = try cursor.next() }
      return cursor
    }
    var cursors = try (0..<4).map { _ in try walked() }
    #expect(cursors.map(\.isReadAhead) == [true, true, false, false])
    // Who is refused asks again soon, though nobody can say whether it would be a gain.
    cursors[1] = cursors[3]
    for _ in 0...LongWalk.aloneCount { _ = try cursors[2].next() }
    let isThirdAhead = cursors[2].isReadAhead
    #expect(isThirdAhead)
    cursors[2] = cursors[1]
    try cursors[0].seek(to: TestLog.key(0))
    let isNextAhead = try walked().isReadAhead
    cursors.removeAll()
    let isLastAhead = try walked().isReadAhead
    #expect(isNextAhead && isLastAhead)
  }

  @Test("Nobody reads ahead of a transaction, or where a log has no threads")
  func isReadAloneWhereItMustBe() throws {
    for maintenance in [LogConfiguration.Maintenance.background, .inline, .none] {
      var configuration = TestLog.configuration
      configuration.segmentByteCountMinimum = 1 << 20
      configuration.maintenance = maintenance
      let log = try Log.open(
        at: "/store", configuration: configuration, fileSystem: InMemoryFileSystem())
      try TestLog.put(0..<6000, log)
      let cursor = try log.snapshot().records(in: TestLog.people)
      for _ in 0..<4097 { _ = try cursor.next() }
      let isAhead = cursor.isReadAhead
      #expect(isAhead == (maintenance == .background && Processors.count > 1))
      try log.transact { transaction in
        let cursor = try transaction.records(in: TestLog.people)
        for _ in 0..<5999 { _ = try cursor.next() }
        let isAhead = cursor.isReadAhead
        #expect(!isAhead)
      }
      try log.close()
    }
  }

  @Test("P13: one large record does not keep its memory, and ends reading ahead")
  func givesMemoryBack() throws {
    let log = try TestLog.openWithLargeSegments()
    try TestLog.put(1..<5000, log)
    try log.put(
      TestLog.key(0), in: TestLog.people, schemaVersion: 0,
      payload: [UInt8](repeating: 7, count: 8 << 20))
    let (walk, records) = (try LongWalk.walk(log), WalkedRecords())
    records.fill(from: walk, limit: WalkedRecords.countMaximum)
    let (sizes, isFirstOversized) = (records.records.map(\.payload.count), records.isOversized)
    #expect(sizes == [8 << 20] && isFirstOversized)
    records.fill(from: walk, limit: WalkedRecords.countMaximum)
    let (count, isOversized) = (records.records.count, records.isOversized)
    #expect(count == WalkedRecords.countMaximum && !isOversized)
    let byteCount = records.allocatedByteCount
    #expect(byteCount < 1 << 20)
    records.stop()
    records.fill(from: walk, limit: WalkedRecords.countMaximum)
    let isEmpty = records.records.isEmpty
    #expect(isEmpty)

    let cursor = try LongWalk.ahead(log, .all, .descending)
    var aheadCount = 0
    while try cursor.next() != nil { aheadCount += cursor.isReadAhead ? 1 : 0 }
    let isAhead = cursor.isReadAhead
    #expect(aheadCount > 4000 && !isAhead)
  }

  @Test("Whether it is a gain says the system's clock, not that of the application")
  func asksTheClockOfTheSystem() {
    var configuration = LogConfiguration()
    configuration.timeSource = ManualTimeSource()
    let pool = SnapshotRegister(configuration).readAheadPool
    let (isThere, isOfSystem) = (pool != nil, pool?.timeSource is SystemTimeSource)
    #expect(isThere == (Processors.count > 1) && isOfSystem == isThere)
  }

  @Test(
    "Runs of deleted keys do not say that reading ahead is no gain", arguments: [false, true])
  func deletedKeysSayNothing(isHeld: Bool) throws {
    let log = try TestLog.openWithLargeSegments()
    let deleted = 3500..<(3500 + 9 * WalkedRecords.deletedCountMaximum)
    try TestLog.put(0..<(deleted.upperBound + 1000), log)
    try TestLog.delete(deleted, log)
    let (worker, clock) = (SerialWorker(), WalkClock(waiting: 1000, using: 0))
    let gate = isHeld ? WorkerGate(worker) : nil
    let pool = LongWalk.pool(clock) { worker }
    let cursor = RecordCursor(try LongWalk.walk(log), readingAheadFrom: pool)
    for number in 0..<4499 {
      _ = try cursor.next()
      clock.pass(100)
      let isAhead = cursor.isReadAhead
      if isAhead != (number >= LongWalk.aloneCount) { throw CaseFailure("at \(number)") }
    }
    gate?.open()
    worker.waitUntilIdle()
  }

  @Test("Large records end reading ahead by what they have, not by what lies before them")
  func largeRecordsAreCounted() throws {
    let log = try TestLog.openWithLargeSegments()
    try TestLog.put(0..<4000, log)
    func put(_ number: Int, _ byteCount: Int) throws {
      try log.put(
        TestLog.key(number), in: TestLog.people, schemaVersion: 0,
        payload: [UInt8](repeating: 7, count: byteCount))
    }
    try put(1500, 200 << 10)
    try put(2500, 100 << 10)
    try put(2501, 250 << 10)
    let largest = WalkedRecords.recordByteCountMaximum
    try put(3000, largest - 8)
    try put(3500, largest - 7)
    let cursor = try LongWalk.ahead(log)
    for _ in 0..<3501 { _ = try cursor.next() }
    let isAhead = cursor.isReadAhead
    _ = try cursor.next()
    let isStillAhead = cursor.isReadAhead
    #expect(isAhead && !isStillAhead)
  }

  @Test("P5: from a slow disk nobody waits for a whole portion, whoever reads it")
  func portionsEndWhereTheyTakeLong() throws {
    let (isSlow, readCount) = (Lock(false), Lock(0))
    let fileSystem = ObservedFileSystem(InMemoryFileSystem()) { call in
      guard call == .read, isSlow.withLock({ $0 }) else { return }
      readCount.withLock { $0 += 1 }
      Thread.sleep(forTimeInterval: 0.0003)
    }
    var configuration = TestLog.configuration
    configuration.segmentByteCountMinimum = 4 << 20
    configuration.readMode = .buffered
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    try TestLog.put(0..<2500, log)
    let cursor = try LongWalk.ahead(log)
    for _ in 0..<LongWalk.aloneCount { _ = try cursor.next() }
    isSlow.withLock { $0 = true }
    var (keys, aheadCount, most, before) = ([[UInt8]](), 0, 0, 0)
    while let key = try cursor.next()?.key {
      keys.append(key)
      aheadCount += cursor.isReadAhead ? 1 : 0
      let now = readCount.withLock { $0 }
      (most, before) = (max(most, now - before), now)
    }
    #expect(keys == (LongWalk.aloneCount..<2500).map(TestLog.key))
    #expect(aheadCount > 1000 && most < WalkedRecords.countMaximum / 4, "\(most) were read")
  }
}
