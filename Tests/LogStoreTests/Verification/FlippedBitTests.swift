import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite struct FlippedBitTests {
  /// Puts, overwrites, deletions, several segments, one of them compacted, a merged run; closed.
  /// With `scale` 1 there are seven records in all.
  static func smallStore(scale: Int = 10) throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let log = try TestLog.open(fileSystem)
    try TestLog.put(0..<(4 * scale), log)
    try TestLog.put((2 * scale)..<(6 * scale), log, version: 1)
    try TestLog.delete((3 * scale)..<(3 * scale + max(1, scale / 2)), log)
    try log.sealActiveSegment()
    let rewrite = try log.beginRewrite(of: [SegmentIdentifier(1)])
    while let record = try rewrite.next() { try rewrite.keep(record) }
    try rewrite.publish()
    try log.mergeIndexes()
    try TestLog.put((6 * scale)..<(7 * scale), log, version: 2)
    try log.close()
    return fileSystem
  }

  @Test("P6: a flipped bit in any byte of any file is reported by verify, and never read")
  func everyByte() throws {
    let flips = try Self.flip(Self.smallStore()) { position in
      (bits: [position % 8], reads: position % 16 == position / 16 % 16)
    }
    #expect(flips > 4000)
  }

  @Test("P6: so is each bit of each byte of a store with few records")
  func everyBit() throws {
    let flips = try Self.flip(Self.smallStore(scale: 1)) { _ in (bits: 0..<8, reads: true) }
    print("flipped \(flips) bits")
    #expect(flips > 8 * 1000)
  }

  /// Flips the bits that `choose` gives for each position in a file, one after the other; how many.
  private static func flip<Bits: Sequence<Int>>(
    _ fileSystem: InMemoryFileSystem,
    _ choose: (Int) -> (bits: Bits, reads: Bool)
  ) throws -> Int {
    let intact = try LogVerifier.verify("/store", fileSystem: fileSystem)
    #expect(intact.isIntact, "\(intact)")
    let expected = try TestLog.contents(TestLog.open(fileSystem, access: .readOnly))
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    var flips = 0
    for (name, bytes) in try fileSystem.filesByName(in: "/store").sorted(by: { $0.key < $1.key }) {
      let file = try directory.open(try #require(FileName(name)), .readWrite)
      for (position, byte) in bytes.enumerated() {
        let (bits, reads) = choose(position)
        for bit in bits {
          try [byte ^ (1 << UInt8(bit))].withUnsafeBytes {
            try file.write([$0], at: UInt64(position))
          }
          let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
          let isNamed = (report.damages + report.rebuildable).allSatisfy { $0.file == name }
          let text = "\(name), byte \(position), bit \(bit)"
          if report.isIntact || !isNamed { Issue.record("\(text): \(report)") }
          if reads { try expectNoWrongRead(fileSystem, expected, text) }
          flips += 1
        }
        try [byte].withUnsafeBytes { try file.write([$0], at: UInt64(position)) }
      }
    }
    return flips
  }

  static func expectNoWrongRead(
    _ fileSystem: InMemoryFileSystem, _ expected: [[UInt8]: [UInt8]], _ place: String
  ) throws {
    do {
      let log = try TestLog.open(fileSystem, access: .readOnly)
      defer { try? log.close() }
      for (key, payload) in expected {
        do {
          let found = try log.snapshot().record(for: key, in: TestLog.people)
          if found?.payload != payload { Issue.record("\(place)") }
        } catch {}
      }
      if try TestLog.contents(log) != expected { Issue.record("\(place)") }
    } catch LogError.corruption {
    }
  }
}
