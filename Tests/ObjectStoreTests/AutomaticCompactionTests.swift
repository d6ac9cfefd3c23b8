import FileIO
import ObjectStore
import StorageTestSupport
import Testing

/// The compaction that an open store does by itself, driven step by step.
@Suite("An open store keeps itself in shape")
struct AutomaticCompactionTests {
  static let base = Base(0) {
    Type("Note", key: "id") {
      Field("id", .int64)
      Field("text", .string)
    }
  }
  static let first = SchemaHistory { base }
  static let second = SchemaHistory {
    base
    Version(1) { On("Note") { Add("starred", .bool, default: .bool(false)) } }
  }
  static let failing = SchemaHistory {
    base
    Version(1) {
      On("Note") { Convert("text", to: .int64, .member("text").parseInteger) }
    }
  }

  let fileSystem = InMemoryFileSystem()
  let clock = ManualTimeSource()

  func open(
    _ history: SchemaHistory = first, on other: (any FileSystem)? = nil,
    _ change: (inout StoreConfiguration) -> Void = { _ in }
  ) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.log.segmentByteCountMinimum = 16 << 10
    configuration.log.segmentByteCountMaximum = 16 << 10
    configuration.log.compression = .none
    configuration.log.maintenance = .inline
    configuration.log.timeSource = clock
    configuration.log.diskReserveByteCountMaximum = 0
    configuration.compaction.mode = .manual
    change(&configuration)
    return try Store.open(
      at: "/store", history: history, configuration: configuration,
      fileSystem: other ?? fileSystem)
  }

  /// Puts notes; each batch is a commit, so that segments fill one after the other.
  func put(_ ids: Range<Int>, in store: Store, _ text: String = "text") throws {
    let filler = String(repeating: "x", count: 100)
    for start in stride(from: ids.lowerBound, to: ids.upperBound, by: 20) {
      try store.write(durability: .process) { transaction in
        for id in start..<min(start + 20, ids.upperBound) {
          let note = try transaction.makeObject(
            ofType: "Note", ["id": .int(Int64(id)), "text": .string("\(text) \(id) \(filler)")])
          try transaction.put(note)
        }
      }
    }
  }

  /// Puts every third note again, so that segments are dead in part.
  func thin(_ ids: Range<Int>, in store: Store) throws {
    for start in ids where start % 60 == 0 {
      try store.write(durability: .process) { transaction in
        for id in stride(from: start, to: min(start + 60, ids.upperBound), by: 3) {
          let note = try transaction.makeObject(
            ofType: "Note", ["id": .int(Int64(id)), "text": .string("thin")])
          try transaction.put(note)
        }
      }
    }
  }

  func contents(_ store: Store) throws -> [String] {
    let objects = try store.snapshot().objects(ofType: "Note")
    var lines: [String] = []
    while let object = try objects.next() {
      lines.append("\(object.members.sorted { $0.key < $1.key })")
    }
    return lines
  }

  @Test("What is dead goes, what is live stays, and it rests when a fifth is dead at most")
  func space() throws {
    let store = try open()
    try put(0..<1000, in: store)
    #expect(!store.compaction.step(), "there is nothing to do yet")
    for _ in 0..<3 { try put(0..<1000, in: store) }
    let before = try store.statistics().log
    let expected = try contents(store)
    while store.compaction.step() {}
    let after = try store.statistics().log
    #expect(after.byteCount < before.byteCount / 2)
    #expect(try contents(store) == expected)
    let statistics = store.compaction.statistics
    #expect(statistics.deadFraction <= 0.2)
    #expect(statistics.stepCount > 0 && statistics.cancelledCount == 0)
    #expect(statistics.lastError == nil && statistics.damages.isEmpty)
    try store.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
    let reopened = try open()
    #expect(try contents(reopened) == expected)
  }

  func paced(
    urgentDeadFraction: Double, byteCountPerSecond: UInt64 = 1 << 20
  ) throws -> AutomaticCompactionStatistics {
    let store = try open { configuration in
      configuration.compaction.pace = CompactionPace(
        byteCountPerSecond: byteCountPerSecond, processorShare: 1)
      configuration.compaction.urgentDeadFraction = urgentDeadFraction
    }
    for _ in 0..<2 { try put(0..<2000, in: store) }
    try thin(0..<2000, in: store)
    while store.compaction.step() {}
    return store.compaction.statistics
  }

  @Test(
    "Each slice is followed by the rest that the budget asks for, be it many minutes",
    arguments: [1 << 20, 20] as [UInt64])
  func pacing(byteCountPerSecond: UInt64) throws {
    let statistics = try paced(urgentDeadFraction: 1, byteCountPerSecond: byteCountPerSecond)
    let seconds = Double(statistics.restNanoseconds) / 1e9
    let rate = Double(statistics.copiedByteCount) / seconds
    #expect(statistics.copiedByteCount > 0)
    // The last slice of a step is followed by the next step's plan, not by a rest.
    #expect(rate < 2 * Double(byteCountPerSecond), "\(statistics)")
  }

  @Test("What is urgent does not wait for the budget, and what is left rests again")
  func urgency() throws {
    let strict = try paced(urgentDeadFraction: 1)
    let urgent = try paced(urgentDeadFraction: 0.2)
    #expect(urgent.copiedByteCount > 0)
    #expect(urgent.restNanoseconds < strict.restNanoseconds / 2, "\(urgent)")
  }

  @Test("Before anything is dead, commits get a dictionary to compress against")
  func firstDictionary() throws {
    let store = try open { $0.log.compression = .automatic }
    func put(_ ids: Range<Int>) throws {
      for start in stride(from: ids.lowerBound, to: ids.upperBound, by: 100) {
        try store.write(durability: .process) { transaction in
          for id in start..<(start + 100) {
            let text = "person \(id) lives in house \(id % 97) of street \(id % 13), as always"
            let note = try transaction.makeObject(
              ofType: "Note", ["id": .int(Int64(id)), "text": .string(text)])
            try transaction.put(note)
          }
        }
      }
    }
    try put(0..<1000)
    #expect(!store.compaction.step())
    #expect(try store.statistics().log.dictionaries.isEmpty, "there are too few records yet")
    try put(1000..<4000)
    #expect(store.compaction.step())
    #expect(try store.statistics().log.dictionaries.count == 1)
    let before = try store.statistics().log.live
    try put(4000..<5000)
    let after = try store.statistics().log.live
    let fresh = Double(after.byteCount - before.byteCount) / 1000
    #expect(fresh < 0.75 * Double(before.byteCount) / Double(before.recordCount))
    // It is made once.
    #expect(!store.compaction.step())
    #expect(store.compaction.statistics.lastError == nil)
    #expect(try store.statistics().log.dictionaries.count == 1)
    let expected = try contents(store)
    try store.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
    #expect(try contents(try open()) == expected)
  }

  @Test("Paused, it does nothing, and goes on when it is resumed")
  func pausing() throws {
    let store = try open()
    for _ in 0..<4 { try put(0..<1000, in: store) }
    let before = try fileSystem.filesByName(in: "/store")
    store.compaction.pause()
    #expect(store.compaction.statistics.activity == .paused)
    #expect(!store.compaction.step())
    #expect(try fileSystem.filesByName(in: "/store") == before)
    store.compaction.resume()
    #expect(store.compaction.step())
    #expect(store.compaction.statistics.activity == .idle)
    #expect(try fileSystem.filesByName(in: "/store") != before)
  }

  @Test("R39: records are upgraded for good while they are copied")
  func upgrades() throws {
    var store = try open()
    try put(0..<1000, in: store)
    try store.close()
    store = try open(Self.second)
    let expected = try contents(store)
    while store.compaction.step() {}
    #expect(store.compaction.statistics.upgradedCount == 1000)
    #expect(try store.statistics().oldestVersion == 1)
    #expect(try contents(store) == expected)
  }

  @Test("H13: upgrades are held back until the version is old enough, and reads upgrade meanwhile")
  func holdingBack() throws {
    let day: UInt64 = 86_400
    let start = clock.secondsSince1970() + 1_000_000_000
    clock.set(secondsSince1970: start)
    var store = try open()
    for _ in 0..<2 { try put(0..<1000, in: store) }
    try store.close()
    store = try open(Self.second) { $0.compaction.upgradeThrough = .olderThan(days: 14) }
    while store.compaction.step() {}
    #expect(store.compaction.statistics.upgradedCount == 0)
    #expect(store.compaction.statistics.stepCount > 0, "dead records go all the same")
    #expect(try contents(store)[0].contains("starred"))
    clock.set(secondsSince1970: start + 14 * day - 1)
    #expect(!store.compaction.step())
    #expect(try store.compact().upgradedCount == 0)
    clock.set(secondsSince1970: start + 14 * day)
    while store.compaction.step() {}
    #expect(store.compaction.statistics.upgradedCount == 1000)
  }

  @Test("H13: a version that was not shipped makes nothing permanent, and reads upgrade meanwhile")
  func unshipped() throws {
    var store = try open()
    for _ in 0..<2 { try put(0..<100, in: store) }
    try store.close()
    store = try open(Self.second) { $0.compaction.upgradeThrough = .shipped(0) }
    #expect(try store.compact().upgradedCount == 0)
    #expect(try contents(store)[0].contains("starred"))
    try store.close()
    store = try open(Self.second) { $0.compaction.upgradeThrough = .shipped(1) }
    #expect(try store.compact().upgradedCount == 100)
  }

  @Test("P19: records whose upgrade fails are kept, and are not tried for ever")
  func failures() throws {
    var store = try open()
    try put(0..<500, in: store)
    try store.close()
    store = try open(Self.failing)
    while store.compaction.step() {}
    let statistics = store.compaction.statistics
    #expect(statistics.failedCount > 0 && statistics.upgradedCount == 0)
    #expect(statistics.stepCount < 10)
    #expect(try store.statistics().objectCount == 500)
  }

  @Test("P19: a record whose upgrade fails keeps no others of its version from being upgraded")
  func fewFailures() throws {
    var store = try open()
    for start in [0, 1000] {
      try store.write { transaction in
        try transaction.put(
          transaction.makeObject(
            ofType: "Note", ["id": .int(Int64(5000 + start)), "text": "broken"]))
      }
      try put(start..<(start + 1000), in: store)
    }
    try store.close()
    store = try open(
      SchemaHistory {
        Self.base
        Version(1) {
          On("Note") {
            Convert("text", to: .string) { (text: String) throws(BrokenText) in
              if text == "broken" { throw BrokenText() }
              return text
            }
          }
        }
      })
    while store.compaction.step() {}
    let statistics = store.compaction.statistics
    #expect(statistics.upgradedCount == 2000)
    #expect(statistics.failedCount >= 2)
    #expect(statistics.stepCount < 100)
    // What is left is rewritten for its dead records like any other, and comes to an end.
    try thin(0..<2000, in: store)
    while store.compaction.step() {}
    let settled = store.compaction.statistics
    #expect(settled.deadFraction < 0.3)
    // Who asks for a compaction has them tried, and nobody tries them again because of that.
    try store.compact()
    while store.compaction.step() {}
    #expect(store.compaction.statistics.failedCount == settled.failedCount)
    try store.close()
  }

  struct BrokenText: Error {}

  @Test("A segment that does not verify is left alone, and does not hold up the others")
  func damage() throws {
    let store = try open { $0.log.readMode = .buffered }
    try put(0..<1000, in: store)
    try thin(0..<1000, in: store)
    let victim = try #require(
      try store.statistics().log.segments.first {
        $0.liveFraction > 0.4 && $0.liveFraction < 0.8
      })
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    let digits = "0000000" + String(victim.identifier.rawValue, radix: 16)
    let name = try #require(FileName("segment-\(digits.suffix(8)).log"))
    let file = try directory.open(name, .readWrite)
    var bytes = [UInt8](repeating: 0, count: Int(victim.byteCount))
    _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    for index in bytes.indices.dropFirst(200) where index % 200 == 0 { bytes[index] ^= 0xFF }
    try bytes.withUnsafeBytes { try file.write([$0], at: 0) }
    for _ in 0..<100 where store.compaction.step() {}
    #expect(!store.compaction.step())
    let statistics = store.compaction.statistics
    #expect(statistics.damages.count == 1)
    #expect(try directory.list().contains(name.description))
    #expect(statistics.stepCount > 1)
  }

  @Test("A long snapshot holds nothing up, and the space that it pins is told")
  func snapshots() throws {
    let store = try open()
    for _ in 0..<2 { try put(0..<1000, in: store) }
    let snapshot = store.snapshot()
    for _ in 0..<2 { try put(0..<1000, in: store, "new") }
    while store.compaction.step() {}
    #expect(store.compaction.statistics.stepCount > 0)
    let pinned = try store.statistics().log.snapshots.pinnedByteCount
    #expect(pinned > 0)
    #expect(
      "\(String(describing: try snapshot.object(ofType: "Note", key: .int(1))))".contains("text 1"))
  }

  @Test("A compaction that somebody asks for comes first, and both can be used in turn")
  func foreground() throws {
    let store = try open()
    for _ in 0..<3 { try put(0..<1000, in: store) }
    #expect(store.compaction.step())
    try store.compact()
    #expect(!store.compaction.step())
    #expect(store.compaction.statistics.deadFraction < 0.05, "frames' headers are no records")
  }

  @Test("A poisoned store stops it, and so does closing")
  func stopping() async throws {
    let simulated = SimulatedFileSystem()
    var configuration = StoreConfiguration()
    configuration.log.segmentByteCountMinimum = 16 << 10
    configuration.log.segmentByteCountMaximum = 16 << 10
    configuration.log.maintenance = .inline
    configuration.compaction.mode = .manual
    let store = try Store.open(
      at: "/store", history: Self.first, configuration: configuration, fileSystem: simulated)
    for _ in 0..<3 { try put(0..<1000, in: store) }
    let progress = store.compaction.progress
    simulated.setFaults([
      FaultPlan(
        operation: simulated.operationCount + 1, .failedSynchronization(.sticky),
        isPermanent: true, kinds: [.synchronize])
    ])
    #expect(!store.compaction.step())
    #expect(!store.compaction.step())
    #expect(store.compaction.statistics.activity == .stopped)
    #expect(store.compaction.statistics.lastError != nil)
    for await _ in progress {}
  }

  @Test("Progress is told slice by slice, and ends with the store")
  func progress() async throws {
    let store = try open()
    for _ in 0..<4 { try put(0..<4000, in: store) }
    let progress = store.compaction.progress
    #expect(store.compaction.step())
    try store.close()
    var last: CompactionProgress?
    for await value in progress { last = value }
    #expect(last?.stepCountTotal == 1)
    #expect(store.compaction.statistics.activity == .stopped)
    #expect(!store.compaction.step())
  }

  @Test("By itself, on its own thread, it begins when segments fill; closing ends it")
  func automatic() async throws {
    let store = try open { configuration in
      configuration.log.maintenance = .background
      configuration.compaction.mode = .automatic
      configuration.compaction.pace = .unlimited
      configuration.log.timeSource = SystemTimeSource()
    }
    let progress = store.compaction.progress
    for _ in 0..<6 { try put(0..<1000, in: store) }
    for await value in progress where value.stepCount == 1 { break }
    #expect(
      store.compaction.statistics.stepCount > 0 || store.compaction.statistics.copiedByteCount > 0)
    try store.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }
}
