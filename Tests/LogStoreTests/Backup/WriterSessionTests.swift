import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("A backup is replaced by states that its store came to, however the others came about")
struct WriterSessionTests {
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

  /// Puts `files` in the place of all that lies in the store, as who copies a folder does.
  private static func setBack(
    _ fileSystem: SimulatedFileSystem, to files: [String: [UInt8]]
  ) {
    for name in fileSystem.snapshotOfFiles(in: "/store").keys {
      fileSystem.removeFile(name, in: "/store")
    }
    for (name, bytes) in files {
      fileSystem.replaceContents(of: name, in: "/store", with: bytes)
    }
  }

  private static func manifest(_ fileSystem: SimulatedFileSystem, at path: String) throws
    -> Manifest
  {
    let directory = try fileSystem.openDirectory(at: path, create: false)
    let manifest = try ManifestFile.read(in: directory)
    return try #require(manifest)
  }

  private static func expectNothingCommon(_ fileSystem: SimulatedFileSystem) throws {
    let store = try manifest(fileSystem, at: "/store")
    let backup = try manifest(fileSystem, at: "/backup")
    let own = Set(store.segments.map(\.identifier))
    #expect(own.isDisjoint(with: backup.segments.map(\.identifier)))
    #expect(store.lastSequence > backup.lastSequence)
  }

  @Test(
    "P19: a store that was set back by its files replaces no newer backup, whatever is compacted",
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
    LineageTests.expectRefusal(of: back, to: "/backup", fileSystem, "set back")
    for round in 0..<3 {
      try Self.put(2000 + 100 * round..<2100 + 100 * round, back)
      try Self.compactAll(back)
    }
    try Self.expectNothingCommon(fileSystem)
    LineageTests.expectRefusal(of: back, to: "/backup", fileSystem, "compacted since")
    try back.backup(to: "/third", fileSystem: fileSystem)
    try Self.put(3000..<3050, back)
    try back.backup(to: "/third", fileSystem: fileSystem)
    try back.close()
  }

  @Test("P19: nor does one that was set back behind the first version that lists who writes")
  func setBackBehindUpgrade() throws {
    let fileSystem = SimulatedFileSystem()
    var configuration = TestLog.configuration
    configuration.notesSessions = false
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    try Self.put(0..<50, log)
    let older = fileSystem.snapshotOfFiles(in: "/store")
    try Self.put(50..<150, log)
    try log.backup(to: "/backup", fileSystem: fileSystem)
    try log.close()
    Self.setBack(fileSystem, to: older)
    let back = try TestLog.open(fileSystem)
    try Self.put(1000..<1300, back)
    for _ in 0..<3 { try Self.compactAll(back) }
    try Self.expectNothingCommon(fileSystem)
    LineageTests.expectRefusal(of: back, to: "/backup", fileSystem, "compacted since")
    try back.close()
  }

  @Test("P19: what only the segment of a backup tells of its end counts, too")
  func endBehindManifest() throws {
    var foundCount = 0
    for count in 0..<8 {
      let fileSystem = SimulatedFileSystem()
      var log = try TestLog.open(fileSystem, readMode: .buffered)
      try Self.put(0..<70, log)
      try log.close()
      log = try TestLog.open(fileSystem, readMode: .buffered)
      // Of what these replace nothing is known yet.
      for number in 0..<3 { try TestLog.put([number], log) }
      let older = fileSystem.snapshotOfFiles(in: "/store")
      for number in 3..<6 { try TestLog.put([number], log) }
      fileSystem.setOverlays([
        ReadOverlay(file: "store/segment-00000001.log", .failing(offset: 0, count: count))
      ])
      guard (try? log.backup(to: "/backup", fileSystem: fileSystem)) != nil else { continue }
      fileSystem.setOverlays([])
      let last = log.snapshot().lastSequence
      try log.close()
      guard try Self.manifest(fileSystem, at: "/backup").lastSequence < last else { continue }
      foundCount += 1
      Self.setBack(fileSystem, to: older)
      let back = try TestLog.open(fileSystem)
      try Self.put(1000..<1300, back)
      for _ in 0..<3 { try Self.compactAll(back) }
      try Self.expectNothingCommon(fileSystem)
      LineageTests.expectRefusal(of: back, to: "/backup", fileSystem, "\(count) failures")
      try back.close()
    }
    #expect(foundCount > 0)
  }

  @Test("P19: of two copies of one state of which one went on only that one replaces its backup")
  func goneOnUnderOneManifest() throws {
    let fileSystem = SimulatedFileSystem()
    var configuration = LogConfiguration()
    configuration.maintenance = .inline
    func open(_ path: String) throws -> Log {
      try Log.open(at: path, configuration: configuration, fileSystem: fileSystem)
    }
    let log = try open("/store")
    try Self.put(0..<50, log)
    // What both were made of has one manifest, and not the same end.
    try log.backup(to: "/copy", fileSystem: fileSystem)
    try Self.put(50..<150, log)
    try log.backup(to: "/backup", fileSystem: fileSystem)
    let copy = try open("/copy")
    try Self.put(1000..<1300, copy)
    LineageTests.expectRefusal(of: copy, to: "/backup", fileSystem, "the copy")
    try log.backup(to: "/backup", fileSystem: fileSystem)
    try copy.close()
    try log.close()
  }

  @Test(
    "Nightly backups go on behind compaction of all, deletions of all, and crashes",
    arguments: [4 << 10, 2 << 20] as [UInt64])
  func nights(segmentByteCount: UInt64) throws {
    let fileSystem = SimulatedFileSystem()
    var configuration = TestLog.configuration
    configuration.segmentByteCountMinimum = segmentByteCount
    configuration.segmentByteCountMaximum = segmentByteCount
    func open(_ access: LogConfiguration.Access = .readWrite) throws -> Log {
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
      switch night % 4 {
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
      case 2:
        // Nobody knows any more who has written to it.
        try log.close()
        fileSystem.removeFile("MANIFEST", in: "/store")
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

  @Test("A store that earlier versions wrote goes on with its backup, and lists who writes then")
  func ofEarlierVersions() throws {
    let fileSystem = SimulatedFileSystem()
    var configuration = TestLog.configuration
    for night in 0..<6 {
      configuration.notesSessions = night > 1
      let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
      try Self.put(60 * night..<60 * night + 60, log)
      try Self.compactAll(log)
      try log.backup(to: "/backup", fileSystem: fileSystem)
      try log.close()
      #expect(try Self.manifest(fileSystem, at: "/store").sessions.count == max(0, night - 1))
    }
  }

  @Test("A log that only reads lists nothing, and one that writes itself once")
  func listedOnce() throws {
    let fileSystem = SimulatedFileSystem()
    for number in 0..<3 {
      let log = try TestLog.open(fileSystem)
      let before = try Self.manifest(fileSystem, at: "/store").sessions
      #expect(before.count == number)
      for start in 0..<4 {
        try Self.put(100 * start..<100 * start + 50, log)
        try Self.compactAll(log)
      }
      let last = log.snapshot().lastSequence
      try log.close()
      let manifest = try Self.manifest(fileSystem, at: "/store")
      #expect(manifest.sessions.dropLast() == before[...])
      #expect(manifest.lastSequence == last)
      #expect(manifest.sessions.last?.start.rawValue == UInt64(number) * 200)
      let idle = try TestLog.open(fileSystem)
      try idle.close()
    }
  }

  // MARK: The rule

  /// A store of which only the commits and the sessions are known.
  private struct Model {
    var manifest = Manifest(store: StoreIdentifier(low: 1, high: 2))
    /// A number for each that no other one has.
    var commits: [Int] = []
    /// Whether sessions were forgotten before these.
    var forgottenAt: Int?
    /// All writers that it ever had.
    var openings: [UInt64] = []
    /// Whether a writer has it open; who copies a directory copies no writer.
    var isOpen = false

    mutating func open(identifier: UInt64, committing new: [Int]) {
      if manifest.sessions.count == Manifest.sessionMaximum {
        forgottenAt = max(
          forgottenAt ?? 0, Int(manifest.sessions[1].start.rawValue))
      }
      isOpen = true
      openings.append(identifier)
      manifest.note(
        WriterSession(identifier: identifier, start: CommitSequence(UInt64(commits.count))))
      commit(new)
    }

    mutating func commit(_ new: [Int]) {
      commits += new
      manifest.lastSequence = CommitSequence(UInt64(commits.count))
    }
  }

  @Test(
    "P19: whoever has all commits of a backup may replace it, and who lacks one may not",
    arguments: 0..<40)
  func rule(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var stores = [Model()]
    var next = 0
    func fresh() -> [Int] {
      let count = Int.random(in: 0...3, using: &random)
      defer { next += count }
      return Array(next..<next + count)
    }
    var (refused, accepted) = (0, 0)
    for step in 0..<2000 {
      let place = Int.random(in: stores.indices, using: &random)
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<9: stores[place].open(identifier: random.next(), committing: fresh())
      case 9..<14 where stores[place].isOpen: stores[place].commit(fresh())
      case 14 where seed % 4 == 3:
        stores[place].manifest.sessions = []
        stores[place].forgottenAt = stores[place].commits.count
        stores[place].isOpen = false
      default:
        // A copy of the directory, in the place of another one when there are many.
        var copy = stores[place]
        copy.isOpen = false
        if stores.count < 12 {
          stores.append(copy)
        } else {
          stores[Int.random(in: stores.indices, using: &random)] = copy
        }
      }
      let (store, backup) = (
        stores[Int.random(in: stores.indices, using: &random)],
        stores[Int.random(in: stores.indices, using: &random)]
      )
      let isAccepted =
        backup.commits.count <= store.commits.count
        && store.manifest.hasHad(backup.manifest.sessions, upTo: backup.manifest.lastSequence)
      let hasAll = store.commits.starts(with: backup.commits)
      let goesOn = store.openings.starts(with: backup.openings)
      // An older manifest beside what was copied of one that was rebuilt.
      let isUnknown =
        backup.manifest.sessions.isEmpty
        && store.manifest.sessions.first.map { $0.start < backup.manifest.lastSequence } ?? false
      if hasAll, !isUnknown, goesOn || backup.forgottenAt == nil {
        #expect(isAccepted, "seed \(seed), step \(step)")
        accepted += 1
      } else if !hasAll, backup.forgottenAt == nil, backup.commits.count > store.forgottenAt ?? 0 {
        #expect(!isAccepted, "seed \(seed), step \(step)")
        refused += 1
      }
    }
    #expect((refused > 100 || seed % 4 == 3) && accepted > 100, "seed \(seed)")
  }

  @Test("What is forgotten refuses nothing, and the last 256 are listed")
  func forgotten() throws {
    var store = Model()
    store.open(identifier: 1, committing: [0])
    let backup = store
    for number in 2...300 { store.open(identifier: UInt64(number), committing: [number]) }
    #expect(store.manifest.sessions.map(\.identifier) == Array(45...300))
    #expect(store.manifest.hasHad(backup.manifest.sessions, upTo: CommitSequence(1)))
    var other = backup
    other.commit(Array(1000..<1100))
    #expect(!store.manifest.hasHad(other.manifest.sessions, upTo: CommitSequence(101)))
  }

  // MARK: On disk

  @Test("Sessions are read again as they were written; other numbers are refused as damage")
  func encoding() throws {
    var manifest = Manifest(store: StoreIdentifier(low: 7, high: 8))
    manifest.lastSequence = CommitSequence(1000)
    for number in 0..<UInt64(256) {
      manifest.note(WriterSession(identifier: ~number, start: CommitSequence(number * number / 66)))
      let bytes = manifest.encode()
      #expect(bytes[8] == 9 && bytes[10] == 9)
      #expect(try ManifestTests.decode(bytes) == manifest)
    }
    manifest.sessions = [WriterSession(identifier: 1, start: CommitSequence(1001))]
    #expect((try? ManifestTests.decode(manifest.encode())) == nil)
    manifest.sessions = [WriterSession(identifier: 1, start: .zero)]
    manifest.lastSequence = .zero
    #expect(try ManifestTests.decode(manifest.encode()) == manifest)
    manifest.sessions = (0...UInt64(256)).map { WriterSession(identifier: $0, start: .zero) }
    #expect(throws: LogError.self) { try ManifestTests.decode(manifest.encode()) }
  }
}
