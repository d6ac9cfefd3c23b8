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

  @Test("P25: the same contents give the same bytes")
  func isDeterministic() { #expect(Self.sample.encode() == Self.sample.encode()) }

  @Test("P6: every flipped bit and every cut is corruption")
  func damageIsFound() {
    let bytes = Self.sample.encode()
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
    bytes[10] = 3
    let sum = bytes.dropLast(4).withUnsafeBytes { Checksum.crc32c($0) }
    bytes.replaceSubrange(
      (bytes.count - 4)..., with: withUnsafeBytes(of: sum.littleEndian) { [UInt8]($0) })
    #expect(throws: LogError.newerFormat(file: "MANIFEST", found: 1, supported: 2)) {
      try Self.decode(bytes)
    }
  }
}
