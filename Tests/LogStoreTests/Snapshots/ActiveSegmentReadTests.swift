import FileIO
import StorageTestSupport
import Synchronization
import Testing

@testable import LogStore

/// Records of the segment that is being written, on a real disk: what the system maps is shared
/// with what is written.
@Suite("Reading the segment that is being written")
struct ActiveSegmentReadTests {
  /// Fails writes when told to, and counts reads.
  private final class Disk: Sendable {
    let readCount = Atomic(0)
    let failsNextWrite = Atomic(false)

    var fileSystem: ObservedFileSystem {
      ObservedFileSystem(POSIXFileSystem()) { call throws(FileIOError) in
        if call == .read { self.readCount.add(1, ordering: .relaxed) }
        if call == .write, self.failsNextWrite.exchange(false, ordering: .relaxed) {
          throw FileIOError(.noSpace, operation: "write", path: "as told")
        }
      }
    }
  }

  private typealias Contents = [[UInt8]: [UInt8]]

  private let temporary: TemporaryDirectory
  private let disk = Disk()

  init() throws { temporary = try TemporaryDirectory() }

  private func open(
    _ readMode: LogConfiguration.ReadMode, segmentByteCount: UInt64
  ) throws(LogError) -> Log {
    var configuration = TestLog.configuration
    configuration.segmentByteCountMinimum = segmentByteCount
    configuration.segmentByteCountMaximum = segmentByteCount
    configuration.durability = .process
    configuration.readMode = readMode
    return try Log.open(
      at: temporary.path, configuration: configuration, fileSystem: disk.fileSystem)
  }

  @Test("a mapped segment is read without calls to the system, by keys and in order")
  func withoutCalls() throws {
    let log = try open(.mapped, segmentByteCount: 1 << 20)
    try TestLog.put(0..<100, log)
    let before = disk.readCount.load(ordering: .relaxed)
    for number in 100..<200 {
      try TestLog.put([number], log)
      let found = try log.snapshot().record(for: TestLog.key(number), in: TestLog.people)
      #expect(found?.payload == TestLog.payload(number))
    }
    #expect(try TestLog.contents(log) == TestLog.expected(0..<200))
    #expect(disk.readCount.load(ordering: .relaxed) == before)
    try TestLog.delete([5], log)
    #expect(try log.snapshot().record(for: TestLog.key(5), in: TestLog.people) == nil)
    try log.close()
  }

  @Test("a commit larger than what was mapped is read from the file")
  func largeCommit() throws {
    let log = try open(.mapped, segmentByteCount: 4 << 10)
    try TestLog.put([0], log)
    _ = try TestLog.contents(log)
    let batch = log.makeBatch()
    var generator = SeededGenerator(seed: 5)
    let payloads = (0..<4).map { _ in generator.bytes(3000) }
    for (number, payload) in payloads.enumerated() {
      try batch.put(TestLog.key(number), in: TestLog.people, schemaVersion: 0, payload: payload)
    }
    try log.commit(batch)
    let before = disk.readCount.load(ordering: .relaxed)
    let snapshot = log.snapshot()
    for (number, payload) in payloads.enumerated() {
      let found = try snapshot.record(for: TestLog.key(number), in: TestLog.people)
      #expect(found?.payload == payload)
    }
    #expect(disk.readCount.load(ordering: .relaxed) > before)
    try log.close()
  }

  @Test("a snapshot that reads first when its segment is sealed finds what it saw")
  func sealedBeforeTheFirstRead() throws {
    let log = try open(.mapped, segmentByteCount: 4 << 10)
    try TestLog.put(0..<10, log)
    let snapshot = log.snapshot()
    try TestLog.put(0..<200, log, version: 1)
    for number in 0..<10 {
      let found = try snapshot.record(for: TestLog.key(number), in: TestLog.people)
      #expect(found?.payload == TestLog.payload(number))
      #expect(found?.schemaVersion == 0)
    }
    try log.close()
  }

  @Test("P1: what a repair copied is read where it lies now, and what follows it too")
  func repaired() throws {
    do {
      let abandoned = try open(.mapped, segmentByteCount: 1 << 20)
      try TestLog.put(0..<50, abandoned)
    }
    let log = try open(.mapped, segmentByteCount: 1 << 20)
    #expect(try TestLog.contents(log) == TestLog.expected(0..<50))
    try TestLog.put(50..<60, log)
    #expect(try TestLog.contents(log) == TestLog.expected(0..<60))
    let before = disk.readCount.load(ordering: .relaxed)
    #expect(try TestLog.contents(log) == TestLog.expected(0..<60))
    #expect(disk.readCount.load(ordering: .relaxed) == before)
    try log.close()
  }

  @Test("a transaction that spills reads its own writes")
  func spilled() throws {
    var configuration = TestLog.configuration
    configuration.transactionByteCountInMemory = 1 << 10
    let log = try Log.open(
      at: temporary.path, configuration: configuration, fileSystem: disk.fileSystem)
    try TestLog.put(0..<20, log)
    try log.transact { transaction in
      for number in 20..<120 {
        try transaction.put(
          TestLog.key(number), in: TestLog.people, schemaVersion: 0,
          payload: TestLog.payload(number))
        for earlier in [number - 15, number - 3, number] {
          let found = try transaction.record(for: TestLog.key(earlier), in: TestLog.people)
          #expect(found?.payload == TestLog.payload(earlier))
        }
      }
    }
    #expect(try TestLog.contents(log) == TestLog.expected(0..<120))
    try log.close()
  }

  @Test("a mapping that does not show what is written is not believed")
  func staleMapping() throws {
    var configuration = TestLog.configuration
    configuration.segmentByteCountMinimum = 1 << 20
    configuration.segmentByteCountMaximum = 1 << 20
    let stale = ObservedFileSystem(POSIXFileSystem()) { call throws(FileIOError) in
      if call == .mapAhead {
        throw FileIOError(.ioError, operation: "show what is written", path: "as told")
      }
    }
    let log = try Log.open(
      at: temporary.path, configuration: configuration, fileSystem: stale)
    try TestLog.put(0..<50, log)
    for number in 0..<50 {
      let found = try log.snapshot().record(for: TestLog.key(number), in: TestLog.people)
      #expect(found?.payload == TestLog.payload(number))
    }
    #expect(try TestLog.contents(log) == TestLog.expected(0..<50))
    try log.close()
  }

  @Test(
    "P2, P3: snapshots read what was committed before them, through rotations and failed writes",
    arguments: 1...8 as ClosedRange<UInt64>, [LogConfiguration.ReadMode.mapped, .buffered])
  func model(seed: UInt64, readMode: LogConfiguration.ReadMode) throws {
    var generator = SeededGenerator(seed: seed)
    let log = try open(readMode, segmentByteCount: seed % 2 == 0 ? 4 << 10 : 16 << 10)
    var contents: Contents = [:]
    var kept: [(snapshot: Snapshot, contents: Contents)] = []
    var failedCount = 0
    for step in 0..<250 {
      let batch = log.makeBatch()
      var changed = contents
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let key = TestLog.key(Int.random(in: 0..<60, using: &generator))
        if Int.random(in: 0..<5, using: &generator) == 0 {
          try batch.delete(key, in: TestLog.people)
          changed[key] = nil
        } else {
          let payload = generator.bytes(Int.random(in: 0...900, using: &generator))
          try batch.put(key, in: TestLog.people, schemaVersion: 0, payload: payload)
          changed[key] = payload
        }
      }
      if step % 23 == 22 { disk.failsNextWrite.store(true, ordering: .relaxed) }
      do throws(LogError) {
        try log.commit(batch)
        contents = changed
      } catch { failedCount += 1 }
      disk.failsNextWrite.store(false, ordering: .relaxed)
      let snapshot = log.snapshot()
      if let defect = try defect(snapshot, contents, keys: 60) {
        Issue.record("seed \(seed), step \(step): \(defect)")
        return
      }
      if Int.random(in: 0..<8, using: &generator) == 0 { kept.append((snapshot, contents)) }
      if kept.count > 6 { kept.removeFirst() }
      // One at a time: each is looked at again while it is kept.
      for (position, old) in kept.enumerated() where step % 6 == position {
        guard let defect = try defect(old.snapshot, old.contents, keys: 60) else { continue }
        Issue.record("seed \(seed), step \(step), snapshot \(position): \(defect)")
        return
      }
    }
    #expect(failedCount > 5, "seed \(seed)")
    try log.close()
  }

  private func defect(
    _ snapshot: Snapshot, _ contents: Contents, keys: Int
  ) throws(LogError) -> String? {
    for number in 0..<keys {
      let key = TestLog.key(number)
      let found = try snapshot.record(for: key, in: TestLog.people)?.payload
      if found != contents[key] { return "key \(number) is wrong" }
    }
    let cursor = try snapshot.records(in: TestLog.people)
    var walked: Contents = [:]
    while let (key, record) = try cursor.next() { walked[key] = record.payload }
    return walked == contents ? nil : "a walk is wrong"
  }
}
