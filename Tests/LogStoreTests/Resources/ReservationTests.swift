import FileIO
import Foundation
import StorageTestSupport
import Testing

@testable import LogStore

/// Segments of some size reserve blocks before they need them; a disk that is nearly full must not
/// make commits dear or fail early for that.
@Suite struct ReservationTests {
  /// Puts payloads until the disk is full; returns how many it took.
  private static func fill(_ log: Log, _ payload: [UInt8]) throws -> UInt64 {
    var count: UInt64 = 0
    do throws(LogError) {
      while count < 1000 {
        try log.put(
          Array("key \(count)".utf8), in: TestLog.people, schemaVersion: 1, payload: payload)
        count += 1
      }
      Issue.record("the disk must fill up")
    } catch {
      guard case .diskFull = error else { throw error }
    }
    return count
  }

  @Test("P9, P11: on a disk that fills up, commits use what is left, and seldom ask for more")
  func nearlyFull() throws {
    let fileSystem = SimulatedFileSystem()
    var configuration = LogConfiguration()
    configuration.maintenance = .none
    configuration.compression = .none
    configuration.durability = .process
    configuration.diskReserveByteCountMaximum = 0
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    let limit = 700 << 10
    fileSystem.setByteCountLimit(limit)
    let payload = [UInt8](repeating: 7, count: 2000)
    let before = fileSystem.operationCount
    let count = try Self.fill(log, payload)
    print("\(count) commits, \(fileSystem.operationCount - before) operations")
    // A commit takes some 2 KiB; close to the end of the disk each asks for its own blocks.
    #expect(limit - fileSystem.usedByteCount < 3 << 10)
    #expect(UInt64(fileSystem.operationCount - before) < 2 * count)
    fileSystem.setByteCountLimit(nil)
    try log.put(Array("last".utf8), in: TestLog.people, schemaVersion: 1, payload: payload)
    #expect(log.snapshot().lastSequence.rawValue == count + 1)
  }

  @Test("P11: a reserve that a killed process left empty is filled, and makes room when it must")
  func emptyReserve() throws {
    let fileSystem = SimulatedFileSystem()
    var configuration = LogConfiguration()
    configuration.maintenance = .none
    configuration.compression = .none
    fileSystem.setByteCountLimit(4 << 20)
    var log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    try TestLog.put([0], log)
    try log.close()
    try fileSystem.openDirectory(at: "/store", create: false)
      .open(StoreDirectory.reserve, .readWrite).truncate(to: 0)
    log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    let payload = [UInt8](repeating: 7, count: 20_000)
    let count = try Self.fill(log, payload)
    let reserve = try #require(fileSystem.snapshotOfFiles(in: "/store")["RESERVE"])
    #expect(reserve.count > 64 << 10)
    // Until what was reserved for the segment itself is used up.
    for number in 0..<count { try log.delete(Array("key \(number)".utf8), in: TestLog.people) }
    #expect(try TestLog.contents(log) == TestLog.expected([0]))
    try log.close()
  }

  @Test("P11: the reserve of a copied store, which may be a hole, gets blocks of its own")
  func copiedReserve() throws {
    let temporary = try TemporaryDirectory()
    let path = temporary.path + "/store"
    var log = try Log.open(at: path, configuration: LogConfiguration())
    for number in 0..<100 { try TestLog.put([number], log) }
    try log.close()
    let reserve = path + "/" + StoreDirectory.reserve.description
    let byteCount = try FileBlocks(reserve).byteCount
    #expect(byteCount > 0)
    // What a copy that keeps holes makes of blocks that were never written.
    try FileManager.default.removeItem(atPath: reserve)
    #expect(FileManager.default.createFile(atPath: reserve, contents: nil))
    try FileHandle(forUpdating: URL(fileURLWithPath: reserve)).truncate(atOffset: byteCount)
    #expect(try FileBlocks(reserve).allocatedByteCount == 0)
    log = try Log.open(at: path, configuration: LogConfiguration())
    try TestLog.put([100], log)
    #expect(try FileBlocks(reserve).allocatedByteCount >= byteCount)
    try log.close()
  }

  @Test("P11: the same where the first thing that happens to the copy is a compaction")
  func compactedCopy() throws {
    let temporary = try TemporaryDirectory()
    let path = temporary.path + "/store"
    var configuration = LogConfiguration()
    configuration.maintenance = .none
    var log = try Log.open(at: path, configuration: configuration)
    for number in 0..<100 { try TestLog.put([number], log) }
    try log.sealActiveSegment()
    try log.close()
    let reserve = path + "/" + StoreDirectory.reserve.description
    try FileManager.default.removeItem(atPath: reserve)
    #expect(FileManager.default.createFile(atPath: reserve, contents: nil))
    try FileHandle(forUpdating: URL(fileURLWithPath: reserve)).truncate(atOffset: 1 << 20)
    log = try Log.open(at: path, configuration: configuration)
    let segments = try log.statistics().segments.filter { !$0.isActive }.map(\.identifier)
    let rewrite = try log.beginRewrite(of: Set(segments))
    while try rewrite.carryOver(atMost: 100) {}
    try rewrite.publish()
    let blocks = try FileBlocks(reserve)
    #expect(blocks.byteCount < 1 << 20 && blocks.byteCount > 0)
    #expect(blocks.allocatedByteCount >= blocks.byteCount)
    try log.close()
  }

  /// What a file has of the disk.
  private struct FileBlocks {
    let byteCount: UInt64
    let allocatedByteCount: UInt64

    init(_ path: String) throws {
      var status = stat()
      try #require(stat(path, &status) == 0)
      byteCount = UInt64(status.st_size)
      allocatedByteCount = UInt64(status.st_blocks) * 512
    }
  }
}
