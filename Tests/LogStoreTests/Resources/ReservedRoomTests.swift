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

  @Test("Room that was reserved for a write that failed is used, whatever the steps are then")
  func reservedForAFailedWrite() throws {
    let fileSystem = SimulatedFileSystem()
    let directory = try fileSystem.openDirectory(at: "/store", create: true)
    let header = SegmentHeader(
      store: StoreIdentifier(low: 7, high: 9), segment: SegmentIdentifier(1), stream: .user,
      salt: 5, predecessor: 0, predecessorHash: 0, firstSequence: CommitSequence(1))
    let writer = try SegmentWriter.create(header, in: directory, allocationByteCount: 256 << 10)
    func append(_ byteCount: Int) throws {
      _ = try [UInt8](repeating: 3, count: byteCount).withUnsafeBytes { body in
        try writer.append(
          SegmentWriter.Frame(
            body: body, firstSequence: CommitSequence(1), recordCount: 1, flags: [.lastOfCommit]),
          durableSequence: .zero)
      }
    }
    for byteCount in stride(from: 700_000, to: 1_000_000, by: 30_000) {
      writer.savesRoom = true
      fileSystem.setFaults([
        FaultPlan(operation: 1, .fail(.ioError), isPermanent: true, kinds: [.write])
      ])
      #expect(throws: FileIOError.self) { try append(byteCount) }
      fileSystem.setFaults([])
      writer.savesRoom = false
      try append(byteCount - 100_000)
    }
  }
}
