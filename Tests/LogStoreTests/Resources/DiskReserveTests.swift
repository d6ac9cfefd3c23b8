import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Which deletions may use what the reserve left.
@Suite struct DiskReserveTests {
  @Test(
    "P11: deletions wait for a compaction until one found no room, and again where more is free")
  func vainCompaction() throws {
    let fileSystem = SimulatedFileSystem()
    fileSystem.setByteCountLimit(1 << 20)
    let log = try Log.open(at: "/store", fileSystem: fileSystem)
    try TestLog.put([1], log)
    var reserve = log.pipeline.reserve
    let wasGivenUp = [reserve.giveUp(), reserve.giveUp()]
    #expect(wasGivenUp == [true, false])
    let all = reserve.rest
    #expect(all >= 64 << 10)
    func admits(_ byteCount: UInt64, _ room: CompactionRoom) -> Bool {
      reserve.admits(byteCount, sparing: room, before: room)
    }
    var room = CompactionRoom(outputByteCount: all, indexByteCount: 4096, isFreeing: true)
    #expect(!admits(64, room))
    reserve.noteTooSmall()
    #expect(admits(64, room))
    // The index of the open segment is spared all the same.
    #expect(!admits(all - (34 << 10), room))
    reserve.lookAgain()
    #expect(admits(64, room))
    room.outputByteCount = 1 << 40
    fileSystem.setByteCountLimit(2 << 20)
    reserve.lookAgain()
    #expect(!admits(64, room))
    // Where nothing is dead there is nothing to wait for but what is needed later, if it is there.
    room.isFreeing = false
    #expect(admits(64, room))
    room.outputByteCount = reserve.rest - (40 << 10)
    #expect(admits(64, room))
    #expect(!admits(8192, room))
    try log.close()
  }

  @Test("P11: a log that was closed does not give up the reserve, which is that of the next one")
  func closedLog() throws {
    let fileSystem = SimulatedFileSystem()
    fileSystem.setByteCountLimit(1 << 20)
    let closed = try Log.open(at: "/store", fileSystem: fileSystem)
    try TestLog.put([1], closed)
    try closed.close()
    let log = try Log.open(at: "/store", fileSystem: fileSystem)
    try TestLog.put([2], log)
    // As a compaction does that meets a full disk while the log is closed.
    let wasGivenUp = closed.giveUpReserve()
    #expect(!wasGivenUp)
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    #expect(try directory.list().contains(StoreDirectory.reserve.description))
    let isGivenUp = log.giveUpReserve()
    #expect(isGivenUp)
    try log.close()
  }

  @Test("P11: what a failed output took is counted once, whether it is given back at once or later")
  func vainRoom() throws {
    for isGivenBackLater in [false, true] {
      let fileSystem = SimulatedFileSystem()
      let limit = 1 << 20
      fileSystem.setByteCountLimit(limit)
      let log = try Log.open(at: "/store", fileSystem: fileSystem)
      try TestLog.put([1], log)
      var reserve = log.pipeline.reserve
      let wasThere = reserve.giveUp()
      #expect(wasThere)
      let room = CompactionRoom(outputByteCount: 1 << 40, indexByteCount: 4096, isFreeing: true)
      func admits() -> Bool { reserve.admits(64, sparing: room, before: room) }
      reserve.noteRoomBefore()
      let output = 400 << 10
      if isGivenBackLater { fileSystem.setByteCountLimit(limit - output) }
      reserve.noteTooSmall(besides: UInt64(output))
      fileSystem.setByteCountLimit(limit)
      reserve.lookAgain()
      #expect(admits())
      // Somebody makes room, which a compaction may use.
      fileSystem.setByteCountLimit(limit + output / 2)
      reserve.lookAgain()
      #expect(!admits())
      try log.close()
    }
  }

  @Test(
    "P11: puts wait where the reserve is too small for a store that has grown, deletions do not")
  func short() throws {
    let fileSystem = SimulatedFileSystem()
    fileSystem.setByteCountLimit(64 << 20)
    var configuration = LogConfiguration()
    configuration.segmentByteCountMinimum = 256 << 10
    configuration.segmentByteCountMaximum = 256 << 10
    configuration.compression = .none
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    func put(_ number: Int) throws(LogError) {
      let batch = log.makeBatch()
      try batch.put(
        TestLog.key(number), in: TestLog.people, schemaVersion: 0,
        payload: [UInt8](repeating: 3, count: 50_000))
      try log.commit(batch)
    }
    for number in 0..<2 { try put(number) }
    let small = try log.statistics().reserveByteCount
    #expect(small > 64 << 10)
    // Enough for what is put, but not for the reserve of a store of more than a segment.
    fileSystem.setByteCountLimit(fileSystem.usedByteCount + (400 << 10))
    var count = 2
    while count < 20 {
      do { try put(count) } catch LogError.diskFull { break }
      count += 1
    }
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    let free = try #require(try directory.freeByteCount())
    print("\(count) puts, \(free) bytes free, reserve \(small)")
    #expect(count < 8 && free > 60_000)
    #expect(!log.isReserveGivenUp)
    // Also beside a put that fails.
    let requests = try commitTogether(log)
    #expect(requests[0].failure == nil)
    #expect(requests[1].failure?.isDiskFull == true)
    #expect(!log.isReserveGivenUp)
    fileSystem.setByteCountLimit(8 << 20)
    try put(count)
    #expect(try log.statistics().reserveByteCount > small)
    #expect(try TestLog.contents(log).count == count)
    try log.close()
  }

  /// A log whose reserve is not as large as it should be, but large enough for puts, on a disk that
  /// has no room for more.
  private func openOutgrown(_ fileSystem: SimulatedFileSystem) throws -> Log {
    fileSystem.setByteCountLimit(64 << 20)
    var configuration = LogConfiguration()
    configuration.compression = .none
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    for (number, byteCount) in [30_000, 20_000].enumerated() {
      let batch = log.makeBatch()
      try batch.put(
        TestLog.key(number), in: TestLog.people, schemaVersion: 0,
        payload: [UInt8](repeating: 3, count: byteCount))
      try log.commit(batch)
    }
    fileSystem.setByteCountLimit(fileSystem.usedByteCount + (8 << 10))
    return log
  }

  @Test("P11: a group of commits finds that the reserve is not too small any more, and keeps it")
  func shortNoMore() throws {
    let log = try openOutgrown(SimulatedFileSystem())
    // As it was for a store of a larger segment.
    log.pipeline.enter("a test")
    let isKept = log.pipeline.reserve.keep(
      storeByteCount: 50_000, compactionByteCount: 1 << 20, rewriteByteCount: 1 << 20)
    log.pipeline.leave()
    #expect(!isKept)
    #expect(log.pipeline.reserve.isShort)
    let requests = try commitTogether(log)
    #expect(requests.allSatisfy { $0.failure == nil })
    #expect(!log.isReserveGivenUp)
    #expect(!log.pipeline.reserve.isShort)
    try log.close()
  }

  @Test("P11: a reserve that was enough for puts comes back when a compaction needed none of it")
  func madeSmaller() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try openOutgrown(fileSystem)
    let before = try log.statistics().reserveByteCount
    // As a compaction does for which there is no room.
    #expect(log.giveUpReserve())
    try TestLog.put([2], log)
    #expect(!log.isReserveGivenUp)
    let made = try log.statistics().reserveByteCount
    #expect(made == before)
    // It grows when there is room again.
    fileSystem.setByteCountLimit(64 << 20)
    for number in 3..<8 { try put(number, in: log) }
    #expect(try log.statistics().reserveByteCount > before)
    try log.close()
  }

  private func put(_ number: Int, in log: Log) throws(LogError) {
    let batch = log.makeBatch()
    try batch.put(
      TestLog.key(number), in: TestLog.people, schemaVersion: 0,
      payload: [UInt8](repeating: 3, count: 15_000))
    try log.commit(batch)
  }

  @Test("P11: indexes that cannot be looked at do not keep others from being measured")
  func measuredInVain() throws {
    let fileSystem = SimulatedFileSystem()
    var configuration = LogConfiguration()
    configuration.maintenance = .none
    do {
      let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
      for number in 0..<20 {
        try TestLog.put([number], log)
        try log.sealActiveSegment()
      }
      try log.close()
    }
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    let lost = log.pipeline.accounts.values.filter(\.needsMeasuring).prefix(8)
    #expect(lost.count == 8)
    for account in lost {
      try directory.remove(StoreDirectory.segment(account.descriptor.identifier))
    }
    func measure() -> Int {
      log.pipeline.enter("a test")
      defer { log.pipeline.leave() }
      log.pipeline.measureIndexes(atMost: 8)
      return log.pipeline.accounts.values.count { $0.needsMeasuring }
    }
    #expect([measure(), measure(), measure(), measure()] == [20, 12, 8, 8])
    try? log.close()
  }

  /// A deletion and a put in one group.
  private func commitTogether(_ log: Log) throws -> [CommitRequest] {
    let delete = log.makeBatch()
    try delete.delete(TestLog.key(1), in: TestLog.people)
    let put = log.makeBatch()
    try put.put(TestLog.key(99), in: TestLog.people, schemaVersion: 0, payload: [1])
    let requests = [
      CommitRequest(delete, durability: .process), CommitRequest(put, durability: .process),
    ]
    log.pipeline.enterForCommit()
    log.pipeline.append(requests)
    log.pipeline.leave()
    return requests
  }
}
