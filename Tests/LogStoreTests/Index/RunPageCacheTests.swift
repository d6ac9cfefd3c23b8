import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// What is kept of runs that are read from files.
@Suite struct RunPageCacheTests {
  private static func bytes(_ count: Int, _ value: UInt8) -> MappedRunBytes {
    let memory = [UInt8](repeating: value, count: count).withUnsafeBytes {
      MappedRunBytes.copy(of: $0)
    }
    return MappedRunBytes(memory, 0..<count)
  }

  private static func place(_ run: UInt32, _ start: Int) -> RunPageCache.Place {
    RunPageCache.Place(run: RunIdentifier(run), salt: 1, start: start)
  }

  @Test("Pages of another run with the same number are others: a store may have been set back")
  func salts() {
    let cache = RunPageCache(byteCountMaximum: 10_000)
    cache.insert(Self.bytes(100, 1), at: Self.place(7, 4096))
    let other = RunPageCache.Place(run: RunIdentifier(7), salt: 2, start: 4096)
    #expect(cache.bytes(at: other) == nil)
    #expect(cache.bytes(at: Self.place(7, 4096)) != nil)
  }

  @Test("What was inserted comes back, and the budget holds whatever comes", arguments: 1...5)
  func theBudgetHolds(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    let cache = RunPageCache(byteCountMaximum: 10_000)
    var hits = 0
    for _ in 0..<5000 {
      let run = UInt32.random(in: 1...3, using: &generator)
      let start = 4096 * Int.random(in: 0..<12, using: &generator)
      let value = UInt8(run * 16) + UInt8(start / 4096)
      if let found = cache.bytes(at: Self.place(run, start)) {
        hits += 1
        if !found.buffer.allSatisfy({ $0 == value }) { Issue.record("seed \(seed)") }
      } else {
        let count = Int.random(in: 1...3000, using: &generator)
        cache.insert(Self.bytes(count, value), at: Self.place(run, start))
      }
      if cache.byteCount > 10_000 { Issue.record("seed \(seed): \(cache.byteCount) bytes") }
    }
    #expect(hits > 500)
  }

  @Test("What is used again and again stays while others come and go")
  func theUsedStays() {
    let cache = RunPageCache(byteCountMaximum: 10_000)
    cache.insert(Self.bytes(1000, 1), at: Self.place(1, 0))
    for number in 1..<200 {
      #expect(cache.bytes(at: Self.place(1, 0)) != nil)
      cache.insert(Self.bytes(1000, 2), at: Self.place(2, number))
    }
  }

  @Test("What is larger than the budget is not kept")
  func theTooLargeIsNotKept() {
    let cache = RunPageCache(byteCountMaximum: 100)
    cache.insert(Self.bytes(101, 1), at: Self.place(1, 0))
    #expect(cache.byteCount == 0)
  }

  @Test("Buffered look-ups keep each page and each part of a run once")
  func eachIsKeptOnce() throws {
    let fileSystem = SimulatedFileSystem()
    var configuration = TestLog.configuration
    configuration.maintenance = .none
    configuration.readMode = .buffered
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    for start in stride(from: 0, to: 1000, by: 50) { try TestLog.put(start..<(start + 50), log) }
    try log.sealActiveSegment()
    try log.mergeIndexes()
    let snapshot = log.snapshot()
    for _ in 0..<2 {
      for number in 0..<1000 {
        let found = try TestLog.key(number).withUnsafeBytes {
          try snapshot.view().find(IndexKey(TestLog.people, $0))
        }
        if found == nil { Issue.record("key \(number)") }
      }
    }
    // All but the header and the directory.
    let run = try #require(log.pipeline.runs.first)
    let header = try run.run().header
    #expect(
      log.pipeline.pageCache.byteCount
        == Int(header.pagesByteCount) + Int(header.filterByteCount))
    try log.close()
  }
}
