import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("Merging ranges of keys that fill a run, and indexes that lie")
struct FullRangeTests {
  private static func key(_ number: Int) -> [UInt8] {
    [UInt8](repeating: 7, count: 8) + TestLog.key(number) + [UInt8](repeating: 5, count: 200)
  }

  private static func put(
    _ numbers: some Sequence<Int>, _ value: Int, _ log: Log, key: (Int) -> [UInt8] = key
  ) throws {
    let batch = log.makeBatch()
    for number in numbers {
      try batch.put(
        key(number), in: TestLog.people, schemaVersion: 0, payload: TestLog.payload(value))
    }
    try log.commit(batch)
    try log.sealActiveSegment()
  }

  /// Of keys 0 to 399 the even ones are there, each with what `value` says, and no other.
  private static func expect(_ log: Log, _ value: (Int) -> Int, _ place: String) throws {
    let snapshot = log.snapshot()
    for number in 0..<400 {
      let found = try snapshot.record(for: key(number), in: TestLog.people)?.payload
      let expected = number % 2 == 0 ? TestLog.payload(value(number)) : nil
      try check(found == expected, "\(place): key \(number)")
    }
    let all = Dictionary(uniqueKeysWithValues: (0..<400).map { (key($0), $0) })
    for order in [KeyOrder.ascending, .descending] {
      let walk = try snapshot.records(in: TestLog.people, order: order)
      var numbers: [Int] = []
      while let next = try walk.next() { numbers.append(all[next.key] ?? -1) }
      let expected = Array(stride(from: 0, to: 400, by: 2))
      #expect(numbers == (order == .ascending ? expected : expected.reversed()), "\(place)")
    }
  }

  /// Merging them again and again for a run that can never hold them all wrote gigabytes each time.
  @Test("A range ends where its run is full, though all keys begin alike", arguments: [300, 700])
  func fullRunsEnd(directoryByteCountMaximum: Int) throws {
    let fileSystem = InMemoryFileSystem()
    let log = try RangedMergeTests.open(fileSystem)
    for part in 0..<4 { try Self.put(stride(from: 2 * part, to: 400, by: 8), 1, log) }
    var range: RangedMerge?
    var count = 0
    repeat {
      range = try RangedMergeTests.mergeRange(
        log, range, directoryByteCountMaximum: directoryByteCountMaximum)
      count += 1
    } while range != nil && count < 100
    let runs = log.pipeline.manifest.runs
    #expect(runs.count == count && count > 2)
    #expect(runs.reduce(0) { $0 + $1.keyCount } == 200)
    #expect(runs.allSatisfy { $0.heads?.first.head == runs[0].heads?.last.head })
    #expect(try log.snapshot().view().beneath.sources.count == runs.count)
    try Self.expect(log, { _ in 1 }, "merged")

    try Self.put(stride(from: 0, to: 400, by: 20), 2, log)
    func value(_ number: Int) -> Int { number % 20 == 0 ? 2 : 1 }
    try Self.expect(log, value, "changed")
    // The first of them again, from all there is.
    _ = try RangedMergeTests.mergeRange(
      log, nil, directoryByteCountMaximum: directoryByteCountMaximum)
    try Self.expect(log, value, "one again")
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
    let again = try RangedMergeTests.open(fileSystem)
    try Self.expect(again, value, "opened")
    try again.mergeIndexes()
    #expect(again.pipeline.manifest.runs.count == 1)
    try Self.expect(again, value, "all again")
    try again.close()
  }

  @Test("No more ranges are merged than readers accept, and what could not be listed is not")
  func mostRanges() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try RangedMergeTests.open(fileSystem, rangeKeyCount: 1)
    // Each page has two keys, and each run a page.
    func key(_ number: Int) -> [UInt8] {
      TestLog.key(number) + [UInt8](repeating: UInt8(number % 251), count: 1500)
    }
    for part in 0..<3 { try Self.put(stride(from: part, to: 600, by: 3), 1, log, key: key) }
    var range = try RangedMergeTests.mergeRange(log, nil, directoryByteCountMaximum: 0)
    var count = 1
    while let next = range, count < 600 {
      range = try RangedMergeTests.mergeRange(log, next, directoryByteCountMaximum: 0)
      count += 1
    }
    #expect(count > 128 && count <= LogLimits.rangedRunCount + 1)
    try log.close()
    let again = try RangedMergeTests.open(fileSystem, rangeKeyCount: 1)
    #expect(try TestLog.contents(again).count == 600)
    try again.close()
  }

  @Test("Where a merge of what came since is refused, ranges go on where they were")
  func refusedBetweenRanges() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try RangedMergeTests.open(fileSystem, rangeKeyCount: 1000)
    for part in 0..<4 {
      try Self.put(stride(from: part, to: 16_000, by: 4), 1, log, key: TestLog.key)
    }
    func merge() -> Bool {
      log.pipeline.enter("a test")
      defer { log.pipeline.leave() }
      return log.pipeline.maintenance.mergeInline(log.pipeline)
    }
    #expect(merge())
    let first = log.pipeline.manifest.runs
    try #require(first.count == 1 && first[0].bounds.upper != nil)
    for part in 0..<5 {
      try Self.put(
        stride(from: part, to: 1500, by: 5), 1, log, key: RefusedMergeTests.crowdedKey)
    }
    #expect(!merge())
    #expect(log.pipeline.manifest.runs == first)
    #expect(merge())
    let runs = log.pipeline.manifest.runs
    #expect(runs.count == 2 && runs.first == first.first)
    #expect(runs.last?.bounds.lower == first[0].bounds.upper)
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("A merged index whose keys do not ascend is damage to who merges it, not a range backwards")
  func unorderedRun() throws {
    let fileSystem = SimulatedFileSystem()
    func key(_ number: Int) -> [UInt8] {
      let digits = String(number + 1000).dropFirst()
      return [UInt8]("n-\(digits)-\(String(repeating: "x", count: 3 + number % 5))".utf8)
    }
    var log = try RangedMergeTests.open(fileSystem)
    for part in 0..<4 { try Self.put(stride(from: part, to: 300, by: 4), 1, log, key: key) }
    try log.mergeIndexes()
    let before = try TestLog.contents(log)
    let run = try #require(log.pipeline.manifest.runs.dropFirst().first)
    try log.close()

    let name = StoreDirectory.run(run.identifier).description
    var bytes = try #require(fileSystem.snapshotOfFiles(in: "/store")[name])
    let numbers = (0..<300).filter { run.bounds.contains(key($0)) }
    // None that the search for the beginning of the range looks at.
    let middle = numbers[numbers.count / 2 + 3]
    // The prefix of its page is "n-" and a digit at most.
    let text = key(middle).dropFirst(3)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: text) })
    bytes[place] = UInt8(ascii: "!")
    HostileIndexTests.signMerged(&bytes, salt: run.salt)
    fileSystem.replaceContents(of: name, in: "/store", with: bytes)

    log = try RangedMergeTests.open(fileSystem)
    // Where nobody else has keys, runs are copied.
    try Self.put([middle], 1, log, key: key)
    #expect(throws: LogError.self) { try log.mergeIndexes() }
    #expect(try log.statistics().runs.contains { $0.identifier == run.identifier && $0.isDamaged })
    try log.mergeIndexes()
    #expect(try TestLog.contents(log) == before)
    try log.close()
    let again = try RangedMergeTests.open(fileSystem)
    #expect(try TestLog.contents(again) == before)
    try again.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("A merge is given up wherever it asks, also at its end, and leaves no file")
  func givenUpAnywhere() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try RangedMergeTests.open(fileSystem, rangeKeyCount: 1 << 20)
    for part in 0..<2 {
      try Self.put(stride(from: part, to: 5000, by: 2), 1, log, key: TestLog.key)
    }
    var cancelledCount = 0
    while true {
      let merge = try #require(try RangedMergeTests.beginMerge(log))
      var count = 0
      do throws(IndexMerge.Failure) {
        let made = try merge.perform {
          count += 1
          return count > cancelledCount
        }
        #expect(made?.run.keyCount == 5000)
        break
      } catch {
        guard case .cancelled = error else { throw error }
        cancelledCount += 1
        let names = fileSystem.snapshotOfFiles(in: "/store").keys
        #expect(!names.contains { $0.hasPrefix("index-") })
      }
    }
    // In the walk, and where the locator is made.
    #expect(cancelledCount >= 2)
    try log.close()
  }

  @Test("P14: a page says no size that no page has, whatever its run's")
  func largePages() throws {
    var model = MergedRunTests.Model()
    model.keys = (0..<60).map { [UInt8($0)] + [UInt8](repeating: UInt8($0), count: 3000) }
    model.values = model.keys.map { _ in MemoryTableTests.value(1) }
    var bytes = try MergedRunTests.write(model)
    // The size in the header of a page in the middle: the outermost are read at opening.
    let number = 10
    let start = RunFormat.unit * (1 + number) + 20
    #expect(bytes[start + 1] & 0xF0 == 0x10)
    bytes[start + 2] |= 1
    let run = try MergedRunTests.open(bytes)
    let damage = #expect(throws: RunDamage.self) {
      try MergedRunTests.find(model.keys[number], CollectionIdentifier(1), in: run)
    }
    #expect(damage == .damaged("a page of the run has 69632 bytes"))
  }
}

extension RunBounds {
  fileprivate func contains(_ key: [UInt8]) -> Bool {
    key.withUnsafeBytes { contains(IndexKey(TestLog.people, $0)) }
  }
}
