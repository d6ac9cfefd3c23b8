import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// What is remembered of what found no room on a full disk.
@Suite struct RefusedRoomTests {
  let fileSystem = SimulatedFileSystem()

  func open() throws -> Log {
    fileSystem.setByteCountLimit(2 << 20)
    var configuration = LogConfiguration()
    configuration.segmentByteCountMinimum = 256 << 10
    configuration.segmentByteCountMaximum = 256 << 10
    configuration.compression = .none
    configuration.maintenance = .inline
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  func put(_ number: Int, _ byteCount: Int = 1000, in log: Log) throws(LogError) {
    let batch = log.makeBatch()
    try batch.put(
      TestLog.key(number), in: TestLog.people, schemaVersion: 0,
      payload: [UInt8](repeating: 7, count: byteCount))
    try log.commit(batch)
  }

  @Test("P11: a large put that found no room is not forgotten for small ones that find some")
  func largeWaits() throws {
    let log = try open()
    for _ in 0..<4 { for number in 0..<200 { try put(number, in: log) } }
    var isFull = [log.isDiskFull]
    #expect(throws: LogError.self) { try put(1000, 1_200_000, in: log) }
    isFull.append(log.isDiskFull)
    try put(0, in: log)
    isFull.append(log.isDiskFull)
    // A smaller one that finds none, either, changes nothing about it.
    #expect(throws: LogError.self) { try put(1000, 1_100_000, in: log) }
    fileSystem.setByteCountLimit(4 << 20)
    try put(1000, 1_100_000, in: log)
    fileSystem.setByteCountLimit(fileSystem.usedByteCount + (1 << 20))
    isFull.append(log.isDiskFull)
    fileSystem.setByteCountLimit(4 << 20)
    try put(1000, 1_200_000, in: log)
    isFull.append(log.isDiskFull)
    #expect(isFull == [false, true, true, true, false])
    try log.close()
  }

  @Test("P11: where all that is dead is not enough for a large one, smaller ones count")
  func smallBehindLarge() throws {
    let log = try open()
    try put(1, in: log)
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    let free = try #require(try directory.freeByteCount())
    var reserve = log.pipeline.reserve
    func lacksRoom(dead: UInt64) -> Bool { reserve.lacksRoom(for: 1000, dead: dead) }
    #expect(!reserve.lacksRoom)
    reserve.noteRefused(free + 10_000)
    reserve.noteRefused(free + 50_000)
    reserve.noteRefused(free + 20_000)
    #expect(lacksRoom(dead: 50_000))
    #expect(lacksRoom(dead: 10_000))
    #expect(!lacksRoom(dead: 9999))
    reserve.noteRoom(for: free + 10_000)
    #expect(reserve.lacksRoom)
    #expect(!lacksRoom(dead: 49_999))
    #expect(lacksRoom(dead: 50_000))
    reserve.noteRoom(for: free + 50_000)
    #expect(!reserve.lacksRoom)
    try log.close()
  }

  @Test("P11: who finds nothing to compact forgets nothing that was refused while it looked")
  func refusedMeanwhile() throws {
    let log = try open()
    for _ in 0..<4 { for number in 0..<200 { try put(number, in: log) } }
    #expect(throws: LogError.self) { try put(1000, 1_200_000, in: log) }
    let before = log.refusalCount
    #expect(throws: LogError.self) { try put(1000, 1_200_000, in: log) }
    log.noteNothingToCompact(since: before)
    var isFull = [log.isDiskFull]
    log.noteNothingToCompact(since: log.refusalCount)
    isFull.append(log.isDiskFull)
    #expect(isFull == [true, false])
    try log.close()
  }

  @Test("P11: a deletion that is refused again and again is no news to who looks what to compact")
  func refusedAgain() throws {
    let log = try open()
    var reserve = log.pipeline.reserve
    let before = reserve.refusalCount
    reserve.noteRefusedDeletion()
    let first = reserve.refusalCount
    for _ in 0..<3 { reserve.noteRefusedDeletion() }
    #expect(first != before && reserve.refusalCount == first)
    reserve.noteTooSmall()
    reserve.noteRefusedDeletion()
    #expect(reserve.refusalCount != first)
    try log.close()
  }
}
