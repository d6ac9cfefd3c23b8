import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Bytes that claim much where the salt is lost: work stays within a few times the file.
@Suite struct HostileSalvageTests {
  /// Bytes that a salvage reads of a store whose first segment has no header but `bytes`.
  private static func readByteCount(_ bytes: [UInt8]) throws -> (read: Int, saved: UInt64) {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    try TestLog.put(0..<10, log)
    try log.sealActiveSegment()
    try TestLog.put(10..<20, log)
    try log.close()
    fileSystem.removeFile("MANIFEST", in: "/store")
    fileSystem.replaceContents(of: "segment-00000001.log", in: "/store", with: bytes)
    let before = fileSystem.readByteCount
    let report = try LogSalvage.salvage("/store", to: "/out", fileSystem: fileSystem)
    return (fileSystem.readByteCount - before, report.liveRecordCount)
  }

  private static func repeated(_ pattern: [UInt8], byteCount: Int) -> [UInt8] {
    [UInt8](repeating: 0, count: SegmentHeader.byteCount)
      + (0..<(byteCount / pattern.count)).flatMap { _ in pattern }
  }

  @Test("Each multiple of eight may claim a long frame: none is read whose record is none")
  func longFrames() throws {
    var writer = ByteWriter()
    writer.writeInteger(UInt32(512 << 10))
    writer.writeInteger(UInt32(0))
    let (read, saved) = try Self.readByteCount(
      Self.repeated(writer.array(), byteCount: 1 << 20))
    print("long frames: \(read) bytes read")
    #expect(read < 8 << 20)
    #expect(saved == 10)
  }

  @Test("Each may claim a long record in it: as many are read as the file is worth")
  func longRecords() throws {
    var writer = ByteWriter()
    // The length of a frame, or a record's checksum.
    writer.writeInteger(UInt32(3 << 20))
    // The last frame of a commit, or a record that is put, of collection, version and time zero.
    writer.writeInteger(UInt32(1))
    // A first sequence, or a key of eight bytes and a payload of 2 MiB.
    writer.writeByte(8)
    writer.writeVariableLength(UInt64(2 << 20))
    writer.writeZeros(16 - writer.count)
    let (read, saved) = try Self.readByteCount(
      Self.repeated(writer.array(), byteCount: 4 << 20))
    print("long records: \(read) bytes read")
    #expect(read > 64 << 20 && read < 128 << 20)
    #expect(saved == 10)
  }

  @Test("A store is salvaged with its bytes read twice, however small its frames are")
  func smallFrames() throws {
    let fileSystem = SimulatedFileSystem()
    var configuration = LogConfiguration()
    configuration.durability = .process
    configuration.segmentByteCountMinimum = 64 << 20
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    for number in 0..<12_000 { try TestLog.put([number], log) }
    try log.close()
    let size = try #require(fileSystem.snapshotOfFiles(in: "/store")["segment-00000001.log"]).count
    #expect(size > 1 << 20)
    // Without its salt.
    fileSystem.removeFile("MANIFEST", in: "/store")
    let header = SegmentHeader(
      store: log.pipeline.store, segment: SegmentIdentifier(2), stream: .user, salt: 5,
      predecessor: 0, predecessorHash: 0, firstSequence: CommitSequence(100_000))
    fileSystem.overwrite(
      "segment-00000001.log", in: "/store", at: 0, with: [UInt8](repeating: 0, count: 128))
    fileSystem.replaceContents(
      of: "segment-00000002.log", in: "/store", with: header.encode())
    let before = fileSystem.readByteCount
    let report = try LogSalvage.salvage("/store", to: "/out", fileSystem: fileSystem)
    #expect(report.recordCount == 12_000)
    // Looking for dictionaries, taking, and copying; and what is read of the new store.
    #expect(fileSystem.readByteCount - before < 8 * size)
  }
}
