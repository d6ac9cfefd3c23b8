import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Merging all indexes a range at a time, where only some ranges have new keys.
@Suite struct UntouchedRangeTests {
  private typealias Base = RangedMergeTests

  private static func put(
    _ numbers: some Sequence<Int>, _ value: Int, _ log: Log, _ model: inout [Int: Int]
  ) throws {
    try Base.put(numbers, value, log, &model)
    try log.sealActiveSegment()
  }

  /// 600 keys in four segments that each have keys everywhere, merged to eight ranges.
  private static func fill(_ log: Log) throws -> [Int: Int] {
    var model: [Int: Int] = [:]
    for start in 0..<4 { try put((0..<150).map { $0 * 4 + start }, start, log, &model) }
    try log.mergeIndexes()
    return model
  }

  private static func delete(
    _ numbers: some Sequence<Int>, _ log: Log, _ model: inout [Int: Int]
  ) throws {
    let batch = log.makeBatch()
    for number in numbers {
      try batch.delete(TestLog.key(number), in: TestLog.people)
      model[number] = nil
    }
    try log.commit(batch)
    try log.sealActiveSegment()
  }

  private static func rewrite(_ log: Log, _ segments: [SegmentIdentifier]) throws {
    let rewrite = try log.beginRewrite(of: Set(segments))
    while try rewrite.carryOver(atMost: 100) {}
    try rewrite.publish()
  }

  private static func sealed(_ log: Log) throws -> [SegmentIdentifier] {
    try log.snapshot().view().sealed.map(\.identifier)
  }

  private static func runs(_ log: Log) -> [RunDescriptor] {
    log.pipeline.manifest.runs.sorted { RunBounds.beginsEarlier($0.bounds, $1.bounds) }
  }

  /// The runs of `after` that are copies of one of `before`.
  private static func copies(_ after: [RunDescriptor], of before: [RunDescriptor]) -> [Int] {
    after.indices.filter { number in
      before.contains { $0.salt == after[number].salt && $0.bounds == after[number].bounds }
    }
  }

  @Test(
    "Ranges without new keys are copied, with the segments that came since; others end as before",
    arguments: [LogConfiguration.ReadMode.mapped, .buffered])
  func untouchedRangesAreCopied(readMode: LogConfiguration.ReadMode) throws {
    let fileSystem = InMemoryFileSystem()
    var log = try Base.open(fileSystem, readMode: readMode)
    var model = try Self.fill(log)
    let before = Self.runs(log)
    #expect(before.count == 8)
    // In the second and the third of eight ranges.
    try Self.put(100..<170, 7, log, &model)
    try log.mergeIndexes()
    let after = Self.runs(log)
    #expect(after.map(\.bounds) == before.map(\.bounds))
    #expect(Self.copies(after, of: before) == [0, 3, 4, 5, 6, 7])
    #expect(Set(after.map(\.identifier)).isDisjoint(with: before.map(\.identifier)))
    #expect(after.map(\.keyCount) == before.map(\.keyCount))
    let segments = try Self.sealed(log)
    for run in after { #expect(Set(run.segments).isSuperset(of: segments)) }
    #expect(try log.snapshot().view().beneath.sources.count == after.count)
    try Base.expect(log, model, "merged", keyCount: 620)
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
    log = try Base.open(fileSystem, readMode: readMode)
    try Base.expect(log, model, "merged", keyCount: 620)
    #expect(log.pipeline.manifest.runs.count == 8)
  }

  @Test("A range where many keys are needless is merged, though nobody else has keys there")
  func needlessKeysGo() throws {
    let log = try Base.open(InMemoryFileSystem())
    var model: [Int: Int] = [:]
    // The segments hold a quarter of the keys each, side by side.
    for quarter in 0..<4 {
      try Self.put((quarter * 150)..<(quarter * 150 + 150), quarter, log, &model)
    }
    try log.mergeIndexes()
    // All that the last two ranges hold goes, and so do the tombstones, as all is rewritten.
    try Self.delete(450..<600, log, &model)
    try Self.rewrite(log, try Self.sealed(log))
    let before = Self.runs(log)
    try Self.put(0..<20, 9, log, &model)
    try log.mergeIndexes()
    let after = Self.runs(log)
    #expect(after.reduce(0) { $0 + $1.keyCount } == 450)
    #expect(Self.copies(after, of: before) == [])
    try Base.expect(log, model, "merged", keyCount: 620)
  }

  @Test("A run that is damaged is not copied: its range is merged from the segments")
  func damagedRunsAreNotCopied() throws {
    for isShort in [false, true] {
      let fileSystem = SimulatedFileSystem()
      var log = try Base.open(fileSystem)
      var model = try Self.fill(log)
      try Self.put(0..<20, 7, log, &model)
      let damaged = Self.runs(log)[5]
      let name = StoreDirectory.run(damaged.identifier).description
      try log.close()
      if isShort {
        let directory = try fileSystem.openDirectory(at: "/store", create: false)
        try directory.open(StoreDirectory.run(damaged.identifier), .readWrite).truncate(to: 300)
      } else {
        fileSystem.flipBit(3, of: name, in: "/store", at: 200)
      }
      log = try Base.open(fileSystem)
      try log.mergeIndexes()
      try Base.expect(log, model, "merged", keyCount: 620)
      #expect(Self.runs(log).allSatisfy { $0.salt != damaged.salt })
      try log.close()
      #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
    }
  }

  @Test("Damage anywhere in a run that nobody touches goes with the next merge", arguments: 0..<24)
  func damageIsNotCopied(part: Int) throws {
    let fileSystem = SimulatedFileSystem()
    var log = try Base.open(fileSystem)
    var model = try Self.fill(log)
    try Self.put(0..<20, 7, log, &model)
    let damaged = Self.runs(log)[5]
    try log.close()
    let header = 96
    let place = header + (Int(damaged.byteCount) - header) * part / 24
    fileSystem.flipBit(
      part % 8, of: StoreDirectory.run(damaged.identifier).description, in: "/store",
      at: place)
    log = try Base.open(fileSystem)
    try log.mergeIndexes()
    try Base.expect(log, model, "merged", keyCount: 620)
    try log.close()
    let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
    #expect(report.isIntact && report.rebuildable.isEmpty, "at \(place) of \(damaged.byteCount)")
  }

  @Test("A run whose file went while it was open is merged from the segments")
  func missingRunsAreMerged() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Base.open(fileSystem, readMode: .mapped)
    var model = try Self.fill(log)
    try Base.expect(log, model, "open", keyCount: 620)
    try Self.put(0..<20, 7, log, &model)
    let missing = Self.runs(log)[5]
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    try directory.remove(StoreDirectory.run(missing.identifier))
    try log.mergeIndexes()
    #expect(Self.runs(log).count == 8)
    #expect(Self.runs(log).allSatisfy { $0.salt != missing.salt })
    try Base.expect(log, model, "merged", keyCount: 620)
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("P6: a run that cannot be read when it is to be copied is merged from the segments")
  func unreadableRunsAreMerged() throws {
    for start in [0, 300] {
      let fileSystem = SimulatedFileSystem()
      let log = try Base.open(fileSystem, readMode: .mapped)
      var model = try Self.fill(log)
      // What is mapped by now is seen as it was.
      try Base.expect(log, model, "open", keyCount: 620)
      try Self.put(0..<20, 7, log, &model)
      let unreadable = Self.runs(log)[5]
      let name = StoreDirectory.run(unreadable.identifier).description
      fileSystem.setOverlays([ReadOverlay(file: "store/" + name, .unreadable(start..<start + 8))])
      try log.mergeIndexes()
      #expect(fileSystem.failedReadCount > 0)
      #expect(Self.runs(log).count == 8)
      #expect(Self.runs(log).allSatisfy { $0.salt != unreadable.salt })
      try Base.expect(log, model, "merged from \(start)", keyCount: 620)
      try log.close()
      fileSystem.setOverlays([])
      #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
    }
  }

  @Test("Where all behind an untouched range went, merging ends with it, and nothing is left over")
  func nothingBehind() throws {
    let log = try Base.open(InMemoryFileSystem())
    var model: [Int: Int] = [:]
    // From the end of the sixth of eight ranges on all lie in segments of their own.
    let first = 456
    for start in 0..<3 {
      try Self.put(stride(from: start, to: first, by: 3), start, log, &model)
    }
    let others = Set(try Self.sealed(log))
    try Self.put(first..<600, 3, log, &model)
    try log.mergeIndexes()
    let cut = KeyCut(collection: 1, key: TestLog.key(first))
    try #require(Self.runs(log)[5].bounds.upper == cut)
    try Self.delete(first..<600, log, &model)
    try Self.rewrite(log, try Self.sealed(log).filter { !others.contains($0) })
    for round in 0..<3 {
      try Self.put(0..<20, 10 + round, log, &model)
      try log.mergeIndexes()
      let sources = try log.snapshot().view().beneath.sources
      #expect(sources.count == Self.runs(log).count, "round \(round)")
      #expect(Self.runs(log).count == 6)
      try Base.expect(log, model, "round \(round)", keyCount: 620)
    }
    #expect(Self.runs(log).last?.bounds.upper == nil)
  }

  @Test("Copies of runs that were written by older formats say between which keys theirs lie")
  func headsOfOlderRuns() throws {
    let fileSystem = InMemoryFileSystem()
    var log = try Base.open(fileSystem, notesHeads: false)
    var model = try Self.fill(log)
    #expect(Self.runs(log).allSatisfy { $0.heads == nil })
    try log.close()
    log = try Base.open(fileSystem)
    let before = Self.runs(log)
    try Self.put(100..<170, 7, log, &model)
    try log.mergeIndexes()
    #expect(Self.copies(Self.runs(log), of: before).count == 6)
    #expect(Self.runs(log).allSatisfy { $0.heads != nil })
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("Ranges end only between heads, where the run of before ended if that gives enough keys")
  func cuts() {
    func key(_ number: Int) -> [UInt8] { TestLog.key(number) + TestLog.key(number) }
    func cut(_ numbers: some Sequence<Int>, _ keyCount: UInt64, _ end: Int?) -> (Int, Int)? {
      let end = end.map { KeyCut(collection: 1, key: key($0)) }
      var cutting = RangeCutting(keyCount: keyCount, end: end)
      var count: UInt64 = 0
      for number in numbers {
        let bytes = key(number)
        let found = bytes.withUnsafeBytes {
          cutting.cut(before: IndexKey(CollectionIdentifier(1), $0), behind: count)
        }
        if let found { return (Int(count), found == end ? -1 : number) }
        count += 1
      }
      return nil
    }
    #expect(cut(0..<100, 10, nil) ?? (0, 0) == (10, 10))
    #expect(cut(0..<5, 10, nil) == nil)
    // At the end, though there are fewer keys, or more.
    #expect(cut(0..<100, 10, 7) ?? (0, 0) == (7, -1))
    #expect(cut(0..<100, 10, 15) ?? (0, 0) == (15, -1))
    // The key at the end went: the cut stays.
    #expect(cut(stride(from: 0, to: 100, by: 2), 10, 15) ?? (0, 0) == (8, -1))
    // Too few keys before it, or too many.
    #expect(cut(0..<100, 10, 4) ?? (0, 0) == (10, 10))
    #expect(cut(0..<100, 10, 30) ?? (0, 0) == (20, 20))
    #expect(cut(50..<100, 10, 4) ?? (0, 0) == (10, 60))
  }

  @Test("P7: whatever changes where, merged ranges give what was put", arguments: 1...12)
  func randomChanges(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let fileSystem = InMemoryFileSystem()
    var log = try Base.open(fileSystem, readMode: seed % 2 == 0 ? .mapped : .buffered)
    var model: [Int: Int] = [:]
    var (copied, merged) = (0, 0)
    for start in 0..<4 { try Self.put((0..<200).map { $0 * 4 + start }, start, log, &model) }
    try log.mergeIndexes()
    for round in 0..<30 {
      let center = Int.random(in: 0..<900, using: &generator)
      let changed = (center..<(center + .random(in: 1...90, using: &generator)))
        .filter { _ in Int.random(in: 0..<4, using: &generator) > 0 }
      if Int.random(in: 0..<4, using: &generator) == 0 {
        try Self.delete(changed, log, &model)
      } else {
        try Self.put(changed, round, log, &model)
      }
      if Int.random(in: 0..<3, using: &generator) == 0 {
        let count = Int.random(in: 1...5, using: &generator)
        try Self.rewrite(log, Array(try Self.sealed(log).shuffled(using: &generator).prefix(count)))
      }
      if Int.random(in: 0..<2, using: &generator) == 0 {
        let before = Self.runs(log)
        try log.mergeIndexes()
        let after = Self.runs(log)
        copied += Self.copies(after, of: before).count
        merged += after.count
      }
      if Int.random(in: 0..<6, using: &generator) == 0 {
        try log.close()
        log = try Base.open(fileSystem)
      }
      let place = "seed \(seed), round \(round)"
      if try !Base.expect(log, model, place, keyCount: 1000) { return }
    }
    #expect(copied > 10 && merged > copied + 10, "\(copied) of \(merged)")
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }
}
