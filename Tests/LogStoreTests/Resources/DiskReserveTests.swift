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
}
