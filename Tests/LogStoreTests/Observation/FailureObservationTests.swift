import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// What is told of full disks, of closing, and of synchronizations that fail.
@Suite struct FailureObservationTests {
  typealias Recorder = LogActivityTests.Recorder

  private static func count(_ recorder: Recorder, _ matches: (StoreEvent) -> Bool) -> Int {
    recorder.events.count(where: matches)
  }

  private static func fullDiskCount(_ recorder: Recorder) -> Int {
    count(recorder) { if case .diskFull = $0 { true } else { false } }
  }

  @Test("A full disk is told once for each commit that it lets fail", arguments: [true, false])
  func fullDisk(isDurable: Bool) throws {
    let recorder = Recorder()
    let fileSystem = SimulatedFileSystem()
    var configuration = LogConfiguration()
    configuration.maintenance = .none
    configuration.compression = .none
    configuration.observer = recorder
    configuration.durability = isDurable ? .full : .process
    configuration.diskReserveByteCountMaximum = 0
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    let full = FaultPlan(
      operation: 1, .fail(.noSpace), isPermanent: true, kinds: [.write, .allocate])
    fileSystem.setFaults([full])
    #expect(throws: LogError.self) { try TestLog.put(0..<3, log) }
    #expect(Self.fullDiskCount(recorder) == 1)
    fileSystem.setFaults([])
    try TestLog.put(0..<3, log)
    fileSystem.setFaults([full])
    // More than what was allocated ahead: less is asked for, and then less again.
    let payload = [UInt8](repeating: 7, count: 300 << 10)
    #expect(throws: LogError.self) {
      try log.put(TestLog.key(7), in: TestLog.people, schemaVersion: 0, payload: payload)
    }
    #expect(Self.fullDiskCount(recorder) == 2)
  }

  @Test("Room that is only wanted ahead is no full disk as long as commits succeed")
  func roomAhead() throws {
    let recorder = Recorder()
    let fileSystem = SimulatedFileSystem()
    var configuration = LogConfiguration()
    configuration.maintenance = .none
    configuration.compression = .none
    configuration.durability = .process
    configuration.diskReserveByteCountMaximum = 0
    configuration.observer = recorder
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    fileSystem.setByteCountLimit(700 << 10)
    let payload = [UInt8](repeating: 7, count: 2000)
    var isFull = false
    for number in 0..<1000 where !isFull {
      do throws(LogError) {
        try log.put(
          TestLog.key(number), in: TestLog.people, schemaVersion: 1, payload: payload)
        #expect(Self.fullDiskCount(recorder) == 0)
      } catch { isFull = true }
    }
    #expect(isFull)
    #expect(Self.fullDiskCount(recorder) == 1)
  }

  @Test("A transaction that finds no room for what outgrows its memory tells so once")
  func fullDiskInTransaction() throws {
    let recorder = Recorder()
    let fileSystem = SimulatedFileSystem()
    var configuration = TestLog.configuration
    configuration.transactionByteCountInMemory = 1 << 10
    configuration.observer = recorder
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    fileSystem.setFaults([
      FaultPlan(operation: 1, .fail(.noSpace), isPermanent: true, kinds: [.write, .allocate])
    ])
    #expect(throws: LogError.self) {
      try log.transact { transaction in
        for number in 0..<200 {
          try transaction.put(
            TestLog.key(number), in: TestLog.people, schemaVersion: 0,
            payload: TestLog.payload(number))
        }
      }
    }
    #expect(Self.fullDiskCount(recorder) == 1)
  }

  @Test("Closing is told when it fails, too, and once")
  func failedClosing() throws {
    let recorder = Recorder()
    let fileSystem = SimulatedFileSystem()
    let log = try LogActivityTests.open(fileSystem, recorder)
    try TestLog.put(0..<3, log)
    fileSystem.setFaults([
      FaultPlan(operation: 1, .fail(.ioError), isPermanent: true, kinds: [.write, .synchronize])
    ])
    #expect(throws: LogError.self) { try log.close() }
    try log.close()
    #expect(Self.count(recorder) { $0 == .closed } == 1)
    #expect(recorder.events.last == .closed)
  }

  @Test("A synchronization that fails is told as such, not as one that was done, nor counted")
  func failedSynchronization() throws {
    let recorder = Recorder()
    let fileSystem = SimulatedFileSystem()
    let log = try LogActivityTests.open(fileSystem, recorder)
    try TestLog.put(0..<3, log)
    func synchronizedCount() -> Int {
      Self.count(recorder) { if case .synchronized = $0 { true } else { false } }
    }
    let before = synchronizedCount()
    fileSystem.setFaults([
      FaultPlan(operation: 1, .fail(.ioError), isPermanent: true, kinds: [.synchronize])
    ])
    for _ in 0..<2 { #expect(throws: LogError.self) { try TestLog.put(3..<6, log) } }
    #expect(synchronizedCount() == before)
    #expect(Self.count(recorder) { if case .poisoned = $0 { true } else { false } } == 1)
    #expect(try log.statistics().activity.synchronizationCount == UInt64(before))
  }
}
