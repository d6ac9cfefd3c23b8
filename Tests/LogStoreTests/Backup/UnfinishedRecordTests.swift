import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("A copy that is whole and does not say so is mended, checked and never lost")
struct UnfinishedRecordTests {
  typealias Copies = UnfinishedCopyTests

  /// Says of a finished copy that it is not, as a crash leaves it behind its manifest.
  static func markUnfinished(
    _ fileSystem: any FileSystem, at path: String = "/backup"
  ) throws {
    let directory = try fileSystem.openDirectory(at: path, create: false)
    var record = try #require(try BackupRecord.read(in: directory))
    record.isUnfinished = true
    try record.write(in: directory)
  }

  private static func isUnfinished(
    _ fileSystem: any FileSystem, at path: String = "/backup"
  ) throws -> Bool? {
    let directory = try fileSystem.openDirectory(at: path, create: false)
    return try BackupRecord.read(in: directory)?.isUnfinished
  }

  @Test("What writes to it says first that it is finished")
  func writtenTo() throws {
    let fileSystem = try Copies.source()
    try Self.markUnfinished(fileSystem)
    let log = try Copies.open(fileSystem, at: "/backup", access: .readWrite)
    #expect(try Self.isUnfinished(fileSystem) == true)
    try TestLog.put([500], log)
    #expect(try Self.isUnfinished(fileSystem) == false)
    try log.close()
    let report = try LogVerifier.verify("/backup", fileSystem: fileSystem)
    #expect(report.isIntact, "\(report)")
    try Log.restore("/backup", to: "/third", fileSystem: fileSystem)
    // It is a store of its own now.
    let refusal = Copies.refusal {
      try Log.restore("/store", to: "/backup", fileSystem: fileSystem)
    }
    guard case .copyRefused = refusal else {
      Issue.record("\(refusal as Any)")
      return
    }
  }

  @Test("After a crash at any operation of the first write it is whole", arguments: [false, true])
  func crashes(isManifestDamaged: Bool) throws {
    let fileSystem = try Copies.source()
    try Self.markUnfinished(fileSystem)
    if isManifestDamaged { fileSystem.flipBit(3, of: "MANIFEST", in: "/backup", at: 40) }
    let log = try Copies.open(fileSystem, at: "/backup", access: .readWrite)
    fileSystem.recordCrashPoints()
    try TestLog.put([500], log)
    try log.close()
    var failures: [String] = []
    for point in fileSystem.crashPoints {
      for choice in point.choices(exhaustiveUnitCount: 4, randomCount: 4) {
        let image = point.afterCrash(choice)
        do {
          if isManifestDamaged {
            // A damaged one is restored by nobody, but opened and written to.
            let copy = try Copies.open(image, at: "/backup", access: .readWrite)
            try TestLog.put([501], copy)
            try copy.close()
          }
          try Log.restore("/backup", to: "/third", fileSystem: image)
          let report = try LogVerifier.verify("/backup", fileSystem: image)
          guard report.damages.isEmpty else { throw CaseFailure("\(report)") }
        } catch { failures.append("\(point) \(choice): \(error)") }
      }
    }
    #expect(failures.isEmpty, "\(failures.count): \(failures.prefix(3))")
  }

  /// What an earlier version leaves that wrote to such a copy, or to the half of one.
  private static func writtenByEarlierVersion() throws -> SimulatedFileSystem {
    let fileSystem = try Copies.source()
    let log = try Copies.open(fileSystem, at: "/backup", access: .readWrite)
    try TestLog.put([500], log)
    try log.close()
    try markUnfinished(fileSystem)
    return fileSystem
  }

  @Test("One that an earlier version wrote to is listed beside all else, and restored by nobody")
  func writtenByEarlierVersion() throws {
    let fileSystem = try Self.writtenByEarlierVersion()
    let report = try LogVerifier.verify("/backup", fileSystem: fileSystem)
    #expect(report.damages.isEmpty && report.recordCount > 100)
    #expect(report.rebuildable.map(\.file) == ["BACKUP"])
    #expect(report.rebuildable.first?.reason.contains("may be missing") == true)
    let refusal = Copies.refusal {
      try Log.restore("/backup", to: "/third", fileSystem: fileSystem)
    }
    #expect(refusal?.damage?.file == "BACKUP")
    #expect(refusal?.damage?.remedy.contains("remove that file") == true, "\(refusal as Any)")
    // Nor does a write make it a whole one.
    let log = try Copies.open(fileSystem, at: "/backup", access: .readWrite)
    try TestLog.put([501], log)
    try log.close()
    #expect(try Self.isUnfinished(fileSystem) == true)
    fileSystem.removeFile("BACKUP", in: "/backup")
    try Log.restore("/backup", to: "/third", fileSystem: fileSystem)
  }

  @Test("A restore that goes on with it keeps no segment that has rotted since")
  func rotten() throws {
    let fileSystem = try Copies.source()
    try Log.restore("/backup", to: "/copy", fileSystem: fileSystem)
    let segments = fileSystem.snapshotOfFiles(in: "/copy").filter { $0.key.hasPrefix("segment-") }
    let sizes = segments.mapValues(\.count).sorted { $0.key < $1.key }
    try #require(sizes.count > 1)
    // In the records, and in an index.
    for (name, offset) in [(sizes[0].key, 200), (sizes[1].key, sizes[1].value - 100)] {
      try Self.markUnfinished(fileSystem, at: "/copy")
      fileSystem.flipBit(3, of: name, in: "/copy", at: offset)
      #expect(try !LogVerifier.verify("/copy", fileSystem: fileSystem).isIntact)
      // One that is ended leaves it to the next: while it verifies the backup, while it looks what
      // is there already, or behind that.
      for end in [1, 1 + sizes.count, 2 * sizes.count] {
        var count = 0
        let ended = try Log.restore("/backup", to: "/copy", fileSystem: fileSystem) { _, _ in
          count += 1
          return count < end
        }
        #expect(ended == nil && count == end)
        #expect(try Self.isUnfinished(fileSystem, at: "/copy") == true)
      }
      let report = try Log.restore("/backup", to: "/copy", fileSystem: fileSystem)
      #expect(report?.copiedSegmentCount == 1)
      #expect(report?.keptSegmentCount == sizes.count - 1)
      #expect(try LogVerifier.verify("/copy", fileSystem: fileSystem).isIntact)
    }
    try TestLog.compare(
      Copies.open(fileSystem, at: "/copy"), TestLog.expected(Copies.objects))
  }

  @Test("Who looks for a manifest just before the maker puts it in place finds it")
  func besideMaker() throws {
    let fileSystem = try Copies.source()
    let copy = try fileSystem.openDirectory(at: "/backup", create: false)
    let manifest = try #require(try ManifestFile.read(in: copy))
    fileSystem.removeFile("MANIFEST", in: "/backup")
    try Self.markUnfinished(fileSystem)
    let isDone = Lock(false)
    let observed = ObservedFileSystem(fileSystem) { call throws(FileIOError) in
      let isTime = call == .open(StoreDirectory.backup) && isDone.withLock { !$0 }
      guard isTime else { return }
      isDone.withLock { $0 = true }
      // Between the two looks of who reads.
      do {
        try ManifestFile.replace(with: manifest.encode(), in: copy)
        var record = try BackupRecord.read(in: copy)
        record?.isUnfinished = false
        try record?.write(in: copy)
      } catch { Issue.record(error) }
    }
    var configuration = TestLog.configuration
    configuration.access = .readOnly
    let directory = try observed.openDirectory(at: "/backup", create: false)
    let state = try StoreOpening(directory, configuration).open()
    #expect(isDone.withLock { $0 })
    #expect(!state.isManifestRebuilt && state.manifest == manifest)
  }
}
