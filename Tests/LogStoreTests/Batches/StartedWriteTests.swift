import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// What goes to the disk while the records of a commit are applied.
@Suite struct StartedWriteTests {
  /// What a file system was asked, and what the memory table knew then.
  private final class Calls: Sendable {
    private struct State {
      var log: Log?
      var seen: [(call: ObservedFileSystem.Call, recordCount: Int)] = []
    }

    private let state = Lock(State())

    func follow(_ log: Log?) { state.withLock { state in (state.log, state.seen) = (log, []) } }

    func note(_ call: ObservedFileSystem.Call) {
      state.withLock { state in
        guard let log = state.log else { return }
        let keys = (1...StartedWriteTests.recordCount).map { TestLog.key($0) }
        let known = keys.filter { bytes in
          bytes.withUnsafeBytes { log.pipeline.table.find(IndexKey(TestLog.people, $0)) != nil }
        }
        state.seen.append((call, known.count))
      }
    }

    func of(_ log: Log, _ work: () throws -> Void) rethrows -> [(
      call: ObservedFileSystem.Call, recordCount: Int
    )] {
      follow(log)
      defer { follow(nil) }
      try work()
      return state.withLock { state in state.seen }
    }
  }

  private static let recordCount = 40

  private static func commit(_ log: Log, payloadByteCount: Int, _ durability: Durability) throws {
    let batch = log.makeBatch()
    for number in 1...recordCount {
      try batch.put(
        TestLog.key(number), in: TestLog.people, schemaVersion: 0,
        payload: [UInt8](repeating: UInt8(number), count: payloadByteCount))
    }
    try log.commit(batch, durability: durability)
  }

  @Test(
    "a large commit begins to go to the disk before it is applied, and others do not",
    arguments: [
      (1000, Durability.full, true), (10, .full, false), (1000, .process, false),
    ])
  func largeCommitsBeginEarly(
    payloadByteCount: Int, durability: Durability, isStarted: Bool
  ) throws {
    let calls = Calls()
    let system = ObservedFileSystem(InMemoryFileSystem()) { call in calls.note(call) }
    var configuration = LogConfiguration()
    configuration.compression = .none
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: system)
    // The first commit begins a segment.
    try TestLog.put([0], log)
    let seen = try calls.of(log) {
      try Self.commit(log, payloadByteCount: payloadByteCount, durability)
    }
    let started = seen.compactMap { seen -> Range<UInt64>? in
      if case .startWriting(let range) = seen.call { range } else { nil }
    }
    #expect(started.count == (isStarted ? 1 : 0))
    var expected: [(ObservedFileSystem.Call, Int)] = [(.write, 0)]
    expected += started.map { (.startWriting($0), 0) }
    if durability == .full { expected.append((.synchronize, Self.recordCount)) }
    #expect(seen.map(\.call) == expected.map(\.0))
    #expect(seen.map(\.recordCount) == expected.map(\.1))
    try log.close()
  }

  @Test("what is not synchronized begins to go to the disk in steps, one step behind")
  func othersBeginLater() throws {
    let started = Lock<[Range<UInt64>]>([])
    let system = ObservedFileSystem(InMemoryFileSystem()) { call in
      // Of manifests some bytes.
      if case .startWriting(let range) = call, range.count > 1024 {
        started.withLock { $0.append(range) }
      }
    }
    var configuration = LogConfiguration()
    configuration.compression = .none
    configuration.durability = .process
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: system)
    let step: UInt64 = 256 << 10
    var byteCount: UInt64 = 0
    for number in 0..<20 {
      try log.put(
        TestLog.key(number), in: TestLog.people, schemaVersion: 0,
        payload: [UInt8](repeating: 1, count: 64 << 10))
      byteCount += 64 << 10
      // The last step, and what is behind it, may still be mapped.
      let begun = byteCount < 2 * step ? 0 : (byteCount / step - 1) * step
      #expect(started.withLock { $0.last?.upperBound ?? 0 } == begun, "\(byteCount)")
    }
    let ranges = started.withLock { $0 }
    #expect(ranges.map(\.upperBound) == [1, 2, 3, 4].map { $0 * step })
    #expect(ranges.map(\.lowerBound) == [0, 1, 2, 3].map { $0 * step })
    try log.close()
    // The seal begins the rest.
    #expect(started.withLock { $0.last?.lowerBound } == 4 * step)
  }
}
