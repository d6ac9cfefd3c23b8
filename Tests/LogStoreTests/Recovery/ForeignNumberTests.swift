import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Files in a store's directory with numbers that it cannot have given.
@Suite struct ForeignNumberTests {
  private static let segment = SegmentIdentifier(LogLimits.segmentIdentifier - 2)
  private static let names = [
    StoreDirectory.segment(segment),
    StoreDirectory.run(RunIdentifier(LogLimits.segmentIdentifier - 3)),
  ]

  /// A closed store of ten records with these files beside it.
  private static func store(_ names: [FileName]) throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let log = try TestLog.open(fileSystem)
    try TestLog.put(0..<10, log)
    try log.close()
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    for name in names { _ = try directory.open(name, .createNew) }
    return fileSystem
  }

  /// Puts ten more in two segments; the mark then.
  private static func use(_ fileSystem: InMemoryFileSystem) throws -> UInt32 {
    let log = try TestLog.open(fileSystem)
    try TestLog.put(10..<15, log)
    try log.sealActiveSegment()
    try TestLog.put(15..<20, log)
    try TestLog.compare(log, TestLog.expected(0..<20))
    try log.close()
    return log.pipeline.manifest.nextSegment
  }

  @Test("They use up no numbers and stay")
  func theyAreLeftAlone() throws {
    let fileSystem = try Self.store(Self.names)
    #expect(try Self.use(fileSystem) < 100)
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    let names = try directory.names()
    for name in Self.names { #expect(names.contains(name.description)) }
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("A manifest that is rebuilt does not count them")
  func rebuiltManifestsPassThemOver() throws {
    let fileSystem = try Self.store(Self.names)
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    try directory.remove(StoreDirectory.manifest)
    #expect(try FoundSegment.all(in: directory).allSatisfy { $0.identifier != Self.segment })
    #expect(try Self.use(fileSystem) < 100)
    #expect(try TestLog.open(fileSystem).recoveryReport.rebuiltManifest == nil)
  }

  @Test("One with a damaged header and anything behind it may be the store's: nothing is rebuilt")
  func contentsAreDoubted() throws {
    let fileSystem = try Self.store([])
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    let file = try directory.open(StoreDirectory.segment(Self.segment), .createNew)
    let bytes = [UInt8](repeating: 0xFF, count: 1000)
    try bytes.withUnsafeBytes { try file.write([$0], at: 0) }
    #expect(try Self.use(fileSystem) < 100)
    try directory.remove(StoreDirectory.manifest)
    let error = #expect(throws: LogError.self) { try TestLog.open(fileSystem) }
    let reason = error?.damage?.reason ?? ""
    #expect(reason.contains("the header of segment \(Self.segment) is damaged"), "\(reason)")
  }

  @Test("Numbers within reach are passed, as a restored manifest may be an older one")
  func numbersWithinReachArePassed() throws {
    let log = try TestLog.open(try Self.store([]))
    let mark = log.pipeline.manifest.nextSegment
    for (distance, isPassed) in [
      (LogLimits.identifierReach - 1, true), (LogLimits.identifierReach, false),
    ] {
      let number = mark + distance
      let fileSystem = try Self.store([StoreDirectory.segment(SegmentIdentifier(number))])
      #expect(try (Self.use(fileSystem) > number) == isPassed)
    }
    try log.close()
  }

  @Test("No segment is given the number of one when the mark has come to it")
  func theyAreNeverGivenAgain() throws {
    let number: UInt32 = 1 << 30
    let fileSystem = try Self.store([StoreDirectory.segment(SegmentIdentifier(number))])
    let log = try TestLog.open(fileSystem)
    try TestLog.put(10..<15, log)
    try log.sealActiveSegment()
    log.pipeline.manifest.nextSegment = number
    try TestLog.put(15..<20, log)
    #expect(log.pipeline.manifest.nextSegment > number + 1)
    try TestLog.compare(log, TestLog.expected(0..<20))
    try log.close()
  }
}
