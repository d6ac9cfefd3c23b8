import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Room of the disk that the active segment has ahead of what was written.
@Suite struct ReservedRoomTests {
  @Test("P11: a commit for which there is no room leaves smaller ones what was reserved for them")
  func keptOnAFullDisk() throws {
    let fileSystem = SimulatedFileSystem()
    var configuration = LogConfiguration()
    configuration.maintenance = .none
    configuration.compression = .none
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    try TestLog.put([1], log)
    let name = try #require(
      fileSystem.snapshotOfFiles(in: "/store").keys.first { $0.hasPrefix("segment") })
    let reserved = try #require(fileSystem.snapshotOfFiles(in: "/store")[name]).count
    fileSystem.setFaults([
      FaultPlan(operation: 1, .fail(.noSpace), isPermanent: true, kinds: [.allocate])
    ])
    let large = log.makeBatch()
    try large.put(
      TestLog.key(2), in: TestLog.people, schemaVersion: 0,
      payload: [UInt8](repeating: 3, count: 2 * reserved))
    #expect(throws: LogError.self) { try log.commit(large) }
    #expect(fileSystem.snapshotOfFiles(in: "/store")[name]?.count == reserved)
    for number in 3..<20 { try TestLog.put([number], log) }
    #expect(fileSystem.snapshotOfFiles(in: "/store")[name]?.count == reserved)
    fileSystem.setFaults([])
    #expect(try TestLog.contents(log).count == 18)
    try log.close()
  }
}
