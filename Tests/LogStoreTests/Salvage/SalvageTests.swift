import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("Salvage saves all that verifies, and says what does not")
struct SalvageTests {
  /// A closed store of 200 records in several segments.
  private static func store() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let log = try TestLog.open(fileSystem)
    for start in stride(from: 0, to: 200, by: 10) { try TestLog.put(start..<start + 10, log) }
    try log.close()
    return fileSystem
  }

  @Test("What an interrupted salvage left is told from what somebody else put there")
  func leftovers() throws {
    for (names, advice) in [
      (["segment-00000001.log", "BACKUP"], "interrupted salvage"),
      (["segment-00000001.log", "MANIFEST"], "give an empty directory"),
      (["notes.txt"], "give an empty directory"),
    ] {
      let fileSystem = try Self.store()
      let directory = try fileSystem.openDirectory(at: "/out", create: true)
      for name in names {
        let file = try directory.open(try #require(FileName(name)), .createNew)
        try [UInt8](name.utf8).withUnsafeBytes { try file.write([$0], at: 0) }
      }
      let before = try fileSystem.filesByName(in: "/out")
      let refusal = #expect(throws: LogError.self) {
        _ = try LogSalvage.salvage("/store", to: "/out", fileSystem: fileSystem)
      }
      guard case .copyRefused(_, let reason)? = refusal else {
        Issue.record("\(names): \(refusal as Any)")
        continue
      }
      #expect(reason.contains(advice), "\(names): \(reason)")
      #expect(reason.contains("interrupted") == advice.contains("interrupted"))
      #expect(try fileSystem.filesByName(in: "/out") == before)
    }
  }

  private static func flip(
    _ name: String, at offset: UInt64, count: Int = 1, _ fileSystem: InMemoryFileSystem
  ) throws {
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    let file = try directory.open(try #require(FileName(name)), .readWrite)
    var bytes = [UInt8](repeating: 0, count: count)
    _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
    for index in bytes.indices { bytes[index] ^= 0x5A }
    try bytes.withUnsafeBytes { try file.write([$0], at: offset) }
  }

  private static func salvaged(
    _ fileSystem: InMemoryFileSystem
  ) throws -> (report: SalvageReport, contents: [[UInt8]: [UInt8]]) {
    let before = try fileSystem.filesByName(in: "/store")
    let report = try LogSalvage.salvage("/store", to: "/out", fileSystem: fileSystem)
    #expect(try fileSystem.filesByName(in: "/store") == before)
    let verification = try LogVerifier.verify("/out", fileSystem: fileSystem)
    #expect(verification.isIntact, "\(verification)")
    let log = try Log.open(
      at: "/out", configuration: TestLog.configuration, fileSystem: fileSystem)
    let contents = try TestLog.contents(log)
    #expect(try log.statistics().live.recordCount == UInt64(contents.count))
    // What was saved is a store like any other.
    try TestLog.put(1000..<1010, log)
    try log.close()
    return (report, contents)
  }

  @Test("Of an intact store everything is saved, deletions among it")
  func intact() throws {
    let fileSystem = try FlippedBitTests.smallStore()
    let expected = try TestLog.contents(TestLog.open(fileSystem, access: .readOnly))
    let (report, contents) = try Self.salvaged(fileSystem)
    #expect(report.losses.isEmpty && report.notes.isEmpty, "\(report)")
    #expect(contents == expected)
    #expect(report.liveRecordCount == UInt64(expected.count))
  }

  @Test("A flipped bit anywhere costs one frame's worth of records at most, and makes none up")
  func flips() throws {
    let pristine = try Self.store()
    let expected = TestLog.expected(0..<200)
    var failures: [String] = []
    var fewest = expected.count
    for (name, bytes) in try pristine.filesByName(in: "/store") {
      for position in stride(from: 0, to: bytes.count, by: 23) {
        let fileSystem = try Self.store()
        try Self.flip(name, at: UInt64(position), fileSystem)
        let report = try LogSalvage.salvage("/store", to: "/out", fileSystem: fileSystem)
        var configuration = TestLog.configuration
        configuration.access = .readOnly
        let found = try TestLog.contents(
          Log.open(at: "/out", configuration: configuration, fileSystem: fileSystem))
        fewest = min(fewest, found.count)
        let isTrue = found.allSatisfy { expected[$0.key] == $0.value }
        if !isTrue { failures.append("\(name) \(position): something was made up") }
        if found.count < 190 { failures.append("\(name) \(position): \(found.count) saved") }
        if found.count < 200 && report.losses.isEmpty {
          failures.append("\(name) \(position): a loss is not listed")
        }
      }
    }
    #expect(failures.isEmpty, "\(failures.prefix(5))")
    #expect(fewest < 200)
  }

  @Test("One record that does not verify costs that record only")
  func oneRecord() throws {
    let fileSystem = try Self.store()
    // In the payload of a record in the middle of the first frame.
    try Self.flip("segment-00000001.log", at: 128 + 48 + 200, fileSystem)
    let (report, contents) = try Self.salvaged(fileSystem)
    #expect(contents.count == 199)
    #expect(report.losses.count == 1)
    #expect(report.losses[0].file == "segment-00000001.log")
  }

  @Test("Header, manifest, footer and a whole frame may be damaged at once")
  func everything() throws {
    let fileSystem = try Self.store()
    try Self.flip("MANIFEST", at: 60, count: 40, fileSystem)
    try Self.flip("segment-00000001.log", at: 0, count: 128, fileSystem)
    try Self.flip("segment-00000002.log", at: 128, count: 600, fileSystem)
    let (report, contents) = try Self.salvaged(fileSystem)
    #expect(contents.count >= 180 && contents.count < 200, "\(contents.count)")
    #expect(Set(report.losses.map(\.file)).count >= 3, "\(report.losses)")
  }

  @Test("A missing segment and a missing manifest are told, and the rest is saved")
  func missing() throws {
    let fileSystem = try Self.store()
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    try directory.remove(try #require(FileName("segment-00000002.log")))
    var result = try Self.salvaged(fileSystem)
    #expect(result.report.losses.contains { $0.reason == "it is missing" })
    #expect(result.contents.count < 200 && result.contents.count > 100)
    try directory.remove(StoreDirectory.manifest)
    let out = try fileSystem.openDirectory(at: "/out", create: false)
    for name in try out.list() { try out.remove(try #require(FileName(name))) }
    result = try Self.salvaged(fileSystem)
    #expect(result.contents.count < 200 && result.contents.count > 100)
    // Which commits are missing is all that tells of the segment.
    let loss = try #require(result.report.losses.first { $0.file == "MANIFEST" })
    #expect(loss.reason.contains("commits"), "\(loss.reason)")
  }

  @Test("What was durable in the segment that was open, and is gone, is listed as lost")
  func cutTail() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    for start in stride(from: 0, to: 100, by: 10) { try TestLog.put(start..<start + 10, log) }
    let active = try #require(try log.statistics().segments.first { $0.isActive })
    let name = StoreDirectory.segment(active.identifier).description
    // A copy whose manifest says how much was durable.
    try log.backup(to: "/backup", fileSystem: fileSystem)
    let files = fileSystem.snapshotOfFiles(in: "/backup")
    let bytes = try #require(files[name])
    let header = Array(bytes[..<SegmentHeader.byteCount])
    let zeros = [UInt8](repeating: 0, count: bytes.count - header.count)
    let firstFrame = try Self.byteCountOfFirstFrame(in: [UInt8](bytes))
    for left in [
      [], [UInt8](repeating: 0, count: bytes.count), header, header + zeros,
      Array(bytes[..<(header.count + firstFrame)]),
    ] {
      let damaged = fileSystem.pristineCopy()
      damaged.replaceContents(of: name, in: "/backup", with: left)
      let report = try LogSalvage.salvage("/backup", to: "/out", fileSystem: damaged)
      #expect(report.losses.contains { $0.file == name }, "\(left.count): \(report)")
    }
    let whole = try LogSalvage.salvage("/backup", to: "/out", fileSystem: fileSystem)
    #expect(whole.losses.isEmpty && whole.recordCount >= 100)
    try log.close()
  }

  /// With what it is padded to.
  private static func byteCountOfFirstFrame(in segment: [UInt8]) throws -> Int {
    let header = try segment.withUnsafeBytes { bytes in
      try SegmentHeader.decode(bytes, file: "segment")
    }
    let frame = segment.withUnsafeBytes { bytes in
      FrameHeader(
        decoding: UnsafeRawBufferPointer(rebasing: bytes[SegmentHeader.byteCount...]),
        salt: header.salt, offset: UInt64(SegmentHeader.byteCount))
    }
    return Int(try #require(frame).paddedLength)
  }

  @Test("A damaged footer is no loss: it is made from the records")
  func footer() throws {
    let fileSystem = try Self.store()
    let manifest = try #require(
      try ManifestFile.read(in: fileSystem.openDirectory(at: "/store", create: false)))
    let first = try #require(manifest.segments.first)
    let name = StoreDirectory.segment(first.identifier).description
    try Self.flip(name, at: first.dataEnd + 6, fileSystem)
    let (report, contents) = try Self.salvaged(fileSystem)
    #expect(report.losses.isEmpty, "\(report.losses)")
    #expect(contents == TestLog.expected(0..<200))
  }

  @Test(
    "An empty directory is no store, nor what a crash left while one was made; nothing is saved",
    arguments: [false, true])
  func emptyDirectory(isBegun: Bool) throws {
    let fileSystem = InMemoryFileSystem()
    let directory = try fileSystem.openDirectory(at: "/store", create: true)
    if isBegun { _ = try directory.open(StoreDirectory.newManifest, .createNew) }
    #expect(throws: LogError.storeNotFound(path: "/store")) {
      _ = try LogSalvage.salvage("/store", to: "/out", fileSystem: fileSystem)
    }
    #expect(throws: LogError.storeNotFound(path: "/store")) {
      _ = try LogVerifier.verify("/store", fileSystem: fileSystem)
    }
    #expect(throws: FileIOError.self) { try fileSystem.openDirectory(at: "/out", create: false) }
  }

  @Test("Of a tail that was torn each record that verifies is saved")
  func tail() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try TestLog.open(fileSystem)
    try TestLog.put(0..<5, log)
    try TestLog.put(5..<10, log)
    let image = try fileSystem.openDirectory(at: "/store", create: false)
    let file = try image.open(try #require(FileName("segment-00000001.log")), .readWrite)
    let end = try #require(try log.statistics().segments.first).byteCount
    try withExtendedLifetime(log) {
      try [UInt8](repeating: 0, count: 40).withUnsafeBytes { try file.write([$0], at: end - 40) }
    }
    let copy = InMemoryFileSystem()
    let target = try copy.openDirectory(at: "/store", create: true)
    for (name, bytes) in try fileSystem.filesByName(in: "/store") {
      guard let fileName = FileName(name) else { continue }
      let file = try target.open(fileName, .createNew)
      try bytes.withUnsafeBytes { try file.write([$0], at: 0) }
    }
    let (_, contents) = try Self.salvaged(copy)
    #expect(contents == TestLog.expected(0..<9))
  }

  @Test("Nothing is written where something lies already")
  func refusal() throws {
    let fileSystem = try Self.store()
    let before = try fileSystem.filesByName(in: "/store")
    #expect(throws: LogError.self) {
      try LogSalvage.salvage("/store", to: "/store", fileSystem: fileSystem)
    }
    #expect(throws: LogError.self) {
      try LogSalvage.salvage("/nowhere", to: "/out", fileSystem: fileSystem)
    }
    #expect(try fileSystem.filesByName(in: "/store") == before)
  }
}
