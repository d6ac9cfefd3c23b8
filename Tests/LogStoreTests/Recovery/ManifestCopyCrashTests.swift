import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Copies of the manifest while the power fails during a publication.
@Suite struct ManifestCopyCrashTests {
  @Test("A copy that verifies names only what is there, whatever a crash left")
  func copiesNameWhatIsThere() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    for number in 0..<200 { try TestLog.put([number], log) }
    try log.sealActiveSegment()
    let rewrite = try log.beginRewrite(of: Set(try log.statistics().segments.map(\.identifier)))
    while try rewrite.carryOver(atMost: 16) {}
    fileSystem.recordCrashPoints()
    try rewrite.publish()
    var outputCounts: Set<Int> = []
    for point in fileSystem.crashPoints {
      for choice in point.choices(exhaustiveUnitCount: 8, randomCount: 16) {
        let crashed = point.afterCrash(choice)
        let directory = try crashed.openDirectory(at: "/store", create: false)
        let found = try FoundSegment.all(in: directory)
        for carrier in found where carrier.copy != nil {
          let copy = try #require(try carrier.manifest(in: directory))
          let listed = copy.segments.filter(\.isSealed)
          outputCounts.insert(listed.count)
          for segment in listed {
            #expect(
              found.contains { $0.identifier == segment.identifier && $0.header != nil },
              "\(point), \(choice): \(segment.identifier) is missing")
          }
        }
      }
    }
    print("copies that name \(outputCounts) segments")
    #expect(outputCounts.contains { $0 > 1 })
  }
}
