import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// A store whose manifest is damaged or gone is served from its segments, or refused; never wrong.
@Suite struct ManifestRebuildingTests {
  /// Small stores in the states that a manifest can describe.
  enum Kind: String, CaseIterable {
    case oneSegment, unclosed, severalSegments, compacted, compactedUnclosed, emptied, repaired
    case large, largeAndMore
  }

  static func store(_ kind: Kind) throws -> SimulatedFileSystem {
    let fileSystem = SimulatedFileSystem()
    let log = try open(fileSystem)
    try TestLog.put(0..<10, log)
    switch kind {
    case .oneSegment:
      try log.close()
    case .unclosed:
      try TestLog.delete([3], log)
    case .severalSegments:
      for start in 1..<8 { try TestLog.put((start * 10)..<(start * 10 + 12), log) }
      try TestLog.delete(5..<15, log)
      try log.close()
    case .compacted, .compactedUnclosed:
      try fillAndCompact(log)
      if kind == .compacted { try log.close() }
    case .emptied:
      try log.sealActiveSegment()
      try TestLog.delete(0..<10, log)
      try log.sealActiveSegment()
      try rewriteAll(log)
      #expect(try log.statistics().segments.allSatisfy { $0.recordCount == 0 })
      try log.close()
    case .large, .largeAndMore:
      try putMany(1000..<1040, log)
      if kind == .largeAndMore { try TestLog.put([2000], log) }
    case .repaired:
      let crashed = fileSystem.afterCrash(.processKill)
      let again = try TestLog.open(crashed)
      try TestLog.put(10..<12, again)
      return crashed.afterCrash(.processKill)
    }
    return fileSystem.afterCrash(.processKill)
  }

  /// Transactions above 1 KiB are large.
  private static func open(_ fileSystem: SimulatedFileSystem) throws(LogError) -> Log {
    var configuration = TestLog.configuration
    configuration.transactionByteCountInMemory = 1 << 10
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  private static func putMany(_ numbers: Range<Int>, _ log: Log, givesUp: Bool = false) throws {
    try log.transact { transaction in
      for number in numbers {
        try transaction.put(
          TestLog.key(number), in: TestLog.people, schemaVersion: 0,
          payload: (0..<200).map { UInt8(truncatingIfNeeded: number &* ($0 + 7)) })
      }
      if givesUp { throw CaseFailure("given up") }
    }
  }

  private static func fillAndCompact(_ log: Log) throws {
    try TestLog.put(10..<40, log, version: 1)
    try log.sealActiveSegment()
    try TestLog.delete(0..<20, log)
    try log.sealActiveSegment()
    try rewriteAll(log)
    try TestLog.put(15..<25, log, version: 2)
    try log.sealActiveSegment()
    try TestLog.delete([24], log)
    try TestLog.put([50], log)
  }

  static func rewriteAll(_ log: Log) throws {
    let sealed = try log.statistics().segments.filter { !$0.isActive }
    let rewrite = try log.beginRewrite(of: Set(sealed.map(\.identifier)))
    while let record = try rewrite.next() { try rewrite.keep(record) }
    try rewrite.publish()
  }

  /// What a store holds, as it must be after its manifest was damaged.
  struct Contents: Equatable {
    var records: [[UInt8]: [UInt8]]
    var live: [CollectionVersion: RecordTotals]
    var lastSequence: CommitSequence

    init(_ log: Log) throws {
      records = try TestLog.contents(log)
      live = try log.statistics().liveByVersion
      lastSequence = log.snapshot().lastSequence
    }
  }

  @Test(
    "a damaged, cut or missing manifest is rebuilt from the log, which opening does not change",
    arguments: Kind.allCases)
  func everyDamageOfTheManifestIsServed(kind: Kind) throws {
    let intact = try Self.store(kind)
    let expected = try Contents(TestLog.open(intact, access: .readOnly))
    let files = intact.snapshotOfFiles(in: "/store")
    let manifest = try #require(files["MANIFEST"])
    var damaged: [[UInt8]?] = [nil, [], [UInt8](repeating: 0, count: manifest.count)]
    for position in manifest.indices {
      var bytes = manifest
      bytes[position] ^= 1 << UInt8(position % 8)
      damaged.append(bytes)
      damaged.append(Array(manifest[..<position]))
    }
    damaged.append(manifest + [0])
    var failures: [String] = []
    for (number, bytes) in damaged.enumerated() {
      var changed = files
      changed["MANIFEST"] = bytes
      let fileSystem = SimulatedFileSystem(files: changed, in: "/store")
      do {
        let log = try TestLog.open(fileSystem, access: .readOnly)
        if try Contents(log) != expected { failures.append("damage \(number): other contents") }
        if log.recoveryReport.rebuiltManifest?.file != "MANIFEST" {
          failures.append("damage \(number): not reported")
        }
        try log.close()
        if fileSystem.snapshotOfFiles(in: "/store") != changed {
          failures.append("damage \(number): opening changed a file")
        }
        if number % 16 < 3 { try Self.expectLife(fileSystem, expected, changed) }
      } catch { failures.append("damage \(number): \(error)") }
    }
    print("\(kind): \(damaged.count) damaged manifests, \(failures.count) not served")
    let isServed = failures.isEmpty
    #expect(isServed, "\(failures.prefix(5))")
  }

  /// Opening and closing changes nothing; the first write puts a new manifest in place.
  private static func expectLife(
    _ fileSystem: SimulatedFileSystem, _ expected: Contents, _ files: [String: [UInt8]]
  ) throws {
    try TestLog.open(fileSystem).close()
    guard fileSystem.snapshotOfFiles(in: "/store") == files else {
      throw CaseFailure("a session that wrote nothing changed a file")
    }
    let log = try TestLog.open(fileSystem)
    try TestLog.put([99], log)
    try log.close()
    let again = try TestLog.open(fileSystem)
    var records = expected.records
    records[TestLog.key(99)] = TestLog.payload(99)
    guard try TestLog.contents(again) == records, again.recoveryReport.rebuiltManifest == nil else {
      throw CaseFailure("the new manifest is not as the old one was")
    }
    try again.close()
    guard fileSystem.snapshotOfFiles(in: "/store")["MANIFEST.damaged"] == files["MANIFEST"] else {
      throw CaseFailure("the damaged manifest was not kept")
    }
    let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
    guard report.isIntact else { throw CaseFailure("\(report)") }
  }

  @Test(
    "after a crash at any operation the state without the manifest is the one with it, or refused",
    arguments: [UInt64(1), 3, 6], CrashProfile.allCases)
  func everyCrashIsRebuiltOrRefused(seed: UInt64, profile: CrashProfile) throws {
    let fileSystem = SimulatedFileSystem(profile: profile)
    fileSystem.recordCrashPoints()
    var workload = CrashWorkload(seed: seed, on: fileSystem)
    try workload.run(stepCount: 40)
    var served = 0
    var refused: [String: Int] = [:]
    var failures: [String] = []
    for point in fileSystem.crashPoints {
      for choice in point.choices(exhaustiveUnitCount: 3, randomCount: 2, seed: seed) {
        let crashed = point.afterCrash(choice)
        let before = crashed.snapshotOfFiles(in: "/store")
        guard before["MANIFEST"] != nil, before.count > 1 else { continue }
        do {
          let expected = try Contents(CrashWorkload.open(crashed.pristineCopy(), seed: seed))
          let damaged = crashed.pristineCopy()
          damaged.removeFile("MANIFEST", in: "/store")
          do {
            let found = try Contents(CrashWorkload.open(damaged, seed: seed))
            served += 1
            if found != expected { failures.append("\(point), \(choice): other contents") }
          } catch LogError.corruption(let report) {
            refused[report.reason, default: 0] += 1
          } catch LogError.notAStore {
            refused["no segment", default: 0] += 1
          }
        } catch { failures.append("\(point), \(choice): \(error)") }
      }
    }
    print("seed \(seed), \(profile): \(served) served, refused: \(refused)")
    let isRight = failures.isEmpty
    #expect(isRight, "seed \(seed), \(profile): \(failures.count), \(failures.prefix(5))")
    #expect(served > 200)
    #expect(refused.values.reduce(0, +) * 20 < served)
  }

  @Test("removed files that come back, in any mix, bring no record back", arguments: UInt64(1)...8)
  func removedFilesBringNothingBack(seed: UInt64) throws {
    let fileSystem = SimulatedFileSystem()
    fileSystem.recordCrashPoints()
    var workload = CrashWorkload(seed: seed + 100, on: fileSystem)
    try workload.run(stepCount: 60)
    var generator = SeededGenerator(seed: seed)
    var history: [String: [UInt8]] = [:]
    var tally = Tally()
    for point in fileSystem.crashPoints {
      let crashed = point.afterCrash(.processKill)
      let files = crashed.snapshotOfFiles(in: "/store")
      for (name, bytes) in files where name.hasPrefix("segment") { history[name] = bytes }
      guard files["MANIFEST"] != nil, point.operation % 3 == 0 else { continue }
      for name in history.keys.sorted() where files[name] == nil {
        if let bytes = history[name], Bool.random(using: &generator) {
          crashed.replaceContents(of: name, in: "/store", with: bytes)
        }
      }
      tally.compare(crashed, seed: seed, "\(point)")
    }
    print("leftovers, seed \(seed): \(tally)")
    let isRight = tally.failures.isEmpty
    #expect(isRight, "seed \(seed): \(tally.failures.prefix(5))")
    #expect(tally.served > 90)
  }

  @Test("an error at any operation, and what the writer did after it, is rebuilt or refused")
  func everyErrorIsRebuiltOrRefused() throws {
    let seed: UInt64 = 3
    let rehearsal = SimulatedFileSystem()
    var workload = CrashWorkload(seed: seed, on: rehearsal)
    try workload.run(stepCount: 40)
    var tally = Tally()
    for operation in stride(from: 1, through: rehearsal.operationCount, by: 2) {
      let fileSystem = SimulatedFileSystem()
      fileSystem.setFaults([FaultPlan(operation: operation, .fail(.noSpace))])
      var workload = CrashWorkload(seed: seed, on: fileSystem, toleratesErrors: true)
      try? workload.run(stepCount: 40)
      fileSystem.setFaults([])
      #expect(fileSystem.firedFaultCount == 1, "operation \(operation)")
      tally.compare(fileSystem.pristineCopy(), seed: seed, "error at \(operation)")
    }
    print("errors: \(tally)")
    let isRight = tally.failures.isEmpty
    #expect(isRight, "\(tally.failures.prefix(5))")
    #expect(tally.served > rehearsal.operationCount / 4)
  }

  @Test("a large commit is rebuilt whole or not at all, and one that was given up never")
  func largeCommitsAreWhole() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.open(fileSystem)
    try TestLog.put(0..<10, log)
    let before = try Contents(log).records
    fileSystem.recordCrashPoints()
    #expect(throws: CaseFailure.self) { try Self.putMany(1000..<1060, log, givesUp: true) }
    try Self.putMany(1000..<1060, log)
    let after = try Contents(log).records
    try TestLog.put([3000], log)
    var leftovers: [String: [UInt8]] = [:]
    var failures: [String] = []
    var counts = (before: 0, after: 0, more: 0, refused: 0)
    for point in fileSystem.crashPoints {
      for choice in point.choices(exhaustiveUnitCount: 2, randomCount: 2) {
        let crashed = point.afterCrash(choice)
        let with = try Contents(TestLog.open(crashed.pristineCopy())).records
        crashed.removeFile("MANIFEST", in: "/store")
        for (name, bytes) in leftovers
        where crashed.snapshotOfFiles(in: "/store")[name] == nil {
          crashed.replaceContents(of: name, in: "/store", with: bytes)
        }
        do {
          let found = try Contents(TestLog.open(crashed)).records
          if found == before { counts.before += 1 } else if found == after { counts.after += 1 }
          if found != before, found != after { counts.more += 1 }
          // A whole one that no manifest listed yet counts: its writer was about to be told so.
          if found != with, !(with == before && found == after) {
            failures.append("\(point), \(choice)")
          }
        } catch LogError.corruption {
          counts.refused += 1
        }
      }
      let files = point.afterCrash(.processKill).snapshotOfFiles(in: "/store")
      for (name, bytes) in files where name.hasPrefix("segment") { leftovers[name] = bytes }
    }
    print("large commits: \(counts)")
    let isRight = failures.isEmpty
    #expect(isRight, "\(failures.prefix(5))")
    #expect(counts.before > 10 && counts.after > 10 && counts.more > 0)
  }

  @Test("a crash while the rebuilt manifest is put in place loses nothing, with it or without it")
  func crashesWhileItIsPutInPlace() throws {
    var tally = Tally()
    for kind in Kind.allCases {
      let fileSystem = try Self.store(kind)
      fileSystem.flipBit(3, of: "MANIFEST", in: "/store", at: 30)
      let before = try Contents(TestLog.open(fileSystem, access: .readOnly)).records
      fileSystem.recordCrashPoints()
      let log = try TestLog.open(fileSystem)
      try TestLog.put([77], log)
      try log.close()
      var after = before
      after[TestLog.key(77)] = TestLog.payload(77)
      for point in fileSystem.crashPoints {
        for choice in point.choices(exhaustiveUnitCount: 4, randomCount: 4) {
          let crashed = point.afterCrash(choice)
          let found = try TestLog.contents(TestLog.open(crashed.pristineCopy()))
          if found != before, found != after { tally.failures.append("\(kind), \(point)") }
          tally.compare(crashed, seed: 1, "\(kind), \(point), \(choice)")
        }
      }
    }
    print("crashes of the first write: \(tally)")
    let isRight = tally.failures.isEmpty
    #expect(isRight, "\(tally.failures.prefix(5))")
  }

  /// Compares stores without their manifests to the same with them.
  struct Tally: CustomStringConvertible {
    var served = 0
    var refused = 0
    var failures: [String] = []

    var description: String { "\(served) served, \(refused) refused" }

    mutating func compare(_ fileSystem: SimulatedFileSystem, seed: UInt64, _ place: String) {
      do {
        let expected = try Contents(CrashWorkload.open(fileSystem.pristineCopy(), seed: seed))
        fileSystem.removeFile("MANIFEST", in: "/store")
        do {
          let found = try Contents(CrashWorkload.open(fileSystem, seed: seed))
          served += 1
          if found != expected { failures.append("\(place): other contents") }
        } catch LogError.corruption {
          refused += 1
        } catch LogError.notAStore {
          refused += 1
        }
      } catch { failures.append("\(place): \(error)") }
    }
  }
}
