import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("A copy that was not finished passes for no store, and is finished by the next run")
struct UnfinishedCopyTests {
  /// What makes a copy at `/copy`.
  enum Maker: String, CaseIterable {
    case backup
    case restore
  }

  static let objects = 0..<100

  static func open(
    _ fileSystem: any FileSystem, at path: String, access: LogConfiguration.Access = .readOnly
  ) throws(LogError) -> Log {
    var configuration = TestLog.configuration
    configuration.access = access
    return try Log.open(at: path, configuration: configuration, fileSystem: fileSystem)
  }

  /// A closed store of several segments, and a backup of it.
  static func source() throws -> SimulatedFileSystem {
    let fileSystem = SimulatedFileSystem()
    let log = try open(fileSystem, at: "/store", access: .readWrite)
    for start in stride(from: objects.lowerBound, to: objects.upperBound, by: 10) {
      try TestLog.put(start..<start + 10, log)
    }
    try log.close()
    try open(fileSystem, at: "/store").backup(to: "/backup", fileSystem: fileSystem)
    return fileSystem
  }

  /// Makes the copy; ends it when `goesOn` returns false.
  private static func make(
    _ maker: Maker, _ fileSystem: any FileSystem, to path: String = "/copy",
    _ goesOn: @escaping () -> Bool = { true }
  ) throws(LogError) {
    switch maker {
    case .backup:
      try open(fileSystem, at: "/store").backup(to: path, fileSystem: fileSystem) { _, _ in
        goesOn()
      }
    case .restore:
      try Log.restore("/backup", to: path, fileSystem: fileSystem) { done, total in
        // The first half of it is verifying.
        2 * done <= total || goesOn()
      }
    }
  }

  /// A copy that ended in its second segment.
  private static func unfinished(_ maker: Maker) throws -> SimulatedFileSystem {
    let fileSystem = try source()
    var count = 0
    try make(maker, fileSystem) {
      count += 1
      return count <= 1
    }
    #expect(fileSystem.hasFile("BACKUP", in: "/copy"))
    #expect(!fileSystem.hasFile("MANIFEST", in: "/copy"))
    return fileSystem
  }

  static func refusal(_ body: () throws -> Void) -> LogError? {
    do { try body() } catch { return error as? LogError }
    return nil
  }

  /// Whether everybody shows all of the copy; false where everybody refuses it, and an error where
  /// a part is shown as if it were all.
  private static func isWhole(_ image: SimulatedFileSystem) throws -> Bool {
    let answers = [
      refusal { try TestLog.compare(open(image, at: "/copy"), TestLog.expected(objects)) },
      refusal {
        let report = try LogVerifier.verify("/copy", fileSystem: image)
        guard report.damages.isEmpty else { throw CaseFailure("\(report)") }
      },
      refusal {
        try Log.restore("/copy", to: "/third", fileSystem: image)
        try TestLog.compare(open(image, at: "/third"), TestLog.expected(objects))
      },
    ]
    let refusals = answers.count { $0 != nil }
    guard refusals == 0 || refusals == answers.count else {
      throw CaseFailure("some refuse it: \(answers)")
    }
    return refusals == 0
  }

  @Test(
    "After a crash at any operation it is whole or refused, and the next run finishes it",
    arguments: Maker.allCases)
  func crashes(maker: Maker) throws {
    let fileSystem = try Self.source()
    fileSystem.recordCrashPoints()
    try Self.make(maker, fileSystem)
    var failures: [String] = []
    var (wholeCount, refusedCount) = (0, 0)
    for point in fileSystem.crashPoints {
      for choice in point.choices(exhaustiveUnitCount: 4, randomCount: 4) {
        let image = point.afterCrash(choice)
        do {
          let isWhole = try Self.isWhole(image)
          if isWhole { wholeCount += 1 } else { refusedCount += 1 }
          let refusal = Self.refusal { try Self.make(maker, image) }
          // What was restored whole is a store of its own.
          if let refusal, maker == .backup || !isWhole { throw refusal }
          try TestLog.compare(Self.open(image, at: "/copy"), TestLog.expected(Self.objects))
          let report = try LogVerifier.verify("/copy", fileSystem: image)
          if !report.isIntact || !report.notes.isEmpty { throw CaseFailure("\(report)") }
        } catch { failures.append("\(point) \(choice): \(error)") }
      }
    }
    print("\(maker): \(wholeCount) whole, \(refusedCount) refused after crashes")
    #expect(failures.isEmpty, "\(failures.count): \(failures.prefix(3))")
    #expect(wholeCount > 3 && refusedCount > 50)
  }

  @Test(
    "Reading, writing, verifying and restoring refuse it, and change nothing",
    arguments: Maker.allCases)
  func refusals(maker: Maker) throws {
    let fileSystem = try Self.unfinished(maker)
    let before = fileSystem.snapshotOfFiles(in: "/copy")
    let refusals = [
      Self.refusal { _ = try Self.open(fileSystem, at: "/copy") },
      Self.refusal { _ = try Self.open(fileSystem, at: "/copy", access: .readWrite) },
      Self.refusal { _ = try LogVerifier.verify("/copy", fileSystem: fileSystem) },
      Self.refusal { try Log.restore("/copy", to: "/third", fileSystem: fileSystem) },
    ]
    for refusal in refusals { #expect(refusal == .unfinishedCopy(path: "/copy")) }
    #expect(fileSystem.snapshotOfFiles(in: "/copy") == before)
  }

  @Test("It is refused without a segment, and with a manifest that was not put in place, too")
  func beginnings() throws {
    let fileSystem = try Self.source()
    try Self.make(.backup, fileSystem) { false }
    for name in [nil, "MANIFEST.new"] {
      if let name {
        let directory = try fileSystem.openDirectory(at: "/copy", create: false)
        _ = try directory.open(try #require(FileName(name)), .createNew)
      }
      for access in [LogConfiguration.Access.readOnly, .readWrite] {
        let refusal = Self.refusal { _ = try Self.open(fileSystem, at: "/copy", access: access) }
        #expect(refusal == .unfinishedCopy(path: "/copy"))
      }
    }
  }

  @Test("Who reads it while it is made is told the same")
  func besideMaker() throws {
    let fileSystem = try Self.unfinished(.backup)
    let directory = try fileSystem.openDirectory(at: "/copy", create: false)
    try directory.lock(.exclusive)
    let refusal = Self.refusal { _ = try Self.open(fileSystem, at: "/copy") }
    #expect(refusal == .unfinishedCopy(path: "/copy"))
  }

  @Test("The next run finishes it, and salvage saves what is there", arguments: Maker.allCases)
  func waysOut(maker: Maker) throws {
    let fileSystem = try Self.unfinished(maker)
    let report = try LogSalvage.salvage("/copy", to: "/saved", fileSystem: fileSystem)
    #expect(report.notes.contains { $0.contains("unfinished copy") }, "\(report.notes)")
    let saved = try TestLog.contents(Self.open(fileSystem, at: "/saved"))
    #expect(!saved.isEmpty && saved.count < Self.objects.count)
    try Self.make(maker, fileSystem)
    try TestLog.compare(Self.open(fileSystem, at: "/copy"), TestLog.expected(Self.objects))
    #expect(try LogVerifier.verify("/copy", fileSystem: fileSystem).isIntact)
  }

  @Test("A finished copy that lost its manifest is no unfinished one: it is read, with a report")
  func finishedCopy() throws {
    let fileSystem = try Self.source()
    fileSystem.removeFile("MANIFEST", in: "/backup")
    let log = try Self.open(fileSystem, at: "/backup")
    #expect(log.recoveryReport.rebuiltManifest != nil)
    try TestLog.compare(log, TestLog.expected(Self.objects))
  }

  @Test("Without a manifest and with a damaged record of the backup nothing tells; salvage is left")
  func damagedRecord() throws {
    let fileSystem = try Self.unfinished(.backup)
    fileSystem.flipBit(3, of: "BACKUP", in: "/copy", at: 12)
    let refusals = [
      Self.refusal { _ = try Self.open(fileSystem, at: "/copy") },
      Self.refusal { _ = try Self.open(fileSystem, at: "/copy", access: .readWrite) },
      Self.refusal { try Log.restore("/copy", to: "/third", fileSystem: fileSystem) },
    ]
    for refusal in refusals {
      let damage = refusal?.damage
      #expect(damage?.file == "MANIFEST")
      #expect(damage?.reason.contains("BACKUP is damaged") == true, "\(refusal as Any)")
    }
    let report = try LogVerifier.verify("/copy", fileSystem: fileSystem)
    #expect(report.damages.map(\.file) == ["MANIFEST"])
    _ = try LogSalvage.salvage("/copy", to: "/saved", fileSystem: fileSystem)
  }

  @Test("With a manifest it is whole, and only what it says of itself is out of date")
  func manifestInPlace() throws {
    let fileSystem = try Self.source()
    try UnfinishedRecordTests.markUnfinished(fileSystem)
    let report = try LogVerifier.verify("/backup", fileSystem: fileSystem)
    #expect(report.damages.isEmpty)
    #expect(report.rebuildable.map(\.file) == ["BACKUP"])
    #expect(report.rebuildable.first?.reason.contains("all of it is there") == true)
    try TestLog.compare(Self.open(fileSystem, at: "/backup"), TestLog.expected(Self.objects))
    try Log.restore("/backup", to: "/third", fileSystem: fileSystem)
    try TestLog.compare(Self.open(fileSystem, at: "/third"), TestLog.expected(Self.objects))
    // Both ways of making it finish it.
    try Log.restore("/third", to: "/backup", fileSystem: fileSystem)
    #expect(try LogVerifier.verify("/backup", fileSystem: fileSystem).isIntact)
  }

  /// A store of one segment that is as it was written, and of several that a compaction wrote.
  private static func rewritten() throws -> SimulatedFileSystem {
    let fileSystem = SimulatedFileSystem()
    let log = try open(fileSystem, at: "/store", access: .readWrite)
    try TestLog.put(0..<10, log)
    try log.sealActiveSegment()
    let first = Set(try log.statistics().segments.map(\.identifier))
    for number in 10..<200 { try TestLog.put([number], log) }
    try log.sealActiveSegment()
    let others = Set(try log.statistics().segments.map(\.identifier)).subtracting(first)
    let rewrite = try log.beginRewrite(of: others)
    while try rewrite.carryOver(atMost: 16) {}
    try rewrite.publish()
    try log.close()
    return fileSystem
  }

  @Test("P1: of an unfinished copy a salvage takes all segments that there are")
  func salvagedCopy() throws {
    let fileSystem = try Self.rewritten()
    let all = fileSystem.snapshotOfFiles(in: "/store").count
    for count in 1..<all {
      let image = fileSystem.pristineCopy()
      var told = 0
      try Self.make(.backup, image) {
        told += 1
        return told < count
      }
      guard !image.hasFile("MANIFEST", in: "/copy") else { break }
      let copied = try FoundSegment.all(in: image.openDirectory(at: "/copy", create: false))
      guard !copied.isEmpty else { continue }
      let report = try LogSalvage.salvage("/copy", to: "/out", fileSystem: image)
      #expect(report.segmentCount == copied.count, "\(count): \(report)")
      // Nor is a part of a store served where the record of the copy is gone.
      image.removeFile("BACKUP", in: "/copy")
      let served = try? TestLog.contents(Self.open(image, at: "/copy"))
      #expect(served?.count != 10 || copied.count == 1, "\(count): a part is served")
    }
  }
}
