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
