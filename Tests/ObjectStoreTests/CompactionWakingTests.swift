import FileIO
import Foundation
import LogStore
import StorageTestSupport
import Testing

@testable import ObjectStore

/// What has automatic compaction look whether there is something to do.
@Suite("Automatic compaction begins when there is something to do")
struct CompactionWakingTests {
  let fileSystem = SimulatedFileSystem()

  func open(_ change: (inout StoreConfiguration) -> Void = { _ in }) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.log.segmentByteCountMinimum = 64 << 10
    configuration.log.segmentByteCountMaximum = 64 << 10
    configuration.log.compression = .none
    configuration.log.durability = .process
    configuration.log.diskReserveByteCountMaximum = 0
    configuration.compaction.pace = .unlimited
    change(&configuration)
    return try Store.open(
      at: "/store", history: AutomaticCompactionTests.first, configuration: configuration,
      fileSystem: fileSystem)
  }

  /// Puts notes of about 1000 bytes in one transaction.
  func put(_ ids: Range<Int>, in store: Store) throws {
    let text = String(repeating: "x", count: 1000)
    try store.write { transaction in
      for id in ids {
        try transaction.put(
          try transaction.makeObject(
            ofType: "Note", ["id": .int(Int64(id)), "text": .string(text)]))
      }
    }
  }

  func delete(_ ids: Range<Int>, in store: Store) throws {
    try store.write { transaction in
      for id in ids { try transaction.delete(ofType: "Note", key: .int(Int64(id))) }
    }
  }

  /// Whether it becomes true within some seconds; what nobody waits for happens at some time.
  func eventually(_ isTrue: () throws -> Bool) throws -> Bool {
    for _ in 0..<1000 {
      if try isTrue() { return true }
      Thread.sleep(forTimeInterval: 0.01)
    }
    return false
  }

  /// Whether at most so many bytes are left in segments at some time.
  func shrinks(_ store: Store, to byteCount: UInt64) throws -> Bool {
    try eventually { try store.statistics().log.byteCount <= byteCount }
  }

  @Test("Large transactions that have segments of their own wake it")
  func spilled() throws {
    let store = try open { $0.log.transactionByteCountInMemory = 16 << 10 }
    for _ in 0..<5 { try put(0..<300, in: store) }
    #expect(try shrinks(store, to: 600 << 10))
    #expect(store.compaction.statistics.lastError == nil)
    try store.close()
  }

  @Test("Deletions wake it when as much is dead as a segment holds, though none is filled")
  func deletions() throws {
    let store = try open()
    for start in stride(from: 0, to: 1200, by: 20) { try put(start..<(start + 20), in: store) }
    let before = try store.statistics().log
    #expect(before.byteCount > 1_000_000)
    // What the puts had it look for is over.
    Thread.sleep(forTimeInterval: 0.2)
    try delete(0..<1100, in: store)
    #expect(try shrinks(store, to: 400 << 10))
    try store.close()
  }

  /// Puts so many notes at a time until there is no room for as many.
  func fill(_ store: Store, by step: Int, from first: Int = 0) throws -> Int {
    var count = first
    do {
      while count < 4000 {
        try put(count..<(count + step), in: store)
        count += step
      }
      Issue.record("the disk never became full")
    } catch StoreError.log(.diskFull) {}
    return count
  }

  func openOnSmallDisk(_ change: (inout StoreConfiguration) -> Void = { _ in }) throws -> Store {
    fileSystem.setByteCountLimit(2 << 20)
    return try open {
      $0.log.diskReserveByteCountMaximum = 16 << 20
      $0.log.segmentByteCountMinimum = 256 << 10
      $0.log.segmentByteCountMaximum = 256 << 10
      change(&$0)
    }
  }

  @Test(
    "P11: on a full disk, what a deletion leaves is compacted, and there is room for puts again",
    arguments: [[20, 1], [20]])
  func fullDisk(_ steps: [Int]) throws {
    let store = try openOnSmallDisk()
    // What is left where twenty do not fit is enough for all deletions: none needs the reserve.
    let count = try steps.reduce(0) { try fill(store, by: $1, from: $0) }
    // Less than a segment, and than the fifth that it leaves otherwise; one at a time.
    for id in 0..<(count / 10) { try delete(id..<(id + 1), in: store) }
    let first = 1_000_000
    #expect(
      try eventually {
        do {
          try put(first..<(first + (steps.last ?? 1)), in: store)
          return true
        } catch StoreError.log(.diskFull) { return false }
      })
    #expect(try store.snapshot().object(ofType: "Note", key: .int(Int64(first))) != nil)
    try store.close()
    let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
    #expect(report.isIntact, "\(report)")
  }

  @Test("P11: what is dead is compacted when a large transaction finds no room")
  func largeTransactionOnFullDisk() throws {
    let store = try openOnSmallDisk { $0.log.transactionByteCountInMemory = 64 << 10 }
    for start in stride(from: 0, to: 1000, by: 20) { try put(start..<(start + 20), in: store) }
    // Of a store that is a tenth dead nothing is compacted while there is room.
    for id in 0..<100 { try delete(id..<(id + 1), in: store) }
    Thread.sleep(forTimeInterval: 0.2)
    let before = try store.statistics().log.byteCount
    #expect(throws: StoreError.self) { try put(2000..<4000, in: store) }
    #expect(try shrinks(store, to: before - (64 << 10)))
    try put(2000..<2150, in: store)
    try store.close()
  }

  @Test("Once there is room for what found none, a tenth may be dead again")
  func roomAgain() throws {
    let store = try openOnSmallDisk()
    let count = try fill(store, by: 20)
    fileSystem.setByteCountLimit(8 << 20)
    Thread.sleep(forTimeInterval: 0.2)
    let before = store.compaction.statistics.stepCount
    for id in 0..<(count / 10) { try delete(id..<(id + 1), in: store) }
    Thread.sleep(forTimeInterval: 0.2)
    #expect(store.compaction.statistics.stepCount == before)
    try store.close()
  }

  @Test("Who is asked to look while a step is taken by hand looks afterwards")
  func missedTurn() throws {
    var store = try open { $0.compaction.mode = .manual }
    for start in stride(from: 0, to: 1200, by: 20) { try put(start..<(start + 20), in: store) }
    // Half of each segment, so that there is more to do than one step.
    for id in stride(from: 0, to: 1200, by: 2) { try delete(id..<(id + 1), in: store) }
    try store.close()
    store = try open {
      $0.compaction.pace = CompactionPace(byteCountPerSecond: 1000, processorShare: 1)
      $0.compaction.urgentDeadFraction = 1
    }
    let compaction = store.compaction
    Thread { compaction.step() }.start()
    #expect(try eventually { compaction.statistics.activity == .running })
    compaction.schedule()
    // What the thread does about it comes to nothing meanwhile.
    Thread.sleep(forTimeInterval: 0.2)
    compaction.cancel()
    #expect(
      try eventually {
        compaction.statistics.stepCount + compaction.statistics.cancelledCount == 1
      })
    #expect(try eventually { compaction.statistics.activity == .running })
    try store.close()
  }

  @Test("What fails once is tried again, though nobody writes anything")
  func retries() throws {
    let store = try open()
    store.compaction.pause()
    for _ in 0..<4 {
      for start in stride(from: 0, to: 300, by: 20) { try put(start..<(start + 20), in: store) }
    }
    fileSystem.setFaults([
      FaultPlan(
        operation: fileSystem.operationCount + 1, .fail(.tooManyOpenFiles(limit: 7)),
        isPermanent: true, occurrences: 3, kinds: [.create])
    ])
    store.compaction.resume()
    #expect(try shrinks(store, to: 500 << 10))
    #expect(try eventually { store.compaction.statistics.lastError == nil })
    try store.close()
  }
}
