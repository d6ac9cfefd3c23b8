import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite struct LiveTotalsTests {
  /// Rewrites the manifest of a closed store, correct but for what `change` does.
  static func changeManifest(
    _ fileSystem: InMemoryFileSystem, _ change: (inout Manifest) -> Void
  ) throws {
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    var manifest = try #require(try ManifestFile.read(in: directory))
    change(&manifest)
    try ManifestFile.replace(with: manifest.encode(), in: directory)
  }

  @Test("verify finds a manifest that counts too few live records, and tells of one with too many")
  func wrongTotals() throws {
    let fileSystem = try FlippedBitTests.smallStore()
    let intact = try LogVerifier.verify("/store", fileSystem: fileSystem)
    #expect(intact.isIntact && intact.notes == [])
    let more = CollectionVersion(collection: .catalog, schemaVersion: 0)
    try Self.changeManifest(fileSystem) { $0.segments[0].live.add(more, byteCount: 10) }
    let high = try LogVerifier.verify("/store", fileSystem: fileSystem)
    #expect(high.isIntact && high.notes.count == 1)
    try Self.changeManifest(fileSystem) { manifest in
      for number in manifest.segments.indices { manifest.segments[number].live = LiveTotals() }
    }
    let low = try LogVerifier.verify("/store", fileSystem: fileSystem)
    #expect(Set(low.damages.map(\.file)) == ["MANIFEST"])
  }

  @Test("P18: a store that a newer version marks as read-only is not written to")
  func unknownReadOnlyFlagsRefuseWriting() throws {
    for bit in 0..<32 {
      let fileSystem = try FlippedBitTests.smallStore()
      try Self.changeManifest(fileSystem) { $0.readOnlyFlags = 1 << UInt32(bit) }
      let before = try fileSystem.filesByName(in: "/store")
      #expect(throws: LogError.newerWriter(file: "MANIFEST")) {
        try TestLog.open(fileSystem)
      }
      let log = try TestLog.open(fileSystem, access: .readOnly)
      #expect(try TestLog.contents(log).count > 0)
      try log.close()
      #expect(try fileSystem.filesByName(in: "/store") == before)
    }
  }

  @Test("a schema version of 2^63 and more is refused before anything is written")
  func schemaVersionsHaveALimit() throws {
    let log = try TestLog.open(InMemoryFileSystem())
    let batch = log.makeBatch()
    #expect(throws: LogError.self) {
      try batch.put([1], in: TestLog.people, schemaVersion: 1 << 63, payload: [])
    }
    try batch.put([1], in: TestLog.people, schemaVersion: (1 << 63) - 1, payload: [])
    try log.commit(batch)
    let key: [UInt8] = [1]
    #expect(
      try log.snapshot().record(for: key, in: TestLog.people)?.schemaVersion == (1 << 63) - 1)
    try log.close()
  }
}
