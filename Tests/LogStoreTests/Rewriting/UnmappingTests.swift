import Dispatch
import FileIO
import Foundation
import StorageTestSupport
import Testing

@testable import LogStore

/// What was mapped of files that are gone is given back beside the thread that rewrites.
@Suite struct UnmappingTests {
  @Test("Who lets go does not wait; who waits waits until it is done")
  func anotherThread() throws {
    let mayGo = DispatchSemaphore(value: 0)
    let isGone = Lock(false)
    let unmapping = Unmapping()
    func release() {
      let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
      unmapping.release([
        MappedBytes(nothing) { _ in
          mayGo.wait()
          isGone.withLock { $0 = true }
        }
      ])
    }
    release()
    #expect(!isGone.withLock { $0 })
    mayGo.signal()
    unmapping.waitUntilDone()
    #expect(isGone.withLock { $0 })
    unmapping.release([])
    unmapping.waitUntilDone()
  }

  @Test("After a rewrite with threads nothing of its inputs stays mapped", arguments: [0, 2])
  func inputsGo(threadCount: Int) throws {
    let (log, inputs) = try filled(InMemoryFileSystem())
    _ = try TestLog.contents(log)
    weak let mapping = try log.snapshot().view().sealed.first?.mapping
    #expect(mapping != nil)
    let rewrite = try log.beginRewrite(of: inputs, effort: .quick, threadCount: threadCount)
    while try rewrite.carryOver(atMost: 100) {}
    try rewrite.publish()
    log.pipeline.unmapping.waitUntilDone()
    #expect(mapping == nil)
    let names = try log.pipeline.directory.list()
    for input in inputs {
      #expect(!names.contains(StoreDirectory.segment(input).description))
    }
    try TestLog.compare(log, TestLog.expected(0..<500))
    try log.close()
  }

  @Test("P19: nothing is written to an output before files that were removed take no room")
  func outputsWait() throws {
    let (log, inputs) = try filled(InMemoryFileSystem())
    let mayGo = DispatchSemaphore(value: 0)
    let isGone = Lock(false)
    defer { mayGo.signal() }
    release(log) {
      // Who waits for it too early waits for ever else.
      _ = mayGo.wait(timeout: .now() + 5)
      // Time in which whoever does not wait goes on.
      Thread.sleep(forTimeInterval: 0.05)
      isGone.withLock { $0 = true }
    }
    let rewrite = try log.beginRewrite(of: inputs)
    while try rewrite.carryOver(atMost: 1), rewrite.outputByteCount == 0 {}
    // It is begun.
    #expect(!isGone.withLock { $0 })
    mayGo.signal()
    while try rewrite.carryOver() {}
    try rewrite.publish()
    #expect(isGone.withLock { $0 })
    try TestLog.compare(log, TestLog.expected(0..<500))
    try log.close()
  }

  @Test("P11: where there is no room for a file, an output waits for those that were removed")
  func filesWait() throws {
    let fileSystem = SimulatedFileSystem()
    let (log, inputs) = try filled(fileSystem)
    let rewrite = try log.beginRewrite(of: inputs)
    fileSystem.setFileCountLimit(1)
    release(log) {
      Thread.sleep(forTimeInterval: 0.05)
      fileSystem.setFileCountLimit(nil)
    }
    while try rewrite.carryOver() {}
    try rewrite.publish()
    try TestLog.compare(log, TestLog.expected(0..<500))
    try log.close()
  }

  @Test(
    "P10, P11: that there is no room, which synchronizing an empty output tells, ends no writing")
  func roomMissesLate() throws {
    let fileSystem = SimulatedFileSystem()
    let (log, inputs) = try filled(fileSystem)
    let rewrite = try log.beginRewrite(of: inputs)
    fileSystem.setFaults([
      FaultPlan(
        operation: fileSystem.operationCount + 1, .fail(.noSpace), isPermanent: true,
        occurrences: 1, kinds: [.synchronize])
    ])
    while try rewrite.carryOver() {}
    try rewrite.publish()
    #expect(fileSystem.firedFaultCount == 1)
    try TestLog.put(500..<510, log)
    try TestLog.compare(log, TestLog.expected(0..<510))
    try log.close()
    let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
    #expect(report.isIntact && report.notes.isEmpty)
  }

  /// A log of 500 sealed records, and its segments.
  private func filled(
    _ fileSystem: any FileSystem
  ) throws -> (log: Log, inputs: Set<SegmentIdentifier>) {
    let log = try TestLog.open(fileSystem)
    try TestLog.put(0..<500, log)
    try log.sealActiveSegment()
    return (log, Set(try log.statistics().segments.map(\.identifier)))
  }

  /// Gives `log` something to let go of, which calls `body`.
  private func release(_ log: Log, _ body: @escaping @Sendable () -> Void) {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    log.pipeline.unmapping.release([MappedBytes(nothing) { _ in body() }])
  }
}
