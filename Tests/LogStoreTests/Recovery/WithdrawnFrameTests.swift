import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Whole frames at the front of a group whose append failed are no commits: the writer cuts them
/// off, and who reads beside it may have taken them in before.
@Suite struct WithdrawnFrameTests {
  /// What is done before the first call of a kind.
  private typealias Hooks = Lock<[ObservedFileSystem.Call: @Sendable () -> Void]>

  private static func follow(_ fileSystem: any FileSystem) throws(LogError) -> Log {
    try TestLog.open(fileSystem, access: .readOnly)
  }

  /// A writer whose append of a sixth record fails when all of it is written, and a reader that was
  /// refreshed before the writer cuts that off, unless cutting fails.
  private static func withdrawn(
    _ hooks: Hooks, isCut: Bool
  ) throws -> (writer: Log, reader: Log) {
    let simulated = SimulatedFileSystem()
    let writer = try TestLog.open(
      ObservedFileSystem(simulated) { call in
        let body = hooks.withLock { $0.removeValue(forKey: call) }
        body?()
      })
    try TestLog.put(0..<5, writer)
    let reader = try follow(simulated)
    hooks.withLock { $0[.truncate] = Self.refreshing(reader, shows: 0..<6) }
    let next = simulated.operationCount + 1
    var faults = [
      FaultPlan(
        operation: next, .shortWrite(byteCount: .max, .ioError), isPermanent: true, occurrences: 1,
        kinds: [.write])
    ]
    if !isCut {
      faults.append(
        FaultPlan(
          operation: next, .fail(.ioError), isPermanent: true, occurrences: 1, kinds: [.truncate]))
    }
    simulated.setFaults(faults)
    #expect(throws: LogError.self) { try TestLog.put([5], writer) }
    #expect(simulated.firedFaultCount == faults.count)
    simulated.setFaults([])
    return (writer, reader)
  }

  private static func refreshing(
    _ reader: Log, shows numbers: Range<Int>
  ) -> @Sendable () -> Void {
    {
      do {
        try reader.refresh()
        #expect(try TestLog.contents(reader) == TestLog.expected(numbers))
      } catch { Issue.record("\(error)") }
    }
  }

  @Test("P1: what a reader took of an append that failed goes with the next refresh")
  func refreshTakesBack() throws {
    let hooks = Hooks([:])
    let (writer, reader) = try Self.withdrawn(hooks, isCut: true)
    // Until then it is shown, and what is read of it does not verify.
    #expect(reader.snapshot().lastSequence.rawValue == 6)
    try reader.refresh()
    #expect(reader.snapshot().lastSequence.rawValue == 5)
    try TestLog.compare(reader, TestLog.expected(0..<5))
    try TestLog.put([7], writer)
    try reader.refresh()
    try TestLog.compare(reader, TestLog.expected([0, 1, 2, 3, 4, 7]))
    try writer.close()
    try reader.refresh()
    try TestLog.compare(reader, TestLog.expected([0, 1, 2, 3, 4, 7]))
  }

  @Test(
    "P1: a refresh takes it back also where the footer lies there that seals the segment",
    arguments: [true, false])
  func refreshBesideFooter(isCut: Bool) throws {
    let hooks = Hooks([:])
    let (writer, reader) = try Self.withdrawn(hooks, isCut: isCut)
    // The footer is written by then, and the manifest does not know of it.
    let isCalled = Lock(false)
    let refresh = Self.refreshing(reader, shows: 0..<5)
    hooks.withLock {
      $0[.open(StoreDirectory.newManifest)] = {
        refresh()
        isCalled.withLock { $0 = true }
      }
    }
    try TestLog.put([7], writer)
    #expect(isCalled.withLock { $0 })
    try reader.refresh()
    try TestLog.compare(reader, TestLog.expected([0, 1, 2, 3, 4, 7]))
    try writer.close()
  }
}
