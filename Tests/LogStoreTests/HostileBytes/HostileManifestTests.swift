import BinaryCoding
import StorageTestSupport
import Testing

@testable import LogStore

@Suite struct HostileManifestTests {
  /// Ways to put a number into a manifest.
  static let changes: [@Sendable (inout Manifest, Int, UInt64) -> Void] = [
    { manifest, _, value in manifest.generation = value },
    { manifest, _, value in manifest.nextSegment = UInt32(truncatingIfNeeded: value) },
    { manifest, _, value in manifest.lastSequence = CommitSequence(value) },
    { manifest, _, value in manifest.durableSequence = CommitSequence(value) },
    { manifest, _, value in
      manifest.lastSequence = CommitSequence(value)
      manifest.durableSequence = CommitSequence(value)
    },
    { manifest, index, _ in manifest.activeSegment = manifest.segments[index].identifier },
    { manifest, _, value in
      manifest.activeSegment = SegmentIdentifier(UInt32(truncatingIfNeeded: value))
    },
    { manifest, _, value in manifest.lastUserSegment = UInt32(truncatingIfNeeded: value) },
    { manifest, _, value in manifest.lastUserHash = value },
    { manifest, index, _ in manifest.segments.append(manifest.segments[index]) },
    { manifest, index, _ in manifest.segments.remove(at: index) },
    { manifest, index, value in
      manifest.segments[index].identifier = SegmentIdentifier(UInt32(truncatingIfNeeded: value))
    },
    { manifest, index, _ in
      let stream = manifest.segments[index].stream
      manifest.segments[index].stream = stream == .user ? .compaction : .user
    },
    { manifest, index, value in manifest.segments[index].salt = value },
    { manifest, index, value in manifest.segments[index].dataEnd = value },
    { manifest, index, value in manifest.segments[index].closingHash = value },
    { manifest, index, value in manifest.segments[index].minimumSequence = CommitSequence(value) },
    { manifest, index, value in manifest.segments[index].maximumSequence = CommitSequence(value) },
    { manifest, index, value in
      manifest.segments[index].heads = KeyHeads(first: (1, value), last: (1, .max - value))
    },
    { manifest, index, value in
      let collection = UInt32(truncatingIfNeeded: value)
      manifest.segments[index].heads = KeyHeads(first: (0, 0), last: (collection, value))
    },
    { manifest, index, value in manifest.segments[index].recordCount = value },
    { manifest, index, value in manifest.segments[index].tombstoneCount = value },
    { manifest, index, value in
      for version: UInt64 in [0, 1, value] {
        manifest.segments[index].live.add(
          CollectionVersion(collection: TestLog.people, schemaVersion: version),
          RecordTotals(recordCount: value, byteCount: value))
      }
    },
  ]

  /// Ways to put a number into the description of a merged run.
  static let runChanges: [@Sendable (inout Manifest, UInt64) -> Void] = [
    { manifest, value in
      manifest.runs[0].identifier = RunIdentifier(UInt32(truncatingIfNeeded: value))
    },
    { manifest, value in manifest.runs[0].salt = value },
    { manifest, value in manifest.runs[0].byteCount = value },
    { manifest, value in manifest.runs[0].keyCount = value },
    { manifest, value in
      manifest.runs[0].heads = KeyHeads(first: (1, value), last: (1, .max - value))
    },
    { manifest, value in manifest.runs.append(manifest.runs[0]) },
    { manifest, _ in manifest.runs[0].segments = [] },
    { manifest, _ in manifest.runs[0].segments.removeFirst() },
    { manifest, _ in manifest.runs[0].segments.reverse() },
    { manifest, value in
      manifest.runs[0].segments.append(SegmentIdentifier(UInt32(truncatingIfNeeded: value)))
    },
    { manifest, _ in manifest.runs[0].segments = manifest.segments.map(\.identifier) },
  ]

  @Test(
    "P14: no number of a merged run in a manifest that verifies traps, hangs or takes memory",
    arguments: [false, true])
  func noNumberOfARunTraps(isOpen: Bool) throws {
    var files = try HostileStore.files(isOpen: isOpen, segmentByteCount: 2 << 10, hasRuns: true)
    let manifest = try HostileStore.manifest(of: files)
    var count = 0
    for change in Self.runChanges {
      for value in HostileStore.extremes {
        count += 1
        var changed = manifest
        change(&changed, value)
        files["MANIFEST"] = changed.encode()
        HostileStore.use(files, count % 3 == 0 ? .buffered : .mapped)
      }
    }
  }

  @Test(
    "P14: no number in a manifest that verifies traps, hangs or takes memory",
    arguments: [false, true])
  func noNumberOfAManifestTraps(isOpen: Bool) throws {
    var files = try HostileStore.files(isOpen: isOpen)
    let manifest = try HostileStore.manifest(of: files)
    var count = 0
    for change in Self.changes {
      for value in HostileStore.extremes {
        count += 1
        var changed = manifest
        change(&changed, count % 2 == 0 ? 0 : manifest.segments.count - 1, value)
        files["MANIFEST"] = changed.encode()
        HostileStore.use(files, count % 3 == 0 ? .buffered : .mapped)
      }
    }
  }

  @Test("P14: totals that no segment can have are refused, so that sums of them cannot overflow")
  func impossibleTotalsAreRefused() throws {
    var files = try HostileStore.files(isOpen: false)
    let manifest = try HostileStore.manifest(of: files)
    for change in Self.changes.suffix(3) {
      var changed = manifest
      change(&changed, 0, 1 << 33)
      files["MANIFEST"] = changed.encode()
      let damaged = files
      #expect(throws: LogError.self) { try HostileStore.manifest(of: damaged) }
      let log = try TestLog.open(SimulatedFileSystem(files: files, in: "/store"))
      #expect(log.recoveryReport.rebuiltManifest != nil)
    }
  }

  @Test("P6: verify finds a sealed segment whose records are outside of the sequences it lists")
  func misstatedSequencesAreFound() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    try TestLog.put([0, 1], log)
    try log.sealActiveSegment()
    try TestLog.delete([1], log)
    try log.close()
    var files = fileSystem.snapshotOfFiles(in: "/store")
    let honest = try HostileStore.manifest(of: files)
    let tombstone = try #require(honest.segments.firstIndex { $0.tombstoneCount == 1 })
    let puts = try #require(honest.segments.firstIndex { $0.tombstoneCount == 0 })
    // Of a tombstone and of puts: what bounds do not hold, and what they do.
    for (index, minimum, maximum, isFound) in [
      (tombstone, 1, 1, true), (puts, 2, 2, true), (puts, 1, 1, true), (tombstone, 3, 3, false),
      (tombstone, 1, 3, false), (puts, 0, 3, false),
    ] as [(Int, UInt64, UInt64, Bool)] {
      var manifest = honest
      manifest.segments[index].minimumSequence = CommitSequence(minimum)
      manifest.segments[index].maximumSequence = CommitSequence(maximum)
      files["MANIFEST"] = manifest.encode()
      let changed = SimulatedFileSystem(files: files, in: "/store")
      let report = try LogVerifier.verify("/store", fileSystem: changed)
      let reasons = report.damages.map(\.reason)
      #expect(reasons.contains(Segment.strayRecords) == isFound, "\(reasons)")
      #expect(isFound || report.isIntact, "\(reasons)")
    }
  }

  @Test("P14: a store whose sequences or identifiers are used up refuses writes and stays readable")
  func usedUpNumbersAreAnError() throws {
    let files = try HostileStore.files(isOpen: false)
    var sequences = try HostileStore.manifest(of: files)
    sequences.lastSequence = CommitSequence(LogLimits.sequence - 2)
    sequences.durableSequence = sequences.lastSequence
    var identifiers = try HostileStore.manifest(of: files)
    identifiers.nextSegment = LogLimits.segmentIdentifier - 2
    for manifest in [sequences, identifiers] {
      var files = files
      files["MANIFEST"] = manifest.encode()
      let fileSystem = SimulatedFileSystem(files: files, in: "/store")
      for _ in 0..<6 {
        let log = try TestLog.open(fileSystem)
        do { try TestLog.put([1000], log) } catch {
          guard case .limitExceeded = error else {
            Issue.record("\(error)")
            continue
          }
        }
        #expect(try TestLog.contents(log).count >= 280)
        try log.close()
      }
    }
  }
}
