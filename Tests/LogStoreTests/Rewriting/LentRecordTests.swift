import BinaryCoding
import Dispatch
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite struct LentRecordTests {
  /// Waits within its first call until it is let go, and reads the record's payload then.
  private final class Waiting: RecordTransformer {
    let hasBegun = DispatchSemaphore(value: 0)
    let mayGoOn = DispatchSemaphore(value: 0)
    let hasRead = DispatchSemaphore(value: 0)
    private let waits = Lock(true)
    private let payload = Lock<[UInt8]?>(nil)

    var read: [UInt8]? { payload.withLock { payload in payload } }

    func transforms(_ version: CollectionVersion) -> Bool { true }

    func transform(
      _ record: LentRecord, _ memory: inout TransformMemory
    ) throws(LogError) -> RecordTransformation {
      let isFirst = waits.withLock { waits in
        defer { waits = false }
        return waits
      }
      if isFirst {
        hasBegun.signal()
        mayGoOn.wait()
        let found = [UInt8](try record.payload(decompressedInto: &memory.old))
        payload.withLock { payload in payload = found }
        hasRead.signal()
      }
      memory.new.writeBytes(try record.payload(decompressedInto: &memory.old))
      return .replaced(schemaVersion: 1)
    }
  }

  @Test("A segment stays while a thread transforms its records, also after it was replaced")
  func segmentStays() throws {
    var configuration = TestLog.configuration
    configuration.segmentByteCountMinimum = 64 << 10
    configuration.segmentByteCountMaximum = 64 << 10
    let log = try Log.open(
      at: "/store", configuration: configuration, fileSystem: InMemoryFileSystem())
    try TestLog.put(0..<500, log)
    try log.sealActiveSegment()
    let inputs = Set(try log.statistics().segments.map(\.identifier))
    weak let input = try log.snapshot().view().sealed.first

    let transformer = Waiting()
    let cancelled = try log.beginRewrite(of: inputs, transformer: transformer, threadCount: 1)
    // Enough for a portion, and too few for so many that this thread would have to help.
    #expect(try cancelled.carryOver(atMost: 3))
    try #require(transformer.hasBegun.wait(timeout: .now() + 60) == .success)
    cancelled.cancel()
    let second = try log.beginRewrite(of: inputs)
    _ = try second.carryOver()
    try second.publish()
    let left = Set(try log.statistics().segments.map(\.identifier))
    #expect(left.isDisjoint(with: inputs))
    #expect(input != nil)
    transformer.mayGoOn.signal()
    try #require(transformer.hasRead.wait(timeout: .now() + 60) == .success)
    #expect(transformer.read == TestLog.payload(0))
    withExtendedLifetime(cancelled) {}
    try TestLog.compare(log, TestLog.expected(0..<500))
    try log.close()
  }
}
