import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("How far a segment reaches is told without remembering each commit")
struct SegmentExtentTests {
  @Test("Digests are kept of the commits that are asked for only")
  func digests() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try TestLog.open(fileSystem)
    for number in 0..<30 { try TestLog.put([number], log) }
    try log.close()
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    let found = try #require(try FoundSegment.all(in: directory).first)
    let header = try #require(found.header)
    let extent = try SegmentExtent(of: found, header, in: directory)
    #expect(extent.digests.isEmpty && extent.lastSequence.rawValue > 10)
    let wanted: Set = [CommitSequence(10), extent.lastSequence, CommitSequence(100_000)]
    let noted = try SegmentExtent(of: found, header, in: directory, digestsAt: wanted)
    #expect(Set(noted.digests.keys) == [CommitSequence(10), extent.lastSequence])
    #expect(noted.continues(noted))
    let shorter = try SegmentExtent(of: found, header, in: directory, digestsAt: [.zero])
    #expect(!noted.continues(shorter))
  }
}
