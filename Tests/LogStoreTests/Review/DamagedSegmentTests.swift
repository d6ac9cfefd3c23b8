import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite struct DamagedSegmentTests {
  @Test("P13: a segment that can neither be read nor rebuilt is scanned once, not by each look-up")
  func aHopelessSegmentIsScannedOnce() throws {
    let fileSystem = SimulatedFileSystem()
    let sealed = try CursorTests.makeSealed(fileSystem)
    fileSystem.flipBit(
      2, of: sealed.name, in: "/store", at: sealed.footer + FrameHeader.longByteCount)
    fileSystem.flipBit(2, of: sealed.name, in: "/store", at: sealed.footer - 60)
    let log = try TestLog.open(fileSystem, readMode: .buffered)
    var errors: Set<String> = []
    for round in 0..<5 {
      let before = fileSystem.operationCount
      do {
        _ = try log.snapshot().record(for: TestLog.key(5), in: TestLog.people)
        Issue.record("a damaged segment was read")
      } catch {
        errors.insert("\(error)")
      }
      #expect(round == 0 || fileSystem.operationCount - before <= 3)
    }
    #expect(errors.count == 1)
  }
}
