import Compaction
import FileIO
import LogStore
import StorageTestSupport
import Testing

@testable import ObjectStore

/// A store that nobody writes to comes to rest, whatever tombstones it holds and whatever is
/// damaged.
@Suite("Automatic compaction comes to an end")
struct EndlessCompactionTests {
  let fileSystem = SimulatedFileSystem()

  func open(_ change: (inout StoreConfiguration) -> Void = { _ in }) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.log.segmentByteCountMinimum = 4 << 10
    configuration.log.segmentByteCountMaximum = 4 << 10
    configuration.log.compression = .none
    configuration.log.maintenance = .inline
    configuration.log.readMode = .buffered
    configuration.log.timeSource = ManualTimeSource()
    configuration.log.randomSource = SeededRandomSource(seed: 7)
    configuration.log.diskReserveByteCountMaximum = 0
    configuration.compaction.mode = .manual
    change(&configuration)
    return try Store.open(
      at: "/store", history: AutomaticCompactionTests.first, configuration: configuration,
      fileSystem: fileSystem)
  }

  /// Keys in no order, so that those of each segment lie everywhere.
  static func key(_ number: Int) -> Int64 { Int64((number &* 2_654_435_761) & 0xFFFF_FFFF) }

  func put(_ numbers: Range<Int>, in store: Store, _ text: String = "") throws {
    for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 50) {
      try store.write(durability: .process) { transaction in
        for number in start..<min(start + 50, numbers.upperBound) {
          let note = try transaction.makeObject(
            ofType: "Note", ["id": .int(Self.key(number)), "text": .string(text)])
          try transaction.put(note)
        }
      }
    }
  }

  func delete(_ numbers: some Sequence<Int>, in store: Store) throws {
    let numbers = Array(numbers)
    for start in stride(from: 0, to: numbers.count, by: 50) {
      try store.write(durability: .process) { transaction in
        for number in numbers[start..<min(start + 50, numbers.count)] {
          try transaction.delete(ofType: "Note", key: .int(Self.key(number)))
        }
      }
    }
  }

  /// Steps until there is nothing to do; how many there were, or the limit.
  func stepCount(_ store: Store, limit: Int) -> Int {
    for count in 0..<limit where !store.compaction.step() { return count }
    return limit
  }

  @Test("Tombstones that hide nothing go, though filters of many segments claim otherwise")
  func filters() throws {
    let store = try open()
    try put(0..<8000, in: store)
    try put(8000..<12_000, in: store)
    try delete(0..<8000, in: store)
    try put(12_000..<12_200, in: store)
    let count = stepCount(store, limit: 3000)
    #expect(count < 1000)
    let left = try store.statistics().log
    let tombstones = left.segments.reduce(0) { $0 + $1.tombstoneCount }
    #expect(tombstones < 1000, "those of the active segment, and what need not be tried")
    #expect(store.compaction.statistics.deadFraction < 0.35)
    #expect(try store.statistics().objectCount == 4200)
  }

  @Test("P19: tombstones of a segment that cannot be read are not written again and again")
  func unreadableSegment() throws {
    var store = try open()
    try put(0..<2000, in: store)
    let victim = try #require(try store.statistics().log.segments.dropFirst(3).first)
    let count = Int(victim.recordCount)
    try store.close()
    store = try open()
    // A few live records in each segment, and tombstones of all others.
    try delete((0..<2000).filter { $0 % 40 != 0 }, in: store)
    try put(3000..<3100, in: store)
    #expect(count > 60)
    fileSystem.setOverlays([
      ReadOverlay(
        file: StoreDirectory.segment(victim.identifier).description,
        .unreadable(64..<Int(victim.byteCount)))
    ])
    let steps = stepCount(store, limit: 3000)
    #expect(steps < 1000)
    let statistics = store.compaction.statistics
    #expect(statistics.readFailures.count == 1 && statistics.damages.isEmpty)
    #expect(statistics.lastError == nil)
    #expect(statistics.stepCount > 5, "the others are compacted")
    #expect(
      try store.statistics().log.segments.contains { $0.identifier == victim.identifier })
    // Nothing is lost, nothing comes back.
    fileSystem.setOverlays([])
    #expect(try store.statistics().objectCount == 150)
    try store.close()
    let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
    #expect(report.isIntact, "\(report)")
  }

  @Test("P19: a damaged segment stops no other, though all have tombstones of its records")
  func damagedBystander() throws {
    var store = try open { $0.log.maintenance = .none }
    try put(0..<2000, in: store)
    let victim = try #require(try store.statistics().log.segments.dropFirst(3).first)
    try delete((0..<2000).filter { $0 % 10 != 0 }, in: store)
    try put(3000..<3100, in: store)
    try store.close()
    fileSystem.removeFile(
      StoreDirectory.segment(victim.identifier).description, in: "/store")
    store = try open { $0.log.maintenance = .none }
    let before = try store.statistics().log.segments.count
    let steps = stepCount(store, limit: 3000)
    #expect(steps < 1000)
    let statistics = store.compaction.statistics
    #expect(statistics.damages.count == 1 && statistics.lastError == nil)
    #expect(statistics.segmentCount > before / 2)
  }

  @Test("What is dead where nothing can be read makes no haste")
  func haste() throws {
    let store = try open()
    for _ in 0..<2 { try put(0..<1000, in: store) }
    let log = try store.statistics().log
    let dead = Set(log.segments.filter { $0.live.recordCount == 0 }.map(\.identifier))
    #expect(log.space().deadFraction > 0.45)
    #expect(log.space(sparing: dead).deadFraction < 0.3)
    try store.close()
  }
}
