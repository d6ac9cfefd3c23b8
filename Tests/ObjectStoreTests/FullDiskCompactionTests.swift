import Compaction
import FileIO
import LogStore
import StorageTestSupport
import Testing

@testable import ObjectStore

/// On a full disk, what needs the least room goes first, and nothing that was done is forgotten.
@Suite("P11: a full disk is freed by what has room, whatever has none")
struct FullDiskCompactionTests {
  let fileSystem = SimulatedFileSystem()

  /// A store whose reserve is given up.
  func open() throws -> Store {
    fileSystem.setByteCountLimit(1 << 30)
    var configuration = StoreConfiguration()
    configuration.log.segmentByteCountMinimum = 16 << 10
    configuration.log.segmentByteCountMaximum = 16 << 10
    configuration.log.compression = .none
    configuration.log.maintenance = .none
    configuration.log.readMode = .buffered
    configuration.log.timeSource = ManualTimeSource()
    configuration.log.randomSource = SeededRandomSource(seed: 7)
    configuration.log.diskReserveByteCountMaximum = 16 << 20
    configuration.compaction.mode = .manual
    return try Store.open(
      at: "/store", history: AutomaticCompactionTests.first, configuration: configuration,
      fileSystem: fileSystem)
  }

  /// Puts notes of about 160 bytes in a segment of their own.
  func put(_ ids: some Sequence<Int>, in store: Store) throws {
    let text = String(repeating: "x", count: 100)
    try store.write(durability: .process) { transaction in
      for id in ids {
        try transaction.put(
          transaction.makeObject(ofType: "Note", ["id": .int(Int64(id)), "text": .string(text)]))
      }
    }
    try store.log.sealActiveSegment()
  }

  /// Cold segments of which a bit more than half is live, then live ones, then hot ones of which a
  /// twentieth is.
  func fill(_ store: Store, coldCount: Int, hotCount: Int) throws {
    for number in 0..<coldCount { try put(number * 100..<(number * 100 + 100), in: store) }
    for number in 0..<40 { try put(10_000 + number * 100..<(10_100 + number * 100), in: store) }
    for number in 0..<coldCount { try put(number * 100..<(number * 100 + 40), in: store) }
    for number in 0..<hotCount {
      let hot = Array(20_000..<20_095) + (0..<5).map { 30_000 + number * 5 + $0 }
      try put(hot, in: store)
    }
  }

  @Test("Hot segments that have room are compacted, though cold ones that have none are worth more")
  func leastRoomFirst() throws {
    let store = try open()
    try fill(store, coldCount: 3, hotCount: 10)
    #expect(store.log.giveUpReserve())
    let used = fileSystem.usedByteCount
    fileSystem.setByteCountLimit(used + (8 << 10))
    for _ in 0..<20 { store.compaction.step() }
    #expect(fileSystem.usedByteCount < used - (50 << 10))
    let segments = try store.statistics().log.segments
    #expect(segments.allSatisfy { $0.deadRecordCount == 0 || $0.isActive })
    fileSystem.setByteCountLimit(nil)
    try store.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("What a step did before it found no room is told, and is not tried again")
  func reportOfAFailure() throws {
    let store = try open()
    try fill(store, coldCount: 1, hotCount: 4)
    // What is replaced stays for the snapshot, so that nothing gives room.
    let snapshot = store.snapshot()
    let victim = try #require(
      try store.statistics().log.segments.last { $0.liveFraction > 0 && $0.liveFraction < 0.2 })
    let name = StoreDirectory.segment(victim.identifier).description
    for offset in stride(from: 100, to: Int(victim.byteCount), by: 100) {
      fileSystem.flipBit(1, of: name, in: "/store", at: offset)
    }
    #expect(store.log.giveUpReserve())
    fileSystem.setByteCountLimit(fileSystem.usedByteCount + (10 << 10))
    #expect(!store.compaction.step())
    let statistics = store.compaction.statistics
    guard case .log(.diskFull)? = statistics.lastError else {
      Issue.record("\(statistics)")
      return
    }
    #expect(statistics.damages.count == 1)
    #expect(statistics.segmentCount >= 2)
    #expect(statistics.copiedByteCount > 0)
    #expect(statistics.stepCount == 0 && statistics.cancelledCount == 0)
    withExtendedLifetime(snapshot) {}
  }
}
