import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("A manifest is not rebuilt without a large commit that was finished")
struct BrokenCommitTests {
  /// A store without a manifest, of a commit of 10 records and one of 40, and the files of that.
  private static func large() throws -> (fileSystem: SimulatedFileSystem, parts: [String]) {
    let fileSystem = try ManifestRebuildingTests.store(.large)
    let parts = try FoundSegment.all(in: fileSystem.openDirectory(at: "/store", create: false))
      .filter { $0.header?.holdsParts == true }
      .map { StoreDirectory.segment($0.identifier).description }
    #expect(parts.count > 1)
    fileSystem.removeFile("MANIFEST", in: "/store")
    return (fileSystem, parts)
  }

  private static func refusal(_ fileSystem: SimulatedFileSystem) throws -> String? {
    do { try TestLog.open(fileSystem, access: .readOnly).close() } catch {
      guard case LogError.corruption(let report) = error else { throw error }
      return report.reason
    }
    return nil
  }

  @Test("P1: a flipped bit in any part, and any part but the last that is missing, is refused")
  func damagedParts() throws {
    let (prepared, parts) = try Self.large()
    #expect(try Self.refusal(prepared) == nil)
    for part in parts {
      let size = try #require(prepared.snapshotOfFiles(in: "/store")[part]).count
      for offset in stride(from: SegmentHeader.byteCount, to: size, by: 61) {
        let fileSystem = prepared.pristineCopy()
        fileSystem.flipBit(3, of: part, in: "/store", at: offset)
        guard try Self.refusal(fileSystem) == nil else { continue }
        // What is served must be all: the flip lies where nothing is read.
        let count = try TestLog.contents(TestLog.open(fileSystem, access: .readOnly)).count
        #expect(count == 50, "\(part), offset \(offset): \(count) records")
      }
      guard part != parts.last else { continue }
      let fileSystem = prepared.pristineCopy()
      fileSystem.removeFile(part, in: "/store")
      let reason = try Self.refusal(fileSystem)
      #expect(reason?.contains("missing or damaged") == true, "\(reason ?? "served")")
    }
  }

  @Test("P1: a salvage lists what is missing of such a commit, and saves the rest")
  func salvage() throws {
    let (fileSystem, parts) = try Self.large()
    let first = try #require(parts.first)
    fileSystem.flipBit(3, of: first, in: "/store", at: SegmentHeader.byteCount + 60)
    let report = try LogSalvage.salvage("/store", to: "/out", fileSystem: fileSystem)
    for part in parts { #expect(report.losses.contains { $0.file == part }, "\(part)") }
  }

  @Test("A commit of thousands of parts is found with a small stack, whatever their number")
  func manyParts() throws {
    let fileSystem = SimulatedFileSystem()
    var configuration = TestLog.configuration
    configuration.transactionByteCountInMemory = 1 << 10
    configuration.segmentByteCountMaximum = 4 << 10
    configuration.segmentByteCountMinimum = 4 << 10
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    try log.transact { transaction in
      for number in 0..<2500 {
        try transaction.put(
          TestLog.key(number), in: TestLog.people, schemaVersion: 0,
          payload: (0..<600).map { UInt8(truncatingIfNeeded: (number &* ($0 &+ 7)) >> 3) })
      }
    }
    try log.close()
    let partCount = try FoundSegment.all(in: fileSystem.openDirectory(at: "/store", create: false))
      .count { $0.header?.holdsParts == true }
    print("\(partCount) parts")
    #expect(partCount > 250)
    fileSystem.removeFile("MANIFEST", in: "/store")
    let again = try TestLog.open(fileSystem, access: .readOnly)
    #expect(try TestLog.contents(again).count == 2500)
  }
}
