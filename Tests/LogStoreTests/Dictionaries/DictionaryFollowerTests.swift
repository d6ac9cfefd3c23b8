import FileIO
import StorageTestSupport
import Synchronization
import Testing

@testable import LogStore

@Suite("A reader beside a writer never takes a dictionary for lost that has only moved")
struct DictionaryFollowerTests {
  private static func readOnly(_ readMode: LogConfiguration.ReadMode) -> LogConfiguration {
    var configuration = DictionaryLog.configuration
    configuration.access = .readOnly
    configuration.readMode = readMode
    return configuration
  }

  @Test(
    "Both copies are moved by a compaction while the reader opens any file, at its opening",
    arguments: [LogConfiguration.ReadMode.mapped, .buffered])
  func movedWhileOpening(readMode: LogConfiguration.ReadMode) throws {
    var openingCount = Int.max
    var number = 1
    var failures: [String] = []
    while number <= openingCount {
      let fileSystem = InMemoryFileSystem()
      try DictionaryLog.fill(fileSystem)
      let writer = try DictionaryLog.open(fileSystem)
      try DictionaryLog.put(200..<210, writer)
      try writer.sealActiveSegment()
      let count = Atomic(0)
      let compactAt = number
      let observed = ObservedFileSystem(fileSystem) { call in
        guard case .open = call else { return }
        guard count.add(1, ordering: .relaxed).newValue == compactAt else { return }
        do { try ManifestRebuildingTests.rewriteAll(writer) } catch {
          Issue.record("the writer: \(error)")
        }
      }
      let reader = try Log.open(
        at: "/store", configuration: Self.readOnly(readMode), fileSystem: observed)
      do {
        if let defect = try DictionaryLog.defect(0..<210, reader) { failures.append(defect) }
      } catch { failures.append("at opening \(number): \(error)") }
      openingCount = count.load(ordering: .relaxed)
      number += 1
    }
    #expect(number > 8)
    #expect(failures.isEmpty, "\(failures.count): \(failures.prefix(3))")
  }

  @Test("The same at a refresh; what was read before stays known")
  func movedWhileRefreshing() throws {
    var failures: [String] = []
    for number in 1..<40 {
      let fileSystem = InMemoryFileSystem()
      try DictionaryLog.fill(fileSystem)
      let writer = try DictionaryLog.open(fileSystem)
      try DictionaryLog.put(200..<210, writer)
      let count = Atomic(-1000)
      let observed = ObservedFileSystem(fileSystem) { call in
        guard case .open = call else { return }
        guard count.add(1, ordering: .relaxed).newValue == number else { return }
        do { try ManifestRebuildingTests.rewriteAll(writer) } catch {
          Issue.record("the writer: \(error)")
        }
      }
      let reader = try Log.open(
        at: "/store", configuration: Self.readOnly(.buffered), fileSystem: observed)
      try ManifestRebuildingTests.rewriteAll(writer)
      try writer.makeDictionary(
        for: CollectionVersion(collection: CollectionIdentifier(2), schemaVersion: 1),
        sample: (0..<512).map { DictionaryLog.payload($0 * 3) }, recordCount: 5000)
      try DictionaryLog.put(210..<220, writer)
      try writer.sealActiveSegment()
      count.store(0, ordering: .relaxed)
      try reader.refresh()
      do {
        if let defect = try DictionaryLog.defect(0..<220, reader) { failures.append(defect) }
        let lost = try reader.statistics().dictionaries.contains(where: \.isLost)
        if lost { failures.append("a dictionary is lost at opening \(number)") }
        if try reader.statistics().dictionaries.count != 2 {
          failures.append("a dictionary is missing at opening \(number)")
        }
      } catch { failures.append("at opening \(number): \(error)") }
    }
    #expect(failures.isEmpty, "\(failures.count): \(failures.prefix(3))")
  }

  @Test("A state that was rebuilt without a manifest shares dictionaries and cache with the others")
  func rebuiltStatesShare() throws {
    let fileSystem = SimulatedFileSystem()
    try DictionaryLog.fill(fileSystem)
    let writer = try DictionaryLog.open(fileSystem)
    let reader = try Log.open(
      at: "/store", configuration: Self.readOnly(.mapped), fileSystem: fileSystem)
    let cache = reader.pipeline.pageCache
    fileSystem.removeFile("MANIFEST", in: "/store")
    try reader.refresh()
    #expect(reader.pipeline.follower != nil)
    for segment in reader.pipeline.sealed {
      #expect(segment.dictionaries === reader.pipeline.dictionaries)
    }
    #expect(reader.pipeline.pageCache === cache)
    #expect(reader.pipeline.isManifestRebuilt)
    #expect(try DictionaryLog.defect(0..<200, reader) == nil)
    try DictionaryLog.put(200..<210, writer)
    try writer.sealActiveSegment()
    try reader.refresh()
    #expect(!reader.pipeline.isManifestRebuilt)
    #expect(try DictionaryLog.defect(0..<210, reader) == nil)
    try writer.close()
  }

  /// What else came after a store was set back.
  enum Since: CaseIterable {
    case nothing, compacted, rebuilt
  }

  private static func setBack(
    _ fileSystem: SimulatedFileSystem, to before: [String: [UInt8]]
  ) {
    for name in fileSystem.snapshotOfFiles(in: "/store").keys where before[name] == nil {
      fileSystem.removeFile(name, in: "/store")
    }
    for (name, bytes) in before {
      fileSystem.replaceContents(of: name, in: "/store", with: bytes)
    }
  }

  /// Numbers of dictionaries are given again then, and records would be decompressed against bytes
  /// that are not theirs.
  @Test(
    "A store that was set back gets another dictionary of the same number while somebody reads",
    arguments: Since.allCases, [LogConfiguration.ReadMode.mapped, .buffered])
  func setBack(since: Since, readMode: LogConfiguration.ReadMode) throws {
    let fileSystem = SimulatedFileSystem()
    var log = try DictionaryLog.open(fileSystem)
    try DictionaryLog.put(0..<50, log)
    try log.close()
    let before = fileSystem.snapshotOfFiles(in: "/store")
    log = try DictionaryLog.open(fileSystem)
    try DictionaryLog.makeDictionary(log)
    try DictionaryLog.put(50..<200, log)
    try log.sealActiveSegment()
    try log.mergeIndexes()
    try log.close()
    var configuration = Self.readOnly(readMode)
    configuration.admitsWriters = true
    let reader = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    #expect(try DictionaryLog.defect(0..<200, reader) == nil)

    Self.setBack(fileSystem, to: before)
    var other = DictionaryLog.configuration
    other.randomSource = SeededRandomSource(seed: 10)
    log = try Log.open(at: "/store", configuration: other, fileSystem: fileSystem)
    // The first is as long as the other one, with other texts at the same places. The last has a
    // number that was not given before.
    #expect(try DictionaryLog.makeDictionary(log, DictionaryLog.sample(from: 1)))
    try DictionaryLog.put(50..<125, log)
    #expect(try DictionaryLog.makeDictionary(log, DictionaryLog.otherSample))
    #expect(try DictionaryLog.makeDictionary(log, DictionaryLog.sample(from: 1)))
    try DictionaryLog.put(125..<200, log)
    try log.sealActiveSegment()
    try log.mergeIndexes()
    switch since {
    case .nothing: break
    case .compacted: try ManifestRebuildingTests.rewriteAll(log)
    case .rebuilt: fileSystem.removeFile("MANIFEST", in: "/store")
    }
    try reader.refresh()
    #expect(try DictionaryLog.defect(0..<200, reader) == nil)
    for segment in reader.pipeline.sealed {
      #expect(segment.dictionaries === reader.pipeline.shownDictionaries)
    }
    let dictionaries = try reader.statistics().dictionaries
    #expect(!dictionaries.map(\.isLost).contains(true))
    let newest = dictionaries.first { $0.identifier.rawValue == 3 }
    #expect((newest?.recordCount ?? 0) > 0)
    let report = try #require(try reader.backup(to: "/backup", fileSystem: fileSystem))
    #expect(report.damages.isEmpty)
    try log.close()
  }

  @Test("What the disk refused at the opening is read when it is needed, after refreshes too")
  func refusedAtOpening() throws {
    let fileSystem = SimulatedFileSystem()
    try DictionaryLog.fill(fileSystem)
    let names = fileSystem.snapshotOfFiles(in: "/store").keys.filter { $0.hasPrefix("segment") }
    fileSystem.setOverlays(names.map { ReadOverlay(file: $0, .unreadable(0..<(1 << 20))) })
    var configuration = Self.readOnly(.buffered)
    configuration.admitsWriters = true
    let reader = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    fileSystem.setOverlays([])
    let writer = try DictionaryLog.open(fileSystem)
    try DictionaryLog.put(200..<210, writer)
    try writer.sealActiveSegment()
    try reader.refresh()
    #expect(try DictionaryLog.defect(0..<210, reader) == nil)
    try writer.close()
  }
}
