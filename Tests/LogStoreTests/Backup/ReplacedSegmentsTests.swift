import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite(
  "A backup is replaced behind compaction, too, by a store that shows that it had its segments")
struct ReplacedSegmentsTests {
  private static func put(_ numbers: Range<Int>, _ log: Log) throws {
    for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 10) {
      try TestLog.put(start..<start + 10, log)
    }
  }

  /// Leaves nothing of what was committed in the segments that it was committed to.
  private static func compactAll(_ log: Log) throws {
    try log.sealActiveSegment()
    try ManifestRebuildingTests.rewriteAll(log)
  }

  private static func setBack(
    _ fileSystem: SimulatedFileSystem, to files: [String: [UInt8]], in directory: String = "/store"
  ) {
    for name in fileSystem.snapshotOfFiles(in: directory).keys {
      fileSystem.removeFile(name, in: directory)
    }
    for (name, bytes) in files {
      fileSystem.replaceContents(of: name, in: directory, with: bytes)
    }
  }

  /// The reason of the refusal; nothing when the backup was made.
  private static func refusal(
    of log: Log, _ fileSystem: SimulatedFileSystem, to path: String = "/backup"
  ) throws -> String? {
    let before = fileSystem.snapshotOfFiles(in: path)
    do throws(LogError) { try log.backup(to: path, fileSystem: fileSystem) } catch {
      guard case .copyRefused(_, let reason) = error else { throw error }
      #expect(fileSystem.snapshotOfFiles(in: path) == before)
      return reason
    }
    return nil
  }

  private static func expectNothingCommon(_ fileSystem: SimulatedFileSystem) throws {
    let manifests = try ["/store", "/backup"].map { path in
      let directory = try fileSystem.openDirectory(at: path, create: false)
      return try #require(try ManifestFile.read(in: directory))
    }
    let own = Set(manifests[0].segments.map(\.identifier))
    #expect(own.isDisjoint(with: manifests[1].segments.map(\.identifier)))
    #expect(manifests[0].lastSequence > manifests[1].lastSequence)
  }

  @Test(
    "P19: a store that was set back replaces no newer backup once nothing is left to compare",
    arguments: [false, true], [false, true])
  func setBack(isClosed: Bool, isCompacted: Bool) throws {
    let fileSystem = SimulatedFileSystem()
    var log = try TestLog.open(fileSystem)
    try Self.put(0..<50, log)
    if isCompacted { try Self.compactAll(log) }
    if isClosed { try log.close() }
    let older = fileSystem.snapshotOfFiles(in: "/store")
    if isClosed { log = try TestLog.open(fileSystem) }
    try Self.put(50..<150, log)
    try log.backup(to: "/backup", fileSystem: fileSystem)
    try log.close()
    Self.setBack(fileSystem, to: older)
    let back = try TestLog.open(fileSystem)
    try Self.put(1000..<1300, back)
    #expect(try Self.refusal(of: back, fileSystem) != nil)
    for round in 0..<3 {
      try Self.put(2000 + 100 * round..<2100 + 100 * round, back)
      try Self.compactAll(back)
    }
    try Self.expectNothingCommon(fileSystem)
    let reason = try Self.refusal(of: back, fileSystem)
    #expect(reason?.contains("give another directory") == true, "\(reason ?? "not refused")")
    try back.backup(to: "/third", fileSystem: fileSystem)
    try back.close()
  }

  @Test("P19: the tail that a store was set back to is told from the same that went on")
  func setBackTail() throws {
    let fileSystem = SimulatedFileSystem()
    var configuration = LogConfiguration()
    configuration.maintenance = .inline
    func open() throws -> Log {
      try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    }
    let log = try open()
    try Self.put(0..<50, log)
    // The segment goes on: what is set back to begins like what the backup has.
    let older = fileSystem.snapshotOfFiles(in: "/store")
    try Self.put(50..<150, log)
    try log.backup(to: "/backup", fileSystem: fileSystem)
    try log.close()
    Self.setBack(fileSystem, to: older)
    let back = try open()
    try Self.put(1000..<1300, back)
    let reason = try Self.refusal(of: back, fileSystem)
    #expect(reason?.contains("give another directory") == true, "\(reason ?? "not refused")")
    try back.close()
  }

  @Test(
    "Nightly backups go on behind compaction of all, deletions of all, and crashes",
    arguments: [2 << 10, 2 << 20])
  func nights(segmentByteCount: UInt64) throws {
    let fileSystem = SimulatedFileSystem()
    var configuration = TestLog.configuration
    configuration.segmentByteCountMinimum = max(4 << 10, segmentByteCount)
    configuration.segmentByteCountMaximum = configuration.segmentByteCountMinimum
    func open(_ access: LogConfiguration.Access = .readWrite) throws -> Log {
      var configuration = configuration
      configuration.access = access
      return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    }
    var log = try open()
    var numbers = 0..<0
    for night in 0..<16 {
      numbers = numbers.lowerBound..<numbers.upperBound + 60
      try Self.put(numbers.upperBound - 60..<numbers.upperBound, log)
      if night % 2 == 1 {
        try Self.compactAll(log)
        try Self.compactAll(log)
      }
      if night == 9 {
        try TestLog.delete(numbers, log)
        try Self.compactAll(log)
        numbers = numbers.upperBound..<numbers.upperBound
      }
      switch night % 3 {
      case 0:
        // A process that ends without closing.
        let files = fileSystem.snapshotOfFiles(in: "/store")
        try log.close()
        Self.setBack(fileSystem, to: files)
        let reader = try open(.readOnly)
        try reader.backup(to: "/backup", fileSystem: fileSystem)
        try reader.close()
        log = try open()
      case 1:
        try log.close()
        log = try open()
      default: break
      }
      try log.backup(to: "/backup", fileSystem: fileSystem)
      try log.backup(to: "/backup", fileSystem: fileSystem)
      let backup = try Log.open(
        at: "/backup", configuration: configuration, fileSystem: fileSystem)
      try TestLog.compare(backup, TestLog.expected(numbers))
      try backup.close()
    }
    try log.close()
  }

  @Test("A store that was compacted by earlier versions, or was restored, goes on with its backup")
  func withoutTheFile() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    try Self.put(0..<50, log)
    try log.backup(to: "/backup", fileSystem: fileSystem)
    try Self.put(50..<100, log)
    try Self.compactAll(log)
    fileSystem.removeFile("REPLACED", in: "/store")
    for round in 0..<3 {
      try log.backup(to: "/backup", fileSystem: fileSystem)
      try Self.put(1000 + 20 * round..<1020 + 20 * round, log)
      try Self.compactAll(log)
      if round == 1 { fileSystem.removeFile("REPLACED", in: "/store") }
    }
    try log.backup(to: "/backup", fileSystem: fileSystem)
    try log.close()
    try Log.restore("/backup", to: "/restored", fileSystem: fileSystem)
    let restored = try Log.open(
      at: "/restored", configuration: TestLog.configuration, fileSystem: fileSystem)
    for round in 0..<3 {
      try Self.put(100 + 20 * round..<120 + 20 * round, restored)
      try Self.compactAll(restored)
      if round > 0 { try restored.backup(to: "/backup", fileSystem: fileSystem) }
    }
    try restored.close()
  }

  @Test("A list that is damaged shows nothing, and is begun anew by what is replaced next")
  func damagedList() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    try Self.put(0..<50, log)
    try log.backup(to: "/backup", fileSystem: fileSystem)
    try Self.put(50..<100, log)
    try Self.compactAll(log)
    let name = "REPLACED"
    fileSystem.flipBit(3, of: name, in: "/store", at: 40)
    let files = fileSystem.snapshotOfFiles(in: "/store")
    _ = try fileSystem.openDirectory(at: "/copy", create: true)
    Self.setBack(fileSystem, to: files, in: "/copy")
    let report = try LogVerifier.verify("/copy", fileSystem: fileSystem)
    #expect(report.damages == [] && report.rebuildable.map(\.file) == [name])
    let reason = try Self.refusal(of: log, fileSystem)
    #expect(reason?.contains("REPLACED of the store is damaged") == true, "\(reason ?? "")")
    // Where nothing is replaced nothing needs to be shown.
    try log.backup(to: "/third", fileSystem: fileSystem)
    try Self.put(100..<150, log)
    try Self.compactAll(log)
    try log.backup(to: "/third", fileSystem: fileSystem)
    #expect(try Self.refusal(of: log, fileSystem) != nil)
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("What is noted is read again, each flipped bit is damage, and the oldest go")
  func encoding() throws {
    let store = StoreIdentifier(low: 7, high: 8)
    func segment(_ number: UInt32) -> ReplacedSegment {
      ReplacedSegment(
        identifier: SegmentIdentifier(number), salt: UInt64(number) << 40,
        closingHash: UInt64(number) << 50, end: CommitSequence(UInt64(number) * 3))
    }
    func decode(_ bytes: [UInt8], of store: StoreIdentifier) throws -> ReplacedSegments {
      try bytes.withUnsafeBytes { try ReplacedSegments.decode($0, of: store) }
    }
    var list = ReplacedSegments()
    list.note([segment(1), segment(2)])
    list.note([segment(3), segment(1)])
    #expect(list.segments.map(\.identifier.rawValue) == [2, 3, 1])
    let bytes = list.encode(of: store)
    #expect(try decode(bytes, of: store) == list)
    // Of what was replaced by an earlier version less is known.
    list.note([
      ReplacedSegment(identifier: segment(2).identifier, salt: 0, closingHash: 1, end: .zero)
    ])
    #expect(list.encode(of: store) == bytes)
    #expect(throws: (any Error).self) { try decode(bytes, of: StoreIdentifier(low: 7, high: 9)) }
    for bit in 0..<bytes.count * 8 {
      var changed = bytes
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: (any Error).self) { try decode(changed, of: store) }
    }
    for count in 0..<bytes.count {
      #expect(throws: (any Error).self) { try decode(Array(bytes[..<count]), of: store) }
    }
    for number in 4..<UInt32(ReplacedSegments.countMaximum) + 10 { list.note([segment(number)]) }
    #expect(list.segments.count == ReplacedSegments.countMaximum)
    #expect(list.segments.first == segment(10))
    #expect(try decode(list.encode(of: store), of: store) == list)
  }
}
