import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Batches go on in memory of batches that are gone, and nothing of those shows.
@Suite struct BatchMemoryTests {
  /// Batches of other sizes, one after the other, some of them filled again, one given up.
  @Test("A batch holds what was put into it, whatever memory it has", arguments: [UInt64(1), 2, 3])
  func batchesKeepTheirRecords(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let log = try TestLog.openWithLargeSegments()
    var expected: [Int: [UInt8]] = [:]
    for round in 0..<40 {
      let batch = log.makeBatch()
      let isGivenUp = round % 7 == 3
      for _ in 0...(round % 3 == 0 ? 1 : 0) {
        batch.removeAll()
        var added: [Int: [UInt8]] = [:]
        // From what a batch begins with to more than is kept.
        for _ in 0..<([1, 20, 60, 700].randomElement(using: &generator) ?? 1) {
          let key = Int.random(in: 0..<5000, using: &generator)
          let payload = generator.bytes(Int.random(in: 1..<2000, using: &generator))
          try batch.put(TestLog.key(key), in: TestLog.people, schemaVersion: 1, payload: payload)
          added[key] = payload
        }
        guard !isGivenUp else { continue }
        try log.commit(batch)
        expected.merge(added) { _, new in new }
      }
    }
    let snapshot = log.snapshot()
    for (key, payload) in expected {
      let found = try snapshot.record(for: TestLog.key(key), in: TestLog.people)?.payload
      if found != payload { Issue.record("seed \(seed), key \(key)") }
    }
    try log.close()
  }

  @Test("Memory comes back to the next that asks, and is empty")
  func memoryIsKept() throws {
    let pool = BatchMemoryPool()
    let isEmptyAtFirst = pool.take() == nil
    #expect(isEmptyAtFirst)
    for _ in 0..<5 {
      let memory = BatchMemory(capacity: 100 << 10)
      memory.records.writeZeros(50)
      pool.giveBack(memory)
    }
    for _ in 0..<4 {
      let memory = try #require(pool.take())
      let sizes = (memory.records.allocatedByteCount, memory.records.count, memory.changes.count)
      #expect(sizes == (100 << 10, 0, 0))
    }
    let isEmpty = pool.take() == nil
    #expect(isEmpty, "a fifth is let go")
  }

  @Test("What is larger than a batch should be is let go")
  func largeMemoryIsNotKept() {
    let pool = BatchMemoryPool()
    pool.giveBack(BatchMemory(capacity: 1 << 20 + 1))
    let isEmpty = pool.take() == nil
    #expect(isEmpty)
  }
}
