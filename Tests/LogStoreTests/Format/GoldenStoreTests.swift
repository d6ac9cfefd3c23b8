import FileIO
import Foundation
import StorageTestSupport
import Testing

@testable import LogStore

/// Stores of each format version, committed as files: every later build must read them.
@Suite("Stores of every format version are read by every later build")
struct GoldenStoreTests {
  /// `Fixtures` beside this folder.
  private static let fixtures: String = {
    let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return folder.dropLast(2).joined(separator: "/") + "/Fixtures"
  }()
  /// The stores with the formats in which there is a fixture of them.
  private static let fixed = GoldenStore.all.flatMap { store in
    store.versions.map { Fixture(store: store, format: "v\($0)") }
  }

  struct Fixture: Sendable, CustomStringConvertible {
    let store: GoldenStore
    let format: String
    var description: String { "\(format)/\(store)" }
  }

  private func path(of store: GoldenStore, _ format: String) -> String {
    "\(Self.fixtures)/\(format)/\(store.name)"
  }

  private func fixture(_ store: GoldenStore, _ format: String) throws -> [FileName: [UInt8]] {
    try GoldenStore.files(
      of: POSIXFileSystem().openDirectory(at: path(of: store, format), create: false))
  }

  private func records(of log: Log) throws -> [GoldenStore.Record] {
    let cursor = try log.snapshot().records(in: GoldenStore.people)
    var records: [GoldenStore.Record] = []
    while let (key, record) = try cursor.next() {
      #expect(record.commitTime.secondsSince1970 == GoldenStore.secondsSince1970)
      records.append(
        GoldenStore.Record(
          key: String(decoding: key, as: UTF8.self), schemaVersion: record.schemaVersion,
          sequence: record.sequence.rawValue,
          payload: String(decoding: record.payload, as: UTF8.self)))
    }
    return records
  }

  @Test("A fixture shows its listed records", arguments: fixed)
  func reads(_ fixed: Fixture) throws {
    let (store, format) = (fixed.store, fixed.format)
    var configuration = LogConfiguration()
    configuration.access = .readOnly
    for readMode in [LogConfiguration.ReadMode.mapped, .buffered] {
      configuration.readMode = readMode
      let log = try Log.open(at: path(of: store, format), configuration: configuration)
      #expect(try records(of: log) == store.records)
      try log.close()
    }
  }

  @Test("Every byte of a fixture verifies", arguments: fixed)
  func verifies(_ fixed: Fixture) throws {
    let (store, format) = (fixed.store, fixed.format)
    let report = try LogVerifier.verify(path(of: store, format))
    #expect(report.damages.isEmpty)
    #expect(report.rebuildable.isEmpty)
    #expect(report.fileCount == (try fixture(store, format)).count)
  }

  @Test("A store is continued where an earlier build left it", arguments: fixed)
  func continues(_ fixed: Fixture) throws {
    let (store, format) = (fixed.store, fixed.format)
    let fileSystem = InMemoryFileSystem()
    let directory = try fileSystem.openDirectory(at: "/store", create: true)
    for (name, bytes) in try fixture(store, format) {
      let file = try directory.open(name, .createNew)
      try bytes.withUnsafeBytes { buffer in try file.write([buffer], at: 0) }
    }
    var log = try Log.open(at: "/store", fileSystem: fileSystem)
    let batch = log.makeBatch()
    try batch.delete([UInt8]("A".utf8), in: GoldenStore.people)
    try log.commit(batch)
    try log.close()
    log = try Log.open(at: "/store", fileSystem: fileSystem)
    #expect(try records(of: log) == store.records.filter { $0.key != "A" })
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("This build writes the same bytes", arguments: GoldenStore.reproducible)
  func reproduces(_ store: GoldenStore) throws {
    try expectSameBytes(store.files(), store, store.newest)
  }

  @Test(
    "Without short headers this build writes the bytes of the format before them",
    arguments: GoldenStore.reproducible)
  func reproducesLongFrames(_ store: GoldenStore) throws {
    try expectSameBytes(
      store.files(hasShortFrames: false, notesHeads: false, notesSessions: false), store,
      store.newestWithLongFrames)
  }

  @Test(
    "Without what manifests say of keys this build writes the bytes of the format before that",
    arguments: GoldenStore.reproducible)
  func reproducesManifestsWithoutHeads(_ store: GoldenStore) throws {
    try expectSameBytes(
      store.files(notesHeads: false, notesSessions: false), store, store.newestWithoutHeads)
  }

  @Test(
    "Without sessions in manifests this build writes the bytes of the format before that",
    arguments: GoldenStore.reproducible)
  func reproducesManifestsWithoutSessions(_ store: GoldenStore) throws {
    try expectSameBytes(
      store.files(notesSessions: false), store, store.newestWithoutSessions)
  }

  private func expectSameBytes(
    _ written: [FileName: [UInt8]], _ store: GoldenStore, _ format: String
  ) throws {
    let stored = try fixture(store, format)
    #expect(Set(written.keys) == Set(stored.keys))
    for (name, bytes) in stored {
      #expect(written[name] == bytes, "\(name) of \(store) differs from \(format)")
    }
  }

  @Test("What a quick rewrite wrote is known by its compatible flag, and by nothing else")
  func quickFlag() throws {
    var flags: [UInt32] = []
    for (name, bytes) in try fixture(.quick, "v5") where name != StoreDirectory.manifest {
      guard StoreDirectory.segmentIdentifier(of: name.description) != nil else { continue }
      let header = try bytes.withUnsafeBytes {
        try SegmentHeader.decode($0, file: name.description)
      }
      flags.append(header.compatibleFlags)
      #expect(header.isQuick)
      #expect(header.readerMinimum == 1 && header.incompatibleFlags == 0)
      #expect(header.encode() == [UInt8](bytes.prefix(SegmentHeader.byteCount)))
    }
    #expect(flags.sorted() == [0, 1])
  }

  @Test("A store of format 1 whose manifest is damaged is refused: it has no copy of it")
  func formatOneLeavesNoCopies() throws {
    for store in GoldenStore.all where store.versions.contains(1) {
      var files = try fixture(store, "v1")
      files[StoreDirectory.manifest]?[30] ^= 1
      let named = Dictionary(uniqueKeysWithValues: files.map { ($0.key.description, $0.value) })
      let fileSystem = SimulatedFileSystem(files: named, in: "/store")
      #expect(throws: LogError.self) { try Log.open(at: "/store", fileSystem: fileSystem) }
      #expect(fileSystem.snapshotOfFiles(in: "/store") == named)
    }
  }

  /// Writes the fixtures anew: only for a new format version, never to make the tests above pass.
  @Test(
    "The fixtures are written",
    .enabled(if: ProcessInfo.processInfo.environment["LOGSTORE_WRITE_FIXTURES"] == "1"))
  func writesFixtures() throws {
    let fileSystem = POSIXFileSystem()
    _ = try fileSystem.openDirectory(at: Self.fixtures, create: true)
    for store in GoldenStore.all {
      _ = try fileSystem.openDirectory(at: "\(Self.fixtures)/\(store.newest)", create: true)
      let directory = try fileSystem.openDirectory(at: path(of: store, store.newest), create: true)
      for text in try directory.list() {
        if let name = FileName(text) { try directory.remove(name) }
      }
      for (name, bytes) in try store.files() {
        let file = try directory.open(name, .createNew)
        try bytes.withUnsafeBytes { buffer in try file.write([buffer], at: 0) }
      }
    }
  }
}
