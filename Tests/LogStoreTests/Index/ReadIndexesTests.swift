import FileIO
import Foundation
import StorageTestSupport
import Testing

@testable import LogStore

/// When merges give the memory of the indexes back that they have read.
@Suite struct ReadIndexesTests {
  private static let segmentCount = 4
  private static let keyCount = 4000

  private static func open(_ path: String) throws -> Log {
    var configuration = LogConfiguration()
    configuration.maintenance = .none
    let log = try Log.open(at: path, configuration: configuration, fileSystem: POSIXFileSystem())
    for segment in 0..<segmentCount {
      let batch = log.makeBatch()
      for number in 0..<keyCount {
        try batch.put(
          TestLog.key(number * segmentCount + segment), in: TestLog.people, schemaVersion: 0,
          payload: TestLog.payload(number))
      }
      try log.commit(batch)
      try log.sealActiveSegment()
    }
    return log
  }

  /// Pages of footers that the process has in memory; nothing where the system does not say.
  private static func residentPageCount(_ segments: [Segment]) -> Int? {
    guard let table = FileHandle(forReadingAtPath: "/proc/self/pagemap") else { return nil }
    defer { try? table.close() }
    var count = 0
    for segment in segments {
      let memory = segment.lendRun { $0.memory } ?? nil
      guard let start = memory?.baseAddress, let byteCount = memory?.count else { return nil }
      let page = UInt(getpagesize())
      // Pages that it shares with what is before and behind it stay.
      let first = (UInt(bitPattern: start) + page - 1) / page
      let last = (UInt(bitPattern: start) + UInt(byteCount)) / page
      guard (try? table.seek(toOffset: UInt64(8 * first))) != nil,
        let entries = try? table.read(upToCount: Int(8 * (last - first)))
      else { return nil }
      // The highest bit says whether the page is there.
      count += stride(from: 7, to: entries.count, by: 8).count { entries[$0] >> 7 == 1 }
    }
    return count
  }

  @Test("what merges have read leaves memory when it has become much, and not before")
  func givingBack() throws {
    let temporary = try TemporaryDirectory()
    let log = try Self.open(temporary.path + "/store")
    log.pipeline.enter("a test")
    let all = try #require(try log.pipeline.beginMerge(.single, range: nil))
    let few = IndexMerge(
      view: all.view, sources: [all.sources[0]],
      identifier: RunIdentifier(try log.pipeline.takeIdentifier().rawValue), salt: 7,
      directory: log.pipeline.directory, ownership: log.pipeline.ownership)
    log.pipeline.leave()
    #expect(all.keyCount == UInt64(Self.segmentCount * Self.keyCount))
    var read = ReadIndexes(keyCountMaximum: all.keyCount + 1)
    for _ in 0..<2 {
      _ = try all.perform(isCancelled: { false })
      all.remove()
      let before = Self.residentPageCount(all.view.sealed)
      let isGivenBack = read.note(all)
      #expect(!isGivenBack)
      #expect(Self.residentPageCount(all.view.sealed) == before)
      // What was read before goes with what is read now.
      let isGivenBackLater = read.note(few)
      #expect(isGivenBackLater)
      if let before, let after = Self.residentPageCount(all.view.sealed) {
        #expect(before >= 4 * Self.segmentCount, "\(before)")
        #expect(after == 0, "\(after) of \(before)")
      }
    }
    try log.close()
  }
}
