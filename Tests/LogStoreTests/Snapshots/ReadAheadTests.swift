import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Long walks of which another thread reads records ahead, compared with those that nobody helps.
@Suite struct ReadAheadTests {
  /// How many records cursors of these tests walk alone.
  private static let aloneCount = 512

  /// A clock by which portions of records are waited for, or used, a hundred times as long as the
  /// other: it is read in pairs, when one is needed and when it is there.
  private final class LopsidedTimeSource: TimeSource {
    private let state = Lock((isNeeded: true, now: UInt64(0)))
    private let isWaiting: Bool

    init(isWaiting: Bool) { self.isWaiting = isWaiting }

    func secondsSince1970() -> UInt64 { 0 }

    func monotonicNanoseconds() -> UInt64 {
      state.withLock { state in
        // What passes before a portion is needed is the use of the one before it.
        state.now += state.isNeeded == isWaiting ? 1000 : 100_000
        state.isNeeded.toggle()
        return state.now
      }
    }
  }

  private static func pool(
    isWaiting: Bool = false, walkCount: Int = 1,
    makeWorker: @escaping @Sendable () -> SerialWorker = { SerialWorker() }
  ) -> ReadAheadPool {
    ReadAheadPool(
      aloneCount: aloneCount, timeSource: LopsidedTimeSource(isWaiting: isWaiting),
      walkCount: walkCount, makeWorker: makeWorker)
  }

  private static func walk(
    _ log: Log, _ keys: KeyRange = .all, _ order: KeyOrder = .ascending
  ) throws -> RecordWalk {
    try RecordWalk(
      view: log.snapshot().view(), overlay: nil, collection: TestLog.people, keys: keys,
      order: order)
  }

  private static func ahead(
    _ log: Log, _ keys: KeyRange = .all, _ order: KeyOrder = .ascending, isWaiting: Bool = false
  ) throws -> RecordCursor {
    RecordCursor(try walk(log, keys, order), readingAheadFrom: pool(isWaiting: isWaiting))
  }

  /// Records of all sizes, some in several segments, some deleted, and what is left of them.
  private static func make(
    _ seed: UInt64, largest: Int, count: Int = 6000
  ) throws -> (log: Log, model: WalkModel) {
    var random = SeededGenerator(seed: seed)
    var configuration = TestLog.configuration
    configuration.segmentByteCountMinimum = 256 << 10
    configuration.segmentByteCountMaximum = 256 << 10
    configuration.durability = .process
    let log = try Log.open(
      at: "/store", configuration: configuration, fileSystem: InMemoryFileSystem())
    var model = WalkModel()
    for _ in 0..<4 {
      let batch = log.makeBatch()
      for _ in 0..<count {
        let key = TestLog.key(Int.random(in: 0..<count, using: &random))
        if Int.random(in: 0..<10, using: &random) == 0 {
          model.payloads[key] = nil
          try batch.delete(key, in: TestLog.people)
        } else {
          let isLarge = Int.random(in: 0..<2000, using: &random) == 0
          let size = Int.random(in: 0...(isLarge ? largest : 60), using: &random)
          let payload = [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: size)
          model.payloads[key] = payload
          try batch.put(key, in: TestLog.people, schemaVersion: 0, payload: payload)
        }
      }
      try log.commit(batch)
    }
    return (log, model)
  }

  @Test(
    "P5: a walk gives the same records when they are read ahead", arguments: 0..<4 as Range<UInt64>)
  func givesTheSame(seed: UInt64) throws {
    let (log, model) = try Self.make(seed, largest: 2 << 20)
    let ranges = [
      KeyRange.all, KeyRange(from: .including(TestLog.key(700)), to: .excluding(TestLog.key(5100))),
      KeyRange(from: .excluding(TestLog.key(5500))), KeyRange(to: .including(TestLog.key(600))),
    ]
    for keys in ranges {
      for order in KeyOrder.allCases {
        for isWaiting in [false, true] {
          let cursor = try Self.ahead(log, keys, order, isWaiting: isWaiting)
          let found = try WalkModel.rest(of: cursor)
          #expect(found == model.records(keys, order), "seed \(seed), \(keys) \(order)")
          let next = try cursor.next()?.key
          #expect(next == nil)
        }
      }
    }
  }

  @Test(
    "P5: a cursor that moves finds what is there, whoever reads ahead",
    arguments: KeyOrder.allCases)
  func seeksAnywhere(order: KeyOrder) throws {
    let (log, model) = try Self.make(11, largest: 300 << 10)
    var random = SeededGenerator(seed: 12)
    let cursor = try Self.ahead(log, .all, order)
    var (aheadCount, left) = (0, model.records(.all, order)[...])
    for _ in 0..<150 {
      for _ in 0..<Int.random(in: 0..<2000, using: &random) {
        let found = try cursor.next().map {
          WalkModel.Found(key: $0.key, payload: $0.record.payload)
        }
        guard found == left.popFirst() else { throw CaseFailure("\(found.debugDescription)") }
      }
      aheadCount += cursor.isReadAhead ? 1 : 0
      let key = TestLog.key(Int.random(in: 0..<6000, using: &random))
      try cursor.seek(to: key)
      let isStillAhead = cursor.isReadAhead
      #expect(!isStillAhead)
      left = model.records(.all, order, seeking: key)[...]
    }
    #expect(aheadCount > 50)
  }

  @Test("P6: what cannot be read is thrown in its place, once, and hides nothing else")
  func errorsComeInTheirPlace() throws {
    let fileSystem = SimulatedFileSystem()
    let sealed = try CursorTests.makeSealed(fileSystem, count: 12_000)
    for eighth in [2, 3, 7] {
      fileSystem.flipBit(1, of: sealed.name, in: "/store", at: sealed.footer * eighth / 8)
    }
    let log = try TestLog.open(fileSystem)
    func outcomes(_ cursor: RecordCursor) throws -> [String] {
      var outcomes: [String] = []
      while outcomes.count < 20_000 {
        do throws(LogError) {
          guard let next = try cursor.next() else { return outcomes }
          outcomes.append("\(next.key) \(next.record.payload.count)")
        } catch { outcomes.append("\(error)") }
      }
      throw CaseFailure("the walk does not end")
    }
    let alone = try outcomes(RecordCursor(try Self.walk(log)))
    #expect(alone.count == 12_000 && Set(alone).count == 12_000)
    let cursor = try Self.ahead(log)
    for _ in 0...Self.aloneCount { _ = try cursor.next() }
    let (isAhead, found) = (cursor.isReadAhead, try outcomes(try Self.ahead(log)))
    #expect(isAhead && found == alone)
  }

  @Test("P13: a cursor that goes away pins nothing, whatever is read ahead")
  func letsGo() throws {
    let log = try TestLog.openWithLargeSegments()
    try TestLog.put(0..<20_000, log)
    for round in 0..<50 {
      var walk: RecordWalk? = try Self.walk(log)
      weak let pinned = walk
      var cursor = walk.map { RecordCursor($0, readingAheadFrom: Self.pool()) }
      walk = nil
      for _ in 0..<(Self.aloneCount + 1 + 100 * round) { _ = try cursor?.next() }
      let (isAhead, isPinned) = (cursor?.isReadAhead, pinned != nil)
      #expect(isAhead == true && isPinned)
      cursor = nil
      let isLetGo = pinned == nil
      #expect(isLetGo, "round \(round)")
    }
  }

  @Test("Where reading ahead is no gain it ends, and is tried again later")
  func givesUp() throws {
    let log = try TestLog.openWithLargeSegments()
    try TestLog.put(0..<20_000, log)
    let largest = WalkedRecords.countMaximum
    let aheadCount = largest / 8 + largest / 2 + 3 * largest
    let cursor = try Self.ahead(log, isWaiting: true)
    /// Whether records are read ahead when `count` more were walked.
    func isReadAhead(after count: Int) throws -> Bool {
      for _ in 0..<count { _ = try cursor.next() }
      return cursor.isReadAhead
    }
    let aloneCounts = [1, RecordCursor.patienceFactor].map { $0 * Self.aloneCount }
    let found = try [aloneCounts[0], 1, aheadCount - 1, 1, aloneCounts[1], 1].map(isReadAhead)
    #expect(found == [false, true, true, false, false, true])

    let other = try Self.ahead(log)
    for _ in 0..<19_999 { _ = try other.next() }
    let isAhead = other.isReadAhead
    #expect(isAhead)
  }

  @Test(
    "A thread that has no processor is not waited for, and given up after a while",
    .timeLimit(.minutes(1)))
  func doesNotWaitForAThread() throws {
    let log = try TestLog.openWithLargeSegments()
    try TestLog.put(0..<15_000, log)
    let worker = SerialWorker()
    let gate = WorkerGate(worker)
    let cursor = RecordCursor(
      try Self.walk(log), readingAheadFrom: Self.pool { worker })
    var (keys, aheadCount) = ([[UInt8]](), 0)
    while let key = try cursor.next()?.key {
      keys.append(key)
      aheadCount += cursor.isReadAhead ? 1 : 0
    }
    #expect(keys == (0..<15_000).map(TestLog.key))
    let portions = [64, 256] + [Int](repeating: 512, count: ReadAhead.ownCountMaximum - 2)
    #expect(aheadCount == portions.reduce(0, +))
    gate.open()
    worker.waitUntilIdle()
  }

  @Test("P13: no more walks are read ahead than a pool has workers, which go to the next")
  func poolsAreBounded() throws {
    let log = try TestLog.openWithLargeSegments()
    try TestLog.put(0..<3000, log)
    let pool = Self.pool(walkCount: 2)
    func walked() throws -> RecordCursor {
      let cursor = RecordCursor(try Self.walk(log), readingAheadFrom: pool)
      for _ in 0...Self.aloneCount { _ = try cursor.next() }
      return cursor
    }
    var cursors = try (0..<4).map { _ in try walked() }
    #expect(cursors.map(\.isReadAhead) == [true, true, false, false])
    try cursors[0].seek(to: TestLog.key(0))
    let isNextAhead = try walked().isReadAhead
    cursors.removeAll()
    let isLastAhead = try walked().isReadAhead
    #expect(isNextAhead && isLastAhead)
  }

  @Test(
    "P5: records before many deleted keys come at once, and nobody waits for what lies behind",
    arguments: [false, true])
  func deletedKeysEndAPortion(isStopped: Bool) throws {
    let log = try TestLog.openWithLargeSegments()
    let deleted = 600..<(600 + 3 * WalkedRecords.deletedCountMaximum)
    try TestLog.put(0..<(deleted.upperBound + 100), log)
    try TestLog.delete(deleted, log)
    let (walk, records) = (try Self.walk(log), WalkedRecords())
    records.fill(from: walk, limit: 500)
    if isStopped { records.stop() }
    var counts: [Int] = []
    for _ in 0..<5 {
      records.fill(from: walk, limit: WalkedRecords.countMaximum)
      counts.append(records.records.count)
      guard case .more = records.end else { break }
    }
    #expect(counts == (isStopped ? [0, 0, 0, 0, 0] : [100, 0, 0, 100]))

    let keys = try WalkModel.rest(of: try Self.ahead(log)).map(\.key)
    let live = Array(0..<600) + Array(deleted.upperBound..<(deleted.upperBound + 100))
    #expect(keys == live.map(TestLog.key))
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
    let (walk, records) = (try Self.walk(log), WalkedRecords())
    records.fill(from: walk, limit: WalkedRecords.countMaximum)
    let sizes = records.records.map(\.payload.count)
    #expect(sizes == [8 << 20])
    records.fill(from: walk, limit: WalkedRecords.countMaximum)
    let (count, isOversized) = (records.records.count, records.isOversized)
    #expect(count == WalkedRecords.countMaximum && !isOversized)
    records.stop()
    records.fill(from: walk, limit: WalkedRecords.countMaximum)
    let isEmpty = records.records.isEmpty
    #expect(isEmpty)

    let cursor = try Self.ahead(log, .all, .descending)
    var aheadCount = 0
    while try cursor.next() != nil { aheadCount += cursor.isReadAhead ? 1 : 0 }
    let isAhead = cursor.isReadAhead
    #expect(aheadCount > 4000 && !isAhead)
  }

  @Test("P5: walks of several threads see their snapshots while others write")
  func threadsWalkWhileOthersWrite() throws {
    var configuration = LogConfiguration()
    configuration.durability = .process
    configuration.segmentByteCountMinimum = 64 << 10
    configuration.segmentByteCountMaximum = 64 << 10
    let log = try Log.open(
      at: "/store", configuration: configuration, fileSystem: InMemoryFileSystem())
    let keys = 0..<5000
    @Sendable func put(_ value: Int) throws {
      let batch = log.makeBatch()
      for number in keys {
        try batch.put(
          TestLog.key(number), in: TestLog.people, schemaVersion: 0,
          payload: TestLog.payload(value))
      }
      try log.commit(batch)
    }
    try put(0)
    let failures = Threads.run(4) { thread in
      for round in 0..<10 {
        if thread == 0 {
          try put(round)
          continue
        }
        let cursor = try Self.ahead(log)
        var (count, payloads) = (0, Set<[UInt8]>())
        while let (key, record) = try cursor.next() {
          if key != TestLog.key(count) { throw CaseFailure("\(key) is number \(count)") }
          count += 1
          payloads.insert(record.payload)
        }
        if count != 5000 || payloads.count != 1 {
          throw CaseFailure("\(count) records, of \(payloads.count) commits")
        }
      }
    }
    #expect(failures.isEmpty, "\(failures)")
    try log.close()
  }
}
