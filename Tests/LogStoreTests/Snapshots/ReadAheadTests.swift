import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Long walks of which another thread reads records ahead, compared with those that nobody helps.
@Suite struct ReadAheadTests {
  /// Records of all sizes, some in several segments, some deleted, and what is left of them.
  private static func make(
    _ seed: UInt64, largest: Int, count: Int = 6000,
    readMode: LogConfiguration.ReadMode = .mapped
  ) throws -> (log: Log, model: WalkModel) {
    var random = SeededGenerator(seed: seed)
    var configuration = TestLog.configuration
    configuration.segmentByteCountMinimum = 256 << 10
    configuration.segmentByteCountMaximum = 256 << 10
    configuration.durability = .process
    configuration.readMode = readMode
    let time = ManualTimeSource()
    configuration.timeSource = time
    let log = try Log.open(
      at: "/store", configuration: configuration, fileSystem: InMemoryFileSystem())
    var model = WalkModel()
    for second in 1..<5 as Range<UInt64> {
      time.set(secondsSince1970: second)
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
          try batch.put(
            key, in: TestLog.people, schemaVersion: .random(in: 5...300, using: &random),
            payload: payload)
        }
      }
      try log.commit(batch)
    }
    return (log, model)
  }

  @Test(
    "P5: a walk gives the same records when they are read ahead", arguments: 0..<4 as Range<UInt64>,
    [LogConfiguration.ReadMode.mapped, .buffered])
  func givesTheSame(seed: UInt64, readMode: LogConfiguration.ReadMode) throws {
    let (log, model) = try Self.make(seed, largest: 2 << 20, readMode: readMode)
    let ranges = [
      KeyRange.all, KeyRange(from: .including(TestLog.key(700)), to: .excluding(TestLog.key(5100))),
      KeyRange(from: .excluding(TestLog.key(5500))), KeyRange(to: .including(TestLog.key(600))),
    ]
    for keys in ranges {
      for order in KeyOrder.allCases {
        let alone = try WalkModel.wholeRest(of: RecordCursor(try LongWalk.walk(log, keys, order)))
        let isRight = alone.map(WalkModel.Found.init) == model.records(keys, order)
        #expect(isRight, "seed \(seed), \(keys) \(order)")
        for isWaiting in [false, true] {
          let cursor = try LongWalk.ahead(log, keys, order, isWaiting: isWaiting)
          let isSame = try WalkModel.wholeRest(of: cursor) == alone
          #expect(isSame, "seed \(seed), \(keys) \(order)")
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
    let cursor = try LongWalk.ahead(log, .all, order)
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

  /// What a cursor gives, and throws, until it is over.
  private static func outcomes(_ cursor: RecordCursor) throws -> [String] {
    var outcomes: [String] = []
    while outcomes.count < 20_000 {
      do throws(LogError) {
        guard let next = try cursor.next() else { return outcomes }
        outcomes.append("\(next.key) \(next.record.payload.count)")
      } catch .fileIO(let error) {
        outcomes.append("fileIO: \(error)")
      } catch { outcomes.append("\(error)") }
    }
    throw CaseFailure("the walk does not end")
  }

  @Test("P6: what cannot be read is thrown in its place, once, and hides nothing else")
  func errorsComeInTheirPlace() throws {
    let fileSystem = SimulatedFileSystem()
    let sealed = try CursorTests.makeSealed(fileSystem, count: 12_000)
    for eighth in [2, 3, 7] {
      fileSystem.flipBit(1, of: sealed.name, in: "/store", at: sealed.footer * eighth / 8)
    }
    let log = try TestLog.open(fileSystem)
    let alone = try Self.outcomes(RecordCursor(try LongWalk.walk(log)))
    #expect(alone.count == 12_000 && Set(alone).count == 12_000)
    let cursor = try LongWalk.ahead(log)
    for _ in 0...LongWalk.aloneCount { _ = try cursor.next() }
    let (isAhead, found) = (cursor.isReadAhead, try Self.outcomes(try LongWalk.ahead(log)))
    #expect(isAhead && found == alone)
  }

  @Test(
    "P9: what the disk refuses is thrown in its place, and the walk goes on or is over as without",
    arguments: [300, 700, 1100, 2000, 2900])
  func errorsOfTheDiskComeInTheirPlace(place: Int) throws {
    let fileSystem = SimulatedFileSystem()
    _ = try CursorTests.makeSealed(fileSystem, count: 3000)
    func outcomes(_ pool: ReadAheadPool?) throws -> [String] {
      let log = try TestLog.open(fileSystem, readMode: .buffered)
      let cursor = RecordCursor(try LongWalk.walk(log), readingAheadFrom: pool)
      fileSystem.setFaults([
        FaultPlan(
          operation: fileSystem.operationCount + place, .fail(.ioError), isPermanent: true,
          occurrences: 3, kinds: [.read])
      ])
      let found = try Self.outcomes(cursor)
      fileSystem.setFaults([])
      try log.close()
      return found
    }
    let alone = try outcomes(nil)
    let errors = alone.indices.filter { alone[$0].hasPrefix("fileIO") }
    #expect(errors.count == 3 && errors.allSatisfy { (place - 50...place + 50).contains($0) })
    let isSame = try outcomes(LongWalk.pool()) == alone
    #expect(isSame)
  }

  @Test("P13: a cursor that goes away pins nothing, whatever is read ahead")
  func letsGo() throws {
    let log = try TestLog.openWithLargeSegments()
    try TestLog.put(0..<20_000, log)
    for round in 0..<50 {
      var walk: RecordWalk? = try LongWalk.walk(log)
      weak let pinned = walk
      var cursor = walk.map { RecordCursor($0, readingAheadFrom: LongWalk.pool()) }
      walk = nil
      for _ in 0..<(LongWalk.aloneCount + 1 + 100 * round) { _ = try cursor?.next() }
      let (isAhead, isPinned) = (cursor?.isReadAhead, pinned != nil)
      #expect(isAhead == true && isPinned)
      cursor = nil
      let isLetGo = pinned == nil
      #expect(isLetGo, "round \(round)")
    }
  }

  @Test(
    "P5: records before many deleted keys come at once, and nobody waits for what lies behind",
    arguments: [false, true])
  func deletedKeysEndAPortion(isStopped: Bool) throws {
    let log = try TestLog.openWithLargeSegments()
    let deleted = 600..<(600 + 3 * WalkedRecords.deletedCountMaximum)
    try TestLog.put(0..<(deleted.upperBound + 100), log)
    try TestLog.delete(deleted, log)
    let (walk, records) = (try LongWalk.walk(log), WalkedRecords())
    records.fill(from: walk, limit: 500)
    if isStopped { records.stop() }
    var counts: [Int] = []
    for _ in 0..<5 {
      records.fill(from: walk, limit: WalkedRecords.countMaximum)
      counts.append(records.records.count)
      guard case .more = records.end else { break }
    }
    #expect(counts == (isStopped ? [0, 0, 0, 0, 0] : [100, 0, 0, 100]))

    let keys = try WalkModel.rest(of: try LongWalk.ahead(log)).map(\.key)
    let live = Array(0..<600) + Array(deleted.upperBound..<(deleted.upperBound + 100))
    #expect(keys == live.map(TestLog.key))
  }

  @Test("P5: what is compressed against dictionaries is the same when it is read ahead")
  func dictionaries() throws {
    let log = try DictionaryLog.open(InMemoryFileSystem())
    try DictionaryLog.put(0..<50, log)
    try DictionaryLog.makeDictionary(log)
    try DictionaryLog.put(50..<3000, log)
    let count = try log.statistics().dictionaries.first?.recordCount
    #expect(count == 2950)
    for order in KeyOrder.allCases {
      let cursor = try LongWalk.ahead(log, .all, order)
      for _ in 0...LongWalk.aloneCount { _ = try cursor.next() }
      let isAhead = cursor.isReadAhead
      let alone = try WalkModel.wholeRest(of: RecordCursor(try LongWalk.walk(log, .all, order)))
      let rest = try WalkModel.wholeRest(of: cursor)
      #expect(isAhead && rest == Array(alone.dropFirst(LongWalk.aloneCount + 1)))
      let isRight = alone.allSatisfy { whole in
        let number = whole.key.reduce(0) { $0 << 8 | Int($1) }
        return whole.record.payload == DictionaryLog.payload(number)
      }
      #expect(isRight && alone.count == 3000)
    }
  }

  @Test(
    "P13: a walk that is read ahead goes on when its snapshot has expired and its log is closed",
    arguments: [LogConfiguration.ReadMode.mapped, .buffered])
  func outlivesItsLog(readMode: LogConfiguration.ReadMode) throws {
    let time = ManualTimeSource()
    var configuration = TestLog.configuration
    configuration.readMode = readMode
    configuration.timeSource = time
    configuration.snapshotMaximumAge = 60
    let log = try Log.open(
      at: "/store", configuration: configuration, fileSystem: SimulatedFileSystem())
    try TestLog.put(0..<4000, log)
    try log.sealActiveSegment()
    let snapshot = log.snapshot()
    let walk = try RecordWalk(view: snapshot.view(), collection: TestLog.people)
    let cursor = RecordCursor(walk, readingAheadFrom: LongWalk.pool())
    func walked(_ numbers: Range<Int>) throws -> Bool {
      let keys = try numbers.map { _ in try cursor.next()?.key }
      return cursor.isReadAhead && keys == numbers.map(TestLog.key)
    }
    let isFirst = try walked(0..<1000)
    time.set(secondsSince1970: time.secondsSince1970() + 61)
    try ManifestRebuildingTests.rewriteAll(log)
    try TestLog.put(0..<4000, log, version: 1)
    #expect(throws: LogError.self) { try snapshot.records(in: TestLog.people) }
    let isSecond = try walked(1000..<2000)
    try log.close()
    let isThird = try walked(2000..<3000)
    #expect(isFirst && isSecond && isThird)
    let rest = try WalkModel.wholeRest(of: cursor)
    let isOld = rest.allSatisfy { $0.record.schemaVersion == 0 }
    #expect(rest.map(\.key) == (3000..<4000).map(TestLog.key) && isOld)
  }

  @Test(
    "P5: while a record that was read ahead is lent another walk may be read ahead",
    arguments: [1, 2])
  func walksAreNested(walkCount: Int) throws {
    let log = try TestLog.openWithLargeSegments()
    try TestLog.put(0..<3000, log)
    let pool = LongWalk.pool(walkCount: walkCount)
    func cursor() throws -> RecordCursor {
      RecordCursor(try LongWalk.walk(log), readingAheadFrom: pool)
    }
    let outer = try cursor()
    var (number, isRight) = (0, true)
    while let key = try outer.withNext({ record -> Result<[UInt8], any Error> in
      Result {
        if number % 500 == 200 {
          let inner = try cursor()
          var count = 0
          while let next = try inner.next() {
            isRight = isRight && next.record.payload == TestLog.payload(count)
            count += 1
            if count == 1000 {
              isRight =
                isRight && inner.isReadAhead == (walkCount > 1 || number < LongWalk.aloneCount)
            }
          }
          isRight = isRight && count == 3000
        }
        return [UInt8](record.key) + [UInt8](record.payload)
      }
    }) {
      isRight = try isRight && key.get() == TestLog.key(number) + TestLog.payload(number)
      number += 1
    }
    #expect(isRight && number == 3000)
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
        let cursor = try LongWalk.ahead(log)
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
