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

  @Test("P13: threads that find a damaged index together have it rebuilt once")
  func rebuiltOnce() throws {
    let fileSystem = SimulatedFileSystem()
    let sealed = try CursorTests.makeSealed(fileSystem)
    fileSystem.flipBit(
      2, of: sealed.name, in: "/store", at: sealed.footer + FrameHeader.longByteCount)
    let recorder = LogActivityTests.Recorder()
    var configuration = TestLog.configuration
    configuration.observer = recorder
    configuration.access = .readOnly
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    let failures = Threads.run(8) { _ in
      for number in 0..<5 {
        _ = try log.snapshot().record(for: TestLog.key(number), in: TestLog.people)
      }
    }
    #expect(failures.isEmpty)
    let rebuilt = recorder.events.filter { event in
      if case .footerRebuilt = event { true } else { false }
    }
    #expect(rebuilt.count == 1)
  }
}
