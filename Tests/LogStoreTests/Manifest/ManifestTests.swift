import BinaryCoding
import Testing

@testable import LogStore

@Suite struct ManifestTests {
  static var sample: Manifest {
    var manifest = Manifest(store: StoreIdentifier(low: 7, high: 9))
    manifest.generation = 12
    manifest.nextSegment = 9
    manifest.lastSequence = CommitSequence(1000)
    manifest.durableSequence = CommitSequence(900)
    manifest.activeSegment = SegmentIdentifier(8)
    manifest.lastUserSegment = 5
    manifest.lastUserHash = 0xABCD
    for number in [UInt32(3), 5, 8] {
      var live = LiveTotals()
      live.add(
        CollectionVersion(collection: TestLog.people, schemaVersion: UInt64(number)),
        byteCount: 100)
      manifest.segments.append(
        SegmentDescriptor(
          identifier: SegmentIdentifier(number), stream: number == 3 ? .compaction : .user,
          salt: UInt64(number) << 40, dataEnd: number == 8 ? 0 : 4096, closingHash: 77,
          minimumSequence: CommitSequence(1), maximumSequence: CommitSequence(99),
          recordCount: 50, tombstoneCount: 3, live: live))
    }
    return manifest
  }

  static func decode(_ bytes: [UInt8]) throws -> Manifest {
    try bytes.withUnsafeBytes { try Manifest.decode($0, file: "MANIFEST") }
  }

  @Test func roundTrips() throws {
    #expect(try Self.decode(Self.sample.encode()) == Self.sample)
  }

  /// The same with merged runs, one of which covers a segment that is gone.
  static var sampleWithRuns: Manifest {
    var manifest = sample
    manifest.runs = [
      RunDescriptor(
        identifier: RunIdentifier(6), salt: 1 << 50, byteCount: 12_345, keyCount: 77,
        segments: [SegmentIdentifier(2), SegmentIdentifier(3)]),
      RunDescriptor(
        identifier: RunIdentifier(7), salt: 3, byteCount: 9000, keyCount: 8,
        segments: [SegmentIdentifier(5)]),
    ]
    return manifest
  }

  @Test("P18: merged runs make a manifest of version 2; without them it stays one of version 1")
  func runsRoundTrip() throws {
    let bytes = Self.sampleWithRuns.encode()
    #expect(try Self.decode(bytes) == Self.sampleWithRuns)
    #expect(bytes[8] == 2 && bytes[10] == 2)
    let without = Self.sample.encode()
    #expect(without[8] == 1 && without[10] == 1)
  }

  @Test("P18: dictionaries make a manifest of version 4, which says which segments need them")
  func dictionariesRoundTrip() throws {
    var manifest = Self.sampleWithRuns
    manifest.usesDictionaries = true
    for rawLength in [100, 200] {
      manifest.segments[0].dictionaryUses.count(3, rawLength: rawLength, storedLength: 40)
    }
    let bytes = manifest.encode()
    #expect(try Self.decode(bytes) == manifest)
    #expect(bytes[8] == 4 && bytes[10] == 4)
    manifest.runs = []
    #expect(try Self.decode(manifest.encode()) == manifest)
  }

  @Test("What has a number twice, no keys, or an active segment that is not listed, is refused")
  func numbersAreUnique() throws {
    let faults: [(String, (inout Manifest) -> Void)] = [
      ("segment 5 is misplaced", { $0.segments[0].identifier = SegmentIdentifier(5) }),
      ("run 6 is misplaced", { $0.runs[1].identifier = RunIdentifier(6) }),
      ("run 5 is misplaced", { $0.runs[0].identifier = RunIdentifier(5) }),
      ("run 6 is impossible", { $0.runs[0].segments[0] = SegmentIdentifier(3) }),
      ("run 6 is impossible", { $0.runs[0].keyCount = 0 }),
      ("active segment is not listed", { $0.segments.removeLast() }),
      (
        "segment 8 has no end",
        { $0.segments[$0.segments.count - 1].dataEnd = 4096 }
      ),
    ]
    for (reason, plant) in faults {
      var manifest = Self.sampleWithRuns
      plant(&manifest)
      let error = #expect(throws: LogError.self) { try Self.decode(manifest.encode()) }
      #expect(error?.description.contains(reason) == true, "\(reason)")
    }
  }

  /// The same with runs of ranges.
  static var sampleWithRanges: Manifest {
    var manifest = sampleWithRuns
    let cut = KeyCut(collection: 7, key: [1, 0, 255])
    manifest.runs[0].bounds = RunBounds(lower: nil, upper: cut)
    manifest.runs[1].bounds = RunBounds(lower: cut, upper: KeyCut(collection: 8, key: [0]))
    return manifest
  }

  @Test("P18: runs of ranges make a manifest of version 6, with dictionaries or without")
  func rangesRoundTrip() throws {
    for usesDictionaries in [false, true] {
      var manifest = Self.sampleWithRanges
      manifest.usesDictionaries = usesDictionaries
      if usesDictionaries {
        manifest.segments[0].dictionaryUses.count(3, rawLength: 100, storedLength: 40)
      }
      let bytes = manifest.encode()
      #expect(try Self.decode(bytes) == manifest)
      #expect(bytes[8] == 6 && bytes[10] == 6)
    }
  }

  /// The same with short headers of frames.
  static var sampleWithShortFrames: Manifest {
    var manifest = sampleWithRanges
    manifest.usesShortFrames = true
    return manifest
  }

  @Test("P18: short headers make a manifest of version 7, whatever else it has")
  func shortFramesRoundTrip() throws {
    for var manifest in [Self.sample, Self.sampleWithRuns, Self.sampleWithRanges] {
      for usesDictionaries in [false, true] {
        manifest.usesShortFrames = true
        manifest.usesDictionaries = usesDictionaries
        let bytes = manifest.encode()
        #expect(try Self.decode(bytes) == manifest)
        #expect(bytes[8] == 7 && bytes[10] == 7)
      }
    }
  }

  /// The same with what is known of the keys of one segment.
  static var sampleWithHeads: Manifest {
    var manifest = sampleWithShortFrames
    manifest.segments[1].heads = KeyHeads(first: (3, 5), last: (UInt32.max, UInt64.max))
    manifest.runs[0].heads = KeyHeads(first: (3, 0), last: (3, 0))
    return manifest
  }

  @Test("P18: what is known of keys makes a manifest of version 8, whatever else it has")
  func headsRoundTrip() throws {
    for var manifest in [Self.sample, Self.sampleWithRuns, Self.sampleWithHeads] {
      for (usesDictionaries, usesShortFrames) in [(false, false), (false, true), (true, false)] {
        manifest.usesShortFrames = usesShortFrames
        manifest.usesDictionaries = usesDictionaries
        // Of a run alone where there is one.
        let heads = KeyHeads(first: (0, 0), last: (0, 0))
        if manifest.runs.isEmpty { manifest.segments[0].heads = heads }
        for index in manifest.runs.indices { manifest.runs[index].heads = heads }
        let bytes = manifest.encode()
        #expect(try Self.decode(bytes) == manifest)
        #expect(bytes[8] == 8 && bytes[10] == 8)
      }
    }
  }

  @Test("P6: keys of a segment that is not sealed, or that end before they begin, are corruption")
  func impossibleHeadsAreRefused() throws {
    let possible = KeyHeads(first: (1, 2), last: (1, 2))
    let faults: [(Int, KeyHeads)] = [
      (2, possible), (0, KeyHeads(first: (1, 2), last: (1, 1))),
      (0, KeyHeads(first: (2, 0), last: (1, 0))),
    ]
    for (segment, heads) in faults {
      var manifest = Self.sample
      manifest.segments[0].heads = possible
      manifest.segments[segment].heads = heads
      #expect(throws: LogError.self) { try Self.decode(manifest.encode()) }
    }
    var manifest = Self.sampleWithRuns
    manifest.runs[1].heads = KeyHeads(first: (1, 2), last: (1, 1))
    #expect(throws: LogError.self) { try Self.decode(manifest.encode()) }
  }

  @Test("P6: bounds that cannot be, and more runs of ranges than there can be, are corruption")
  func impossibleBoundsAreRefused() throws {
    let cut = KeyCut(collection: 7, key: [1])
    var manifest = Self.sampleWithRanges
    for upper in [cut, KeyCut(collection: 7, key: [0, 200]), KeyCut(collection: 6, key: [9])] {
      manifest.runs[1].bounds = RunBounds(lower: cut, upper: upper)
      #expect(throws: LogError.self) { try Self.decode(manifest.encode()) }
    }
    for key in [[], [UInt8](repeating: 1, count: 4097)] {
      manifest.runs[1].bounds = RunBounds(lower: KeyCut(collection: 7, key: key), upper: nil)
      #expect(throws: LogError.self) { try Self.decode(manifest.encode()) }
    }
    manifest = Self.sampleWithRanges
    manifest.nextSegment = 5000
    for (count, isAccepted) in [
      (LogLimits.rangedRunCount, true), (LogLimits.rangedRunCount + 1, false),
    ] {
      manifest.runs = (0..<count).map { number in
        RunDescriptor(
          identifier: RunIdentifier(UInt32(1000 + number)), salt: 3, byteCount: 9000, keyCount: 8,
          segments: [SegmentIdentifier(5)], bounds: RunBounds(lower: cut, upper: nil))
      }
      #expect(((try? Self.decode(manifest.encode())) != nil) == isAccepted)
    }
  }

  @Test("A manifest drops the runs that index no listed segment, and no others")
  func uselessRunsAreDropped() {
    var manifest = Self.sampleWithRuns
    manifest.segments.removeAll { $0.identifier == SegmentIdentifier(5) }
    manifest.dropUselessRuns()
    #expect(manifest.runs.map(\.identifier.rawValue) == [6])
  }

  @Test("P25: the same contents give the same bytes")
  func isDeterministic() { #expect(Self.sample.encode() == Self.sample.encode()) }

  @Test(
    "P6: every flipped bit and every cut is corruption",
    arguments: [
      sample, sampleWithRuns, sampleWithRanges, sampleWithShortFrames, sampleWithHeads,
    ])
  func damageIsFound(manifest: Manifest) {
    let bytes = manifest.encode()
    for position in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[position] ^= 1 << UInt8(bit)
        if (try? Self.decode(damaged)) != nil { Issue.record("byte \(position) bit \(bit)") }
      }
      #expect(throws: LogError.self) { try Self.decode(Array(bytes[..<position])) }
    }
    #expect(throws: LogError.self) { try Self.decode(bytes + [0]) }
  }

  @Test("P18: a newer reader minimum is refused as newer, not as damage")
  func newerFormatIsRefused() throws {
    var bytes = Self.sample.encode()
    bytes[8] = 10
    bytes[10] = 10
    let sum = bytes.dropLast(4).withUnsafeBytes { Checksum.crc32c($0) }
    bytes.replaceSubrange(
      (bytes.count - 4)..., with: withUnsafeBytes(of: sum.littleEndian) { [UInt8]($0) })
    #expect(throws: LogError.newerFormat(file: "MANIFEST", found: 10, supported: 9)) {
      try Self.decode(bytes)
    }
  }
}
