import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Segments that could not be sealed go on, as far as they are what was written to them.
@Suite struct RefusedSealTests {
  private static func open(
    _ fileSystem: any FileSystem, access: LogConfiguration.Access = .readWrite
  ) throws(LogError) -> Log {
    var configuration = TestLog.configuration
    configuration.access = access
    configuration.transactionByteCountInMemory = 1 << 10
    configuration.timeSource = ManualTimeSource()
    configuration.randomSource = SeededRandomSource(seed: 5)
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  private static func putMuch(_ log: Log) throws {
    try log.transact { transaction in
      for number in 100..<150 {
        try transaction.put(
          TestLog.key(number), in: TestLog.people, schemaVersion: 0,
          payload: TestLog.payload(number))
      }
    }
  }

  private static func prepared() throws -> (fileSystem: SimulatedFileSystem, log: Log) {
    let fileSystem = SimulatedFileSystem()
    let log = try open(fileSystem)
    for number in 0..<10 { try TestLog.put([number], log) }
    return (fileSystem, log)
  }

  /// The store after each way to crash now.
  private static func check(_ fileSystem: SimulatedFileSystem, _ numbers: [Int]) throws {
    let point = fileSystem.crashPoint()
    for choice in point.choices(exhaustiveUnitCount: 5, randomCount: 16) {
      let crashed = try open(point.afterCrash(choice))
      try TestLog.compare(crashed, TestLog.expected(numbers))
    }
  }

  @Test(
    "P9, P11: a large transaction that finds no room to seal leaves the segment to small commits")
  func largeTransaction() throws {
    let (rehearsal, rehearsed) = try Self.prepared()
    let start = rehearsal.operationCount
    try Self.putMuch(rehearsed)
    var goneOnCount = 0
    for operation in start + 1...rehearsal.operationCount {
      let (fileSystem, log) = try Self.prepared()
      let segment = log.pipeline.active?.segment.identifier
      let reader = try Self.open(fileSystem, access: .readOnly)
      let before = fileSystem.operationCount - start
      fileSystem.setFaults([FaultPlan(operation: operation + before, .fail(.noSpace))])
      var numbers = [Int](0..<10)
      do {
        try Self.putMuch(log)
        numbers += 100..<150
      } catch {}
      fileSystem.setFaults([])
      guard log.pipeline.poison == nil, let active = log.pipeline.active else { continue }
      let isTrusted = active.writer.isTailTrusted
      #expect(log.pipeline.mustRotate != isTrusted)
      try reader.refresh()
      try TestLog.compare(reader, TestLog.expected(numbers))
      try Self.check(fileSystem, numbers)
      for number in 20..<23 {
        try TestLog.put([number], log)
        numbers.append(number)
        try Self.check(fileSystem, numbers)
        try reader.refresh()
        try TestLog.compare(reader, TestLog.expected(numbers))
      }
      if isTrusted {
        #expect(log.pipeline.active?.segment.identifier == segment)
        goneOnCount += 1
      }
      try Self.putMuch(log)
      numbers += 100..<150
      try TestLog.compare(log, TestLog.expected(numbers))
      try log.close()
      try reader.refresh()
      try TestLog.compare(reader, TestLog.expected(numbers))
      let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
      #expect(report.isIntact && report.notes.isEmpty)
    }
    print("small commits went on after \(goneOnCount) failures")
    #expect(goneOnCount > 4)
  }

  /// A log with small commits, and without a reserve that would help.
  private static func withoutReserve() throws -> (fileSystem: SimulatedFileSystem, log: Log) {
    let fileSystem = SimulatedFileSystem()
    var configuration = DictionaryLog.configuration
    configuration.diskReserveByteCountMaximum = 0
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    try DictionaryLog.put(0..<20, log)
    return (fileSystem, log)
  }

  @Test("P9, P11: a dictionary that finds no room leaves the segment to commits that need none")
  func dictionary() throws {
    let (rehearsal, rehearsed) = try Self.withoutReserve()
    let start = rehearsal.operationCount
    try DictionaryLog.makeDictionary(rehearsed)
    var goneOnCount = 0
    for operation in start + 1...rehearsal.operationCount {
      let (fileSystem, log) = try Self.withoutReserve()
      let segment = log.pipeline.active?.segment.identifier
      fileSystem.setFaults([FaultPlan(operation: operation, .fail(.noSpace))])
      var wasMade = true
      do { try DictionaryLog.makeDictionary(log) } catch { wasMade = false }
      let isOpen = log.pipeline.active?.segment.identifier == segment
      if !wasMade, isOpen, log.pipeline.poison == nil,
        log.pipeline.active?.writer.isTailTrusted == true
      {
        let mustRotate = log.pipeline.mustRotate
        #expect(!mustRotate, "operation \(operation)")
        // Room for no segment, nor for a manifest.
        fileSystem.setFaults([
          FaultPlan(
            operation: fileSystem.operationCount + 1, .fail(.noSpace), isPermanent: true,
            kinds: [.create])
        ])
        try log.delete(DictionaryLog.key(3), in: DictionaryLog.people)
        try DictionaryLog.put([3], log)
        goneOnCount += 1
      }
      fileSystem.setFaults([])
      guard log.pipeline.poison == nil else { continue }
      try DictionaryLog.makeDictionary(log)
      try DictionaryLog.put(20..<200, log)
      #expect(try DictionaryLog.defect(0..<200, log) == nil)
      try log.close()
      let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
      #expect(report.isIntact && report.notes.isEmpty, "operation \(operation)")
    }
    #expect(goneOnCount > 0)
  }
}
