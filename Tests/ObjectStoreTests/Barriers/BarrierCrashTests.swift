import FileIO
import LogStore
import ObjectStore
import StorageTestSupport
import Testing

/// Barriers that are killed, cut off, or run out of disk leave the old state or the new one.
@Suite struct BarrierCrashTests {
  static let configuration: StoreConfiguration = {
    var configuration = StoreConfiguration.quiet
    configuration.log.maintenance = .inline
    configuration.log.readMode = .buffered
    configuration.log.segmentByteCountMinimum = 2 << 10
    configuration.log.segmentByteCountMaximum = 2 << 10
    // Small, so that the barrier is spilled to segments of its own.
    configuration.log.transactionByteCountInMemory = 512
    configuration.log.diskReserveByteCountMaximum = 0
    return configuration
  }()

  static func makeFiles() throws -> [String: [UInt8]] {
    let fileSystem = SimulatedFileSystem()
    let store = try BarrierTests.open(
      fileSystem, BarrierTests.original, configuration: configuration)
    try store.write { transaction in
      for id in 0..<40 {
        try transaction.put(
          transaction.makeObject(
            ofType: "Person",
            ["id": .int(Int64(id)), "email": .string("p\(id)@x"), "name": "n"]))
      }
    }
    try store.close()
    return fileSystem.snapshotOfFiles(in: "/people")
  }

  /// Whether the barrier has happened; every object is there either way.
  static func check(_ fileSystem: any FileSystem) throws -> Bool {
    var configuration = StoreConfiguration.readOnly
    configuration.log.readMode = .buffered
    let stored = try Store.open(
      at: "/people", configuration: configuration, fileSystem: fileSystem)
    let objects = try BarrierTests.all(stored)
    let isDone = stored.schemaVersion == 2
    try stored.close()
    let ids = Set(objects.compactMap { $0["id"] })
    guard objects.count == 40, ids.count == 40 else {
      throw CaseFailure("\(objects.count) objects with \(ids.count) ids")
    }
    guard objects.allSatisfy({ $0.key == $0[isDone ? "email" : "id"] }) else {
      throw CaseFailure("objects under keys of the other version")
    }
    return isDone
  }

  @Test("R30, R36, P1: killed or cut off at any write, a barrier has happened or has not")
  func everyCrash() throws {
    let fileSystem = SimulatedFileSystem(files: try Self.makeFiles(), in: "/people")
    fileSystem.recordCrashPoints()
    let store = try BarrierTests.open(
      fileSystem, BarrierTests.rekeyed(), configuration: Self.configuration)
    try store.close()
    var done = 0
    var states = 0
    for point in fileSystem.crashPoints {
      for choice in point.choices(exhaustiveUnitCount: 3, randomCount: 2) {
        states += 1
        do {
          if try Self.check(point.afterCrash(choice)) { done += 1 }
          if states % 7 == 0 {
            let again = point.afterCrash(choice)
            try BarrierTests.open(
              again, BarrierTests.rekeyed(), configuration: Self.configuration
            ).close()
            guard try Self.check(again) else { throw CaseFailure("it did not run again") }
          }
        } catch {
          Issue.record("\(point), \(choice): \(error)")
          return
        }
      }
    }
    print("\(states) crash states of a barrier, \(done) with it done")
    #expect(states > 100)
    #expect(done > 0)
    #expect(done < states)
  }

  @Test("R36, P11: a disk that is full at any write leaves the old state, and room finishes it")
  func everyFullDisk() throws {
    let files = try Self.makeFiles()
    let untouched = SimulatedFileSystem(files: files, in: "/people")
    try BarrierTests.open(
      untouched, BarrierTests.rekeyed(), configuration: Self.configuration
    ).close()
    var refused = 0
    for operation in 1...untouched.operationCount {
      let fileSystem = SimulatedFileSystem(files: files, in: "/people")
      fileSystem.setFaults([FaultPlan(operation: operation, .fail(.noSpace), isPermanent: true)])
      do {
        try BarrierTests.open(
          fileSystem, BarrierTests.rekeyed(), configuration: Self.configuration
        ).close()
      } catch { refused += 1 }
      #expect(fileSystem.firedFaultCount > 0, "operation \(operation)")
      do {
        let again = fileSystem.pristineCopy()
        _ = try Self.check(again)
        try BarrierTests.open(
          again, BarrierTests.rekeyed(), configuration: Self.configuration
        ).close()
        guard try Self.check(again) else { throw CaseFailure("it did not run again") }
      } catch {
        Issue.record("full at operation \(operation): \(error)")
        return
      }
    }
    print("\(refused) of \(untouched.operationCount) full disks refused")
    #expect(refused > 10)
  }
}
