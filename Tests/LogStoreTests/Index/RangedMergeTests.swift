import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Merging all indexes a range of keys at a time.
@Suite struct RangedMergeTests {
  private static let rangeKeyCount: UInt64 = 40

  static func open(
    _ fileSystem: any FileSystem, readMode: LogConfiguration.ReadMode = .mapped,
    rangeKeyCount: UInt64 = rangeKeyCount, notesHeads: Bool = true
  ) throws(LogError) -> Log {
    var configuration = TestLog.configuration
    configuration.maintenance = .none
    configuration.readMode = readMode
    configuration.rangeKeyCountMinimum = rangeKeyCount
    configuration.notesHeads = notesHeads
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  /// Begins to merge the next range, or the first, or everything where that is too little.
  static func beginMerge(_ log: Log, _ range: RangedMerge? = nil) throws -> IndexMerge? {
    log.pipeline.enter("a test")
    defer { log.pipeline.leave() }
    try log.pipeline.putInOrder()
    return try log.pipeline.beginMerge(.single, range: range)
  }

  /// Merges the next range, or begins with the first.
  static func mergeRange(
    _ log: Log, _ range: RangedMerge?, isDurable: Bool = true,
    directoryByteCountMaximum: Int = MergedRunBuilder.directoryByteCountMaximum
  ) throws -> RangedMerge? {
    guard var merge = try beginMerge(log, range) else { return nil }
    merge.directoryByteCountMaximum = directoryByteCountMaximum
    guard let (run, spread) = try merge.perform(isCancelled: { false }) else { return nil }
    log.pipeline.enter("a test")
    let published = Result { try log.pipeline.publish(run, of: merge, isDurable: isDurable) }
    log.pipeline.leave()
    try published.get()
    guard var next = merge.range else { return range }
    next.lower = run.bounds.upper
    next.spread = next.spread + spread
    return next.lower == nil ? nil : next
  }

  /// The log has what `model` says of keys below `keyCount`, by look-ups and both ways of walking;
  /// whether it has.
  @discardableResult
  static func expect(
    _ log: Log, _ model: [Int: Int], _ place: String, keyCount: Int = 600
  ) throws -> Bool {
    let snapshot = log.snapshot()
    for number in 0..<keyCount {
      let found = try snapshot.record(for: TestLog.key(number), in: TestLog.people)?.payload
      if found != model[number].map(TestLog.payload) {
        Issue.record("\(place): key \(number)")
        return false
      }
    }
    let expected = Dictionary(
      uniqueKeysWithValues: model.map { (TestLog.key($0), TestLog.payload($1)) })
    let walked = try TestLog.contents(log)
    if walked != expected { Issue.record("\(place): the walk differs") }
    let backwards = try snapshot.records(in: TestLog.people, order: .descending)
    var (count, differing) = (0, 0)
    while let record = try backwards.next() {
      if expected[record.key] != record.record.payload { differing += 1 }
      count += 1
    }
    if differing > 0 { Issue.record("\(place): \(differing) backwards differ") }
    if count != model.count { Issue.record("\(place): \(count) backwards") }
    return walked == expected && differing == 0 && count == model.count
  }

  static func put(
    _ numbers: some Sequence<Int>, _ value: Int, _ log: Log, _ model: inout [Int: Int]
  ) throws {
    let batch = log.makeBatch()
    for number in numbers {
      try batch.put(
        TestLog.key(number), in: TestLog.people, schemaVersion: 0,
        payload: TestLog.payload(value))
      model[number] = value
    }
    try log.commit(batch)
  }

  /// A store with keys 0 to 499 in many segments, and runs of ranges over all of them.
  static func ranged(
    _ fileSystem: any FileSystem, readMode: LogConfiguration.ReadMode = .mapped
  ) throws -> (log: Log, model: [Int: Int]) {
    let log = try open(fileSystem, readMode: readMode)
    var model: [Int: Int] = [:]
    for start in 0..<20 {
      try put((0..<25).map { $0 * 20 + start }, start, log, &model)
      if start % 3 == 2 { try log.sealActiveSegment() }
    }
    try log.sealActiveSegment()
    try log.mergeIndexes()
    return (log, model)
  }

  @Test("Large indexes become runs that lie side by side and have every key once")
  func rangesLieSideBySide() throws {
    let fileSystem = InMemoryFileSystem()
    let (log, model) = try Self.ranged(fileSystem)
    let runs = log.pipeline.manifest.runs
    #expect(runs.count == 8)
    #expect(runs.reduce(0) { $0 + $1.keyCount } == 500)
    #expect(runs.first?.bounds.lower == nil && runs.last?.bounds.upper == nil)
    for (left, right) in zip(runs, runs.dropFirst()) {
      #expect(left.bounds.upper == right.bounds.lower && left.bounds.upper != nil)
    }
    #expect(try log.snapshot().view().beneath.sources.count == runs.count)
    try Self.expect(log, model, "merged")
    // There is nothing more to merge.
    #expect(try Self.mergeRange(log, nil) == nil)
    #expect(log.pipeline.manifest.runs == runs)
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("Keys that begin alike are not divided: look-ups could not tell their runs apart")
  func equalHeadsStayTogether() throws {
    let log = try Self.open(InMemoryFileSystem())
    for start in stride(from: 0, to: 400, by: 40) {
      let batch = log.makeBatch()
      for number in start..<(start + 40) {
        // Two of three begin with the same eight bytes.
        let head = number < 260 ? [UInt8](repeating: 7, count: 8) : [8, UInt8(number - 260)]
        try batch.put(
          head + TestLog.key(number), in: TestLog.people, schemaVersion: 0, payload: [1])
      }
      try log.commit(batch)
      try log.sealActiveSegment()
    }
    try log.mergeIndexes()
    let counts = log.pipeline.manifest.runs.map(\.keyCount)
    #expect(counts == [260, 51, 51, 38])
  }

  @Test("Merging all takes the room of a range or two besides what there is")
  func roomIsBounded() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try Self.open(fileSystem, rangeKeyCount: 1000)
    var model: [Int: Int] = [:]
    try Self.put(Array(0..<40_000), 1, log, &model)
    try log.sealActiveSegment()
    try Self.put(Array(0..<100), 2, log, &model)
    try log.sealActiveSegment()
    try log.mergeIndexes()
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    func byteCount() throws -> UInt64 {
      try directory.list().filter { $0.hasPrefix("index-") }.compactMap { FileName($0) }
        .reduce(0) { try $0 + directory.open($1, .read).size() }
    }
    #expect(log.pipeline.manifest.runs.count == 8)
    try Self.put(stride(from: 0, to: 40_000, by: 4).map { $0 }, 3, log, &model)
    try log.sealActiveSegment()
    let before = try byteCount()
    var most = before
    var range = try Self.mergeRange(log, nil)
    while range != nil {
      most = max(most, try byteCount())
      range = try Self.mergeRange(log, range)
    }
    #expect(most > before)
    #expect(most - before < before / 4, "\(before) bytes, then \(most)")
    #expect(try byteCount() < before + before / 8)
  }

  @Test(
    "P5: whatever happens between two ranges, no answer is wrong",
    arguments: [UInt64(1), 2, 3, 4, 5, 6, 7, 8, 9, 10])
  func everythingBetweenRanges(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let fileSystem = InMemoryFileSystem()
    let readMode: LogConfiguration.ReadMode = seed % 2 == 0 ? .mapped : .buffered
    var (log, model) = try Self.ranged(fileSystem, readMode: readMode)
    var range: RangedMerge?
    var largest = 0
    for step in 0..<120 {
      switch Int.random(in: 0..<12, using: &generator) {
      case 0...4:
        range = try Self.mergeRange(log, range, isDurable: Bool.random(using: &generator))
      case 5: try log.sealActiveSegment()
      case 6:
        let sealed = try log.statistics().segments.filter { !$0.isActive }
        let chosen = sealed.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
        let rewrite = try log.beginRewrite(of: Set(chosen.map(\.identifier)))
        _ = try rewrite.carryOver()
        try rewrite.publish()
      case 7 where Int.random(in: 0..<3, using: &generator) == 0:
        try log.close()
        log = try Self.open(fileSystem, readMode: readMode)
        range = nil
      case 8 where Int.random(in: 0..<3, using: &generator) == 0:
        try Self.damage(fileSystem, &generator)
      case 9:
        let numbers = (0..<20).map { _ in Int.random(in: 0..<600, using: &generator) }
        try TestLog.delete(numbers, log)
        for number in numbers { model[number] = nil }
      default:
        let numbers = (0..<20).map { _ in Int.random(in: 0..<600, using: &generator) }
        try Self.put(numbers, step, log, &model)
      }
      largest = max(largest, log.pipeline.manifest.runs.count)
      if step % 4 == 0 { try Self.expect(log, model, "seed \(seed), step \(step)") }
    }
    try Self.expect(log, model, "seed \(seed), at the end")
    #expect(largest > 4, "seed \(seed)")
    try log.mergeIndexes()
    try Self.expect(log, model, "seed \(seed), merged")
    try log.close()
    let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
    #expect(report.isIntact, "seed \(seed): \(report)")
  }

  /// Overwrites a part of a run's file, or removes it.
  private static func damage(
    _ fileSystem: InMemoryFileSystem, _ generator: inout SeededGenerator
  ) throws {
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    let names = try directory.list().filter { $0.hasPrefix("index-") }.sorted()
    guard let text = names.randomElement(using: &generator), let name = FileName(text) else {
      return
    }
    if Bool.random(using: &generator) { return try directory.remove(name) }
    let file = try directory.open(name, .readWrite)
    let offset = UInt64.random(in: 0..<(try file.size()), using: &generator)
    try [UInt8](repeating: 0xA5, count: 64).withUnsafeBytes { try file.write([$0], at: offset) }
  }

  @Test("P6: a damaged range is answered by footers, and the next merge writes it anew")
  func aDamagedRangeNeverLies() throws {
    let fileSystem = InMemoryFileSystem()
    let (log, model) = try Self.ranged(fileSystem)
    try log.close()
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    let names = try directory.list().filter { $0.hasPrefix("index-") }.sorted()
    for text in names {
      let name = try #require(FileName(text))
      let file = try directory.open(name, .readWrite)
      let bytes = try FileReading.all(of: file, limit: 1 << 30, name: name)
      for position in stride(from: 0, to: bytes.count, by: 173) {
        try [bytes[position] ^ 0x10].withUnsafeBytes {
          try file.write([$0], at: UInt64(position))
        }
        let log = try Self.open(fileSystem, readMode: position % 2 == 0 ? .mapped : .buffered)
        try Self.expect(log, model, "\(name), byte \(position)")
        try log.close()
        try [bytes[position]].withUnsafeBytes { try file.write([$0], at: UInt64(position)) }
      }
    }
    try directory.remove(try #require(names.dropFirst(2).first.flatMap { FileName($0) }))
    let again = try Self.open(fileSystem)
    try Self.expect(again, model, "missing")
    #expect(try again.statistics().runs.filter(\.isDamaged).count == 1)
    try again.mergeIndexes()
    #expect(try again.statistics().runs.filter(\.isDamaged).isEmpty)
    try Self.expect(again, model, "written anew")
    try again.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("A merge of all that fails between ranges leaves what was done, and is done by the next")
  func aFailureBetweenRanges() throws {
    let rehearsal = SimulatedFileSystem()
    let (rehearsed, _) = try Self.ranged(rehearsal)
    var ignored: [Int: Int] = [:]
    try Self.put(Array(0..<150), 7, rehearsed, &ignored)
    try rehearsed.sealActiveSegment()
    let begin = rehearsal.operationCount
    try rehearsed.mergeIndexes()
    let operations = rehearsal.operationCount - begin
    #expect(operations > 50)
    var (failed, mended) = (0, 0)
    for operation in stride(from: 1, through: operations, by: 3) {
      let fileSystem = SimulatedFileSystem()
      var (log, model) = try Self.ranged(fileSystem)
      try Self.put(Array(0..<150), 7, log, &model)
      try log.sealActiveSegment()
      fileSystem.setFaults([
        FaultPlan(operation: fileSystem.operationCount + operation, .fail(.noSpace))
      ])
      do { try log.mergeIndexes() } catch { failed += 1 }
      fileSystem.setFaults([])
      #expect(fileSystem.firedFaultCount == 1, "operation \(operation)")
      try Self.expect(log, model, "operation \(operation)")
      guard log.pipeline.poison == nil else { continue }
      mended += 1
      try log.mergeIndexes()
      #expect(log.pipeline.manifest.runs.count == 8, "operation \(operation)")
      try Self.expect(log, model, "operation \(operation), merged")
    }
    #expect(failed > 10 && mended > 10, "\(failed) failed, \(mended) were done by the next")
  }

  @Test("P1: a merge that the manifest does not list yet changes no answer, whenever power is lost")
  func anUnlistedMergeIsOnlyLost() throws {
    let fileSystem = SimulatedFileSystem()
    var (log, model) = try Self.ranged(fileSystem)
    try Self.put(Array(0..<150), 7, log, &model)
    try log.sealActiveSegment()
    let listed = log.pipeline.manifest.runs
    var range: RangedMerge?
    repeat {
      range = try Self.mergeRange(log, range, isDurable: false)
      let point = fileSystem.crashPoint()
      for choice in point.choices(exhaustiveUnitCount: 4, randomCount: 4) {
        let crashed = point.afterCrash(choice)
        let recovered = try Self.open(crashed)
        try Self.expect(recovered, model, "crashed")
        #expect(recovered.pipeline.manifest.runs == listed)
        try Self.put([599], 1, recovered, &model)
        model[599] = nil
        try recovered.close()
        let report = try LogVerifier.verify("/store", fileSystem: crashed)
        #expect(report.isIntact && report.notes.isEmpty, "\(report)")
      }
    } while range != nil
    try Self.expect(log, model, "merged")
    #expect(log.pipeline.manifest.runs != listed && !log.pipeline.replacedRuns.isEmpty)
    // What is sealed next has it listed, and what was replaced goes.
    try Self.put([500], 8, log, &model)
    try log.sealActiveSegment()
    #expect(log.pipeline.replacedRuns.isEmpty)
    let runs = log.pipeline.manifest.runs
    try log.close()
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    let names = try directory.list().filter { $0.hasPrefix("index-") }
    #expect(Set(names) == Set(runs.map { StoreDirectory.run($0.identifier).description }))
    let again = try Self.open(fileSystem)
    #expect(again.pipeline.manifest.runs == runs)
    try Self.expect(again, model, "again")
    try again.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("A merge that was given up is, whatever is said when it asks again")
  func givenUpOnce() throws {
    let log = try Self.open(InMemoryFileSystem())
    for start in [0, 10] {
      try TestLog.put(start..<(start + 10), log)
      try log.sealActiveSegment()
    }
    let merge = try #require(try Self.beginMerge(log))
    var askedCount = 0
    do throws(IndexMerge.Failure) {
      _ = try merge.perform {
        askedCount += 1
        return askedCount == 1
      }
      Issue.record("a merge that was given up was made")
    } catch {
      guard case .cancelled = error else { throw error }
    }
    #expect(askedCount == 1)
    try log.close()
  }

  @Test("A manifest that readers would refuse does not take the place of one that they accept")
  func impossibleManifests() throws {
    var manifest = Manifest(store: StoreIdentifier(low: 7, high: 9))
    try LogLimits.check(manifest, byteCount: 100)
    #expect(throws: LogError.self) {
      try LogLimits.check(manifest, byteCount: Int(LogLimits.manifestByteCount) + 1)
    }
    let descriptor = SegmentDescriptor(active: SegmentIdentifier(1), stream: .user, salt: 1)
    manifest.segments = [SegmentDescriptor](repeating: descriptor, count: 1 << 20)
    try LogLimits.check(manifest, byteCount: 100)
    manifest.segments.append(descriptor)
    #expect(throws: LogError.self) { try LogLimits.check(manifest, byteCount: 100) }
  }
}
