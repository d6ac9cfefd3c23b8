import Dispatch
import FileIO
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
    let log = try TestLog.open(InMemoryFileSystem())
    try TestLog.put(0..<500, log)
    try log.sealActiveSegment()
    _ = try TestLog.contents(log)
    weak let mapping = try log.snapshot().view().sealed.first?.mapping
    #expect(mapping != nil)
    let inputs = Set(try log.statistics().segments.map(\.identifier))
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

  @Test("P19: no output is begun before files that were removed take no room any more")
  func outputsWait() throws {
    let log = try TestLog.open(InMemoryFileSystem())
    try TestLog.put(0..<500, log)
    try log.sealActiveSegment()
    let mayGo = DispatchSemaphore(value: 0)
    let isGone = Lock(false)
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    // Before that, so that nobody waits for ever.
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) { mayGo.signal() }
    log.pipeline.unmapping.release([
      MappedBytes(nothing) { _ in
        mayGo.wait()
        isGone.withLock { $0 = true }
      }
    ])
    let inputs = Set(try log.statistics().segments.map(\.identifier))
    let rewrite = try log.beginRewrite(of: inputs)
    while try rewrite.carryOver(atMost: 1) {
      if rewrite.outputByteCount > 0 { break }
    }
    #expect(isGone.withLock { $0 })
    rewrite.cancel()
    try log.close()
  }
}
