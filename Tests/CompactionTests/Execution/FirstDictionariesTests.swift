import FileIO
import LogStore
import StorageTestSupport
import Testing

@testable import Compaction

@Suite("Versions get a dictionary before there is anything to compact")
struct FirstDictionariesTests {
  typealias Base = DictionaryCompactionTests

  /// How many versions were looked at until none was left to look at.
  private static func makeAll(
    _ first: inout FirstDictionaries, _ log: Log, sparing unreadable: Set<SegmentIdentifier> = []
  ) throws -> Int {
    var count = 0
    while try first.makeOne(in: log, upgrader: NoUpgrade(), sparing: unreadable) {
      count += 1
      try #require(count < 100)
    }
    return count
  }

  /// As many records of each of several collections, in turn.
  private static func fill(
    _ log: Log, _ numbers: Range<Int>, collections: ClosedRange<UInt32> = 1...1
  ) throws {
    for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 100) {
      let batch = log.makeBatch()
      for collection in collections {
        for number in start..<(start + 100) {
          try batch.put(
            Base.key(number), in: CollectionIdentifier(collection), schemaVersion: 1,
            payload: Base.payload(number))
        }
      }
      try log.commit(batch)
    }
  }

  @Test("Each of many types gets one, once, though all lie in the same segments")
  func manyTypes() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Base.open(fileSystem, segmentByteCount: 4 << 20)
    try Self.fill(log, 0..<2100, collections: 1...20)
    try log.sealActiveSegment()
    var first = FirstDictionaries()
    #expect(try Self.makeAll(&first, log) == 20)
    #expect(try log.statistics().dictionaries.count == 20)
    #expect(try Self.makeAll(&first, log) == 0)
    var anew = FirstDictionaries()
    #expect(try Self.makeAll(&anew, log) == 0)
    let before = try log.statistics().live
    try Self.fill(log, 3000..<3100, collections: 1...20)
    let after = try log.statistics().live
    #expect((after.byteCount - before.byteCount) * 10 < before.byteCount / 21 * 7)
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("Too few records, or stale ones, get none")
  func noneDue() throws {
    let log = try Base.open(SimulatedFileSystem())
    try Self.fill(log, 0..<2000)
    try log.sealActiveSegment()
    var first = FirstDictionaries()
    #expect(try Self.makeAll(&first, log) == 0)
    try Base.put(2000..<5000, log, version: 0)
    try log.sealActiveSegment()
    #expect(
      try !first.makeOne(in: log, upgrader: Base.AddingUpgrader(), sparing: []),
      "they will have another version")
  }

  @Test("P19: what cannot be read is left out of the sample, and stops nobody")
  func unreadableSample() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Base.open(fileSystem, maintenance: .none, readMode: .buffered)
    try Self.fill(log, 0..<3000)
    try log.sealActiveSegment()
    let segments = try log.statistics().segments.filter { !$0.isActive }
    fileSystem.setOverlays(
      segments.map {
        let name = StoreDirectory.segment($0.identifier).description
        return ReadOverlay(file: "store/" + name, .unreadable(4096..<8192))
      })
    var first = FirstDictionaries()
    #expect(try Self.makeAll(&first, log) == 1)
    #expect(fileSystem.failedReadCount > 0)
    #expect(try log.statistics().dictionaries.count == 1)
    fileSystem.setOverlays([])
    try log.close()
  }

  @Test("What got none is looked at again when there is twice as much of it, and not before")
  func lookedAtAgain() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Base.open(fileSystem)
    try Self.fill(log, 0..<3000)
    try log.sealActiveSegment()
    var first = FirstDictionaries()
    let all = Set(try log.statistics().segments.map(\.identifier))
    #expect(try Self.makeAll(&first, log, sparing: all) == 0, "there is nothing to look at")
    fileSystem.setFaults([
      FaultPlan(
        operation: fileSystem.operationCount + 1, .fail(.noSpace), isPermanent: true,
        kinds: [.write, .create, .allocate])
    ])
    #expect(try Self.makeAll(&first, log) == 1)
    #expect(fileSystem.firedFaultCount > 0)
    fileSystem.setFaults([])
    #expect(try log.statistics().dictionaries.isEmpty)
    #expect(try Self.makeAll(&first, log) == 0)
    try Self.fill(log, 3000..<5900)
    try log.sealActiveSegment()
    #expect(try Self.makeAll(&first, log) == 0, "it is not twice as much")
    try Self.fill(log, 5900..<6000)
    #expect(try Self.makeAll(&first, log) == 1)
    #expect(try log.statistics().dictionaries.count == 1)
  }

  /// A log with damage from a part of its fullest segment on, and that segment.
  private static func damaged(
    _ fileSystem: SimulatedFileSystem, percent: Int
  ) throws -> (log: Log, segment: SegmentIdentifier) {
    let log = try Base.open(fileSystem)
    try fill(log, 0..<4000)
    let segments = try log.statistics().segments.filter { $0.recordCount > 0 }
    let richest = try #require(
      segments.max { $0.live.recordCount < $1.live.recordCount }?.identifier)
    try log.close()
    let name = StoreDirectory.segment(richest).description
    let byteCount = fileSystem.snapshotOfFiles(in: "/store")[name]?.count ?? 0
    for offset in stride(from: 200, to: byteCount * percent / 100, by: 30) {
      fileSystem.flipBit(3, of: name, in: "/store", at: offset)
    }
    return (try Base.open(fileSystem), richest)
  }

  @Test("P19: a damaged segment costs the dictionary, and nothing else", arguments: [85, 100])
  func damage(percent: Int) throws {
    // Its records, or its index too.
    let (log, richest) = try Self.damaged(SimulatedFileSystem(), percent: percent)
    var first = FirstDictionaries()
    #expect(try Self.makeAll(&first, log) == 1)
    #expect(try log.statistics().dictionaries.isEmpty)
    // It is not looked at again.
    #expect(try Self.makeAll(&first, log) == 0)
    guard percent < 100 else { return }
    // Who knows that it is damaged takes another one.
    var other = FirstDictionaries()
    #expect(try Self.makeAll(&other, log, sparing: [richest]) == 1)
    #expect(try log.statistics().dictionaries.count == 1)
  }

  @Test("P11: a disk that is full at any write costs the dictionary, and is not asked again")
  func fullDisk() throws {
    let files = SimulatedFileSystem()
    let log = try Base.open(files)
    try Self.fill(log, 0..<4000)
    try log.sealActiveSegment()
    let expected = try Base.contents(log).mapValues(\.payload)
    try log.close()
    let start = files.snapshotOfFiles(in: "/store")
    var withoutCount = 0
    for operation in 1...40 {
      let fileSystem = SimulatedFileSystem(files: start, in: "/store")
      let log = try Base.open(fileSystem)
      // Its first look at the files; only writes find the disk full.
      _ = try log.statistics()
      fileSystem.setFaults([
        FaultPlan(
          operation: fileSystem.operationCount + operation, .fail(.noSpace), isPermanent: true)
      ])
      var first = FirstDictionaries()
      do {
        #expect(try Self.makeAll(&first, log) <= 1, "operation \(operation)")
      } catch LogError.fileIO(let error) where error.reason == .noSpace {
        // Listing and reading fail here, too, which no full disk makes them do.
      }
      fileSystem.setFaults([])
      if try log.statistics().dictionaries.isEmpty { withoutCount += 1 }
      let found = try Base.contents(log).mapValues(\.payload)
      if found != expected { Issue.record("operation \(operation)") }
    }
    #expect(withoutCount > 5)
  }
}
