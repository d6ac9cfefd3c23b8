import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Sealing a segment writes all that the next manifest needs before it waits for any of it.
@Suite struct SealingCrashTests {
  /// A file system where commits of `durability` have just filled a segment, and begun the next.
  private static func filled(_ durability: Durability) throws -> SimulatedFileSystem {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem, durability: durability)
    try TestLog.put(0..<3, log)
    try log.synchronize()
    fileSystem.recordCrashPoints()
    var number = 3
    while try log.statistics().segments.count < 2 {
      try TestLog.put([number], log)
      number += 1
    }
    return fileSystem
  }

  @Test(
    "After a crash while a segment is sealed no header follows what was not durable",
    arguments: [Durability.full, .process])
  func headersFollowWhatIsDurable(durability: Durability) throws {
    let fileSystem = try Self.filled(durability)
    let full = try TestLog.open(fileSystem.afterCrash(.processKill))
    let fullCount = try TestLog.contents(full).count - 1
    var counts = (torn: 0, followed: 0)
    // The last ones are those of the seal.
    for point in fileSystem.crashPoints.suffix(24) {
      for choice in point.choices(exhaustiveUnitCount: 8, randomCount: 8) {
        let crashed = point.afterCrash(choice)
        let place = "\(point), \(choice)"
        let expected = try TestLog.contents(TestLog.open(crashed.pristineCopy()))
        if expected.count < fullCount { counts.torn += 1 }
        // The store needs no manifest either: nothing in it speaks of commits that are not there.
        let files = crashed.snapshotOfFiles(in: "/store").keys
        if files.contains("segment-00000002.log") { counts.followed += 1 }
        crashed.removeFile("MANIFEST", in: "/store")
        #expect(try TestLog.contents(TestLog.open(crashed)) == expected, "\(place)")
      }
    }
    print("sealing, \(durability): \(counts)")
    #expect(counts.followed > 10)
    #expect(durability == .full || counts.torn > 100)
  }

  @Test(
    "A segment that a crash left while another was sealed is in nobody's way",
    arguments: [Durability.full, .process])
  func leftoversAreNoHistory(durability: Durability) throws {
    let fileSystem = try Self.filled(durability)
    // So that the full segment is written on when it was not sealed.
    var configuration = TestLog.configuration
    configuration.segmentByteCountMaximum = 64 << 10
    configuration.segmentByteCountMinimum = 64 << 10
    var leftoverCount = 0
    for point in fileSystem.crashPoints.suffix(24) {
      for choice in point.choices(exhaustiveUnitCount: 8, randomCount: 8) {
        let crashed = point.afterCrash(choice)
        let log = try Log.open(
          at: "/store", configuration: configuration, fileSystem: crashed)
        try TestLog.put([1000], log)
        let expected = try TestLog.contents(log)
        let listed = try log.statistics().segments.map(\.identifier)
        let killed = crashed.afterCrash(.processKill)
        let files = killed.snapshotOfFiles(in: "/store").keys
        if files.contains("segment-00000002.log"), !listed.contains(SegmentIdentifier(2)) {
          leftoverCount += 1
        }
        killed.removeFile("MANIFEST", in: "/store")
        #expect(try TestLog.contents(TestLog.open(killed)) == expected, "\(point), \(choice)")
      }
    }
    print("sealing, \(durability): \(leftoverCount) leftovers")
    #expect(leftoverCount > 10)
  }
}
