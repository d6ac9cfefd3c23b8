import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Full and failing disks: nothing is left that only a reopening would remove, nothing is claimed.
@Suite struct FailedMaintenanceTests {
  /// A store whose newest segment was not sealed and holds about 40 KB.
  static func makeUnclosed() throws -> SimulatedFileSystem {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.open(fileSystem)
    for start in stride(from: 0, to: 400, by: 40) { try TestLog.put(start..<(start + 40), log) }
    return fileSystem.afterCrash(.processKill)
  }

  static func open(_ fileSystem: any FileSystem) throws(LogError) -> Log {
    var configuration = TestLog.configuration
    configuration.segmentByteCountMinimum = 1 << 20
    configuration.segmentByteCountMaximum = 1 << 20
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  @Test("P11: commits that fail on a full disk take none of the space that is left")
  func failedCommitsTakeNoSpace() throws {
    for room in [0, 100, 5_000, 20_000] {
      let fileSystem = try Self.makeUnclosed()
      let before = fileSystem.usedByteCount
      fileSystem.setByteCountLimit(before + room)
      let log = try Self.open(fileSystem)
      for _ in 0..<5 {
        #expect(throws: LogError.self) { try TestLog.put([1000], log) }
        let count = try fileSystem.openDirectory(at: "/store", create: false).list().count
        #expect(count <= 3, "room \(room)")
      }
      #expect(fileSystem.usedByteCount <= before + 4096, "room \(room)")
      fileSystem.setByteCountLimit(nil)
      try TestLog.put([1000], log)
      #expect(try TestLog.contents(log).count == 401)
    }
  }

  @Test("P11: compactions that fail on a full disk take none of the space that is left")
  func failedCompactionsTakeNoSpace() throws {
    for room in [0, 200, 5_000, 20_000, 25_000] {
      let fileSystem = try Self.makeUnclosed()
      let log = try Self.open(fileSystem)
      try TestLog.put([1000], log)
      try log.sealActiveSegment()
      let before = fileSystem.usedByteCount
      fileSystem.setByteCountLimit(before + room)
      for _ in 0..<5 {
        #expect(throws: LogError.self) {
          let sealed = try log.statistics().segments.map(\.identifier)
          let rewrite = try log.beginRewrite(of: Set(sealed))
          while let record = try rewrite.next() { try rewrite.keep(record) }
          try rewrite.publish()
        }
        #expect(fileSystem.usedByteCount <= before, "room \(room)")
      }
      fileSystem.setByteCountLimit(nil)
      #expect(try TestLog.contents(log).count == 401)
    }
  }

  @Test("A rewrite that met an error is never published, whatever its caller does")
  func aFailedRewriteIsNeverPublished() throws {
    let fileSystem = try Self.makeUnclosed()
    let log = try Self.open(fileSystem)
    try TestLog.put([1000], log)
    try log.sealActiveSegment()
    let sealed = try log.statistics().segments.map(\.identifier)
    let rewrite = try log.beginRewrite(of: Set(sealed))
    fileSystem.setByteCountLimit(fileSystem.usedByteCount)
    var errorCount = 0
    while let record = try rewrite.next() {
      do { try rewrite.keep(record) } catch { errorCount += 1 }
    }
    #expect(errorCount > 0)
    fileSystem.setByteCountLimit(nil)
    #expect(throws: LogError.self) { try rewrite.publish() }
    #expect(try TestLog.contents(log).count == 401)
  }

  @Test("P2: what a crash left in doubt is not called durable after a repair that failed")
  func aFailedRepairPromisesNothing() throws {
    let rehearsal = SimulatedFileSystem()
    let log = try Self.open(rehearsal)
    try TestLog.put([1], log)
    let batch = log.makeBatch()
    try batch.put(TestLog.key(2), in: TestLog.people, schemaVersion: 0, payload: [2])
    try log.commit(batch, durability: .process)
    let point = rehearsal.crashPoint()
    var (fired, synchronized) = (0, 0)
    for operation in 1...18 {
      let fileSystem = point.afterCrash(.processKill)
      let log = try Self.open(fileSystem)
      fileSystem.setFaults([
        FaultPlan(
          operation: fileSystem.operationCount + operation, .fail(.noSpace),
          kinds: [.write, .create, .allocate, .remove, .rename])
      ])
      _ = try? TestLog.put([3], log)
      fileSystem.setFaults([])
      fired += fileSystem.firedFaultCount
      let counted = try log.statistics().live.recordCount
      #expect(counted >= 2, "operation \(operation)")
      do { try log.synchronize() } catch { continue }
      if fileSystem.firedFaultCount > 0 { synchronized += 1 }
      let durable = try log.statistics().durableSequence
      let point = fileSystem.crashPoint()
      for choice in point.choices(exhaustiveUnitCount: 3, randomCount: 2) {
        let recovered = try Self.open(point.afterCrash(choice)).snapshot().lastSequence
        #expect(recovered >= durable, "operation \(operation), \(choice)")
      }
    }
    #expect(fired > 5 && synchronized > 5, "\(fired) failed, \(synchronized) synchronized")
  }

  @Test("A synchronization may be the first thing asked of a store that a crash left")
  func synchronizationComesFirst() throws {
    let fileSystem = try Self.makeUnclosed()
    let unknown = StoreDirectory.segment(SegmentIdentifier(2)).description
    fileSystem.replaceContents(of: unknown, in: "/store", with: [1, 2, 3])
    let log = try Self.open(fileSystem)
    try log.synchronize()
    #expect(try TestLog.contents(log).count == 400)
  }
}
