import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Segments of some size reserve blocks before they need them; a disk that is nearly full must not
/// make commits dear or fail early for that.
@Suite struct ReservationTests {
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
    var count: UInt64 = 0
    let before = fileSystem.operationCount
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
    print("\(count) commits, \(fileSystem.operationCount - before) operations")
    // A commit takes some 2 KiB; close to the end of the disk each asks for its own blocks.
    #expect(limit - fileSystem.usedByteCount < 3 << 10)
    #expect(UInt64(fileSystem.operationCount - before) < 2 * count)
    fileSystem.setByteCountLimit(nil)
    try log.put(Array("last".utf8), in: TestLog.people, schemaVersion: 1, payload: payload)
    #expect(log.snapshot().lastSequence.rawValue == count + 1)
  }
}
