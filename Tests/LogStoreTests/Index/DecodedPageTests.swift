import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Short packed keys are decoded by words as they are decoded one field after the other.
@Suite struct DecodedPageTests {
  struct KeyAndValue: Equatable {
    let key: [UInt8]
    let head: UInt64
    let collection: UInt32
    let value: IndexValue
  }

  private static func entries(
    _ decoded: borrowing DecodedPage, count: Int
  ) -> [KeyAndValue] {
    (0..<count).map { position in
      let key = decoded.keys[position]
      return KeyAndValue(
        key: [UInt8](key.buffer), head: key.head, collection: key.collection,
        value: decoded.values[position])
    }
  }

  /// Decodes portions of all pages both ways; returns how many had keys of two words at most.
  private static func compare(
    _ run: IndexRun, _ coverage: RunCoverage? = nil, seed: UInt64
  ) throws -> Int {
    var generator = SeededGenerator(seed: seed)
    var quick = DecodedPage()
    var simple = DecodedPage()
    var shortCount = 0
    for number in 0..<run.directory.pageCount {
      try run.withDecodedPage(number) { (page) throws(BinaryDecodingError) in
        let first = Int.random(in: 0...page.count, using: &generator)
        let end = Int.random(in: first...page.count, using: &generator)
        for range in [0..<page.count, first..<end] {
          let count = try quick.decode(page, range, coverage)
          let expected = try simple.decodeAny(page, range, coverage)
          #expect(coverage != nil || count == range.count)
          #expect(
            Self.entries(quick, count: count) == Self.entries(simple, count: expected),
            "seed \(seed), page \(number), \(range)")
        }
        if let packing = page.packing, max(page.prefix.count, packing.suffixByteCount) <= 8 {
          shortCount += 1
        }
      }
    }
    return shortCount
  }

  @Test("Packed keys, by words and by fields", arguments: 1...20)
  func wordsAreFields(keyLength: Int) throws {
    for seed in UInt64(1)...8 {
      let model = PagePackingTests.model(seed: seed, count: 1500, keyLength: keyLength)
      let single = PagePackingTests.withoutOrdinals(model)
      _ = try Self.compare(PagePackingTests.footer(single, packs: true), seed: seed)
      let merged = try MergedRunTests.open(MergedRunTests.write(model, packs: true))
      _ = try Self.compare(merged, seed: seed)
    }
  }

  /// Few enough keys for a page, which share `prefixLength` bytes and differ in all others.
  private static func model(
    _ prefixLength: Int, _ suffixLength: Int, seed: UInt64
  ) -> MergedRunTests.Model {
    var generator = SeededGenerator(seed: seed)
    func bytes(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in .random(in: 1...255, using: &generator) }
    }
    let prefix = bytes(prefixLength)
    var keys: Set<[UInt8]> = [
      prefix + [0] + bytes(suffixLength - 1), prefix + [255] + bytes(suffixLength - 1),
    ]
    for _ in 0..<100 { keys.insert(prefix + bytes(suffixLength)) }
    var model = MergedRunTests.Model()
    model.keys = keys.sorted { $0.lexicographicallyPrecedes($1) }
    for _ in model.keys {
      model.values.append(
        IndexValue(
          sequence: CommitSequence(.random(in: 90...190, using: &generator)),
          schemaVersion: .random(in: 1...3, using: &generator),
          offset: .random(in: 100_000...200_000, using: &generator),
          length: .random(in: 20...300, using: &generator),
          isTombstone: .random(using: &generator), ordinal: .random(in: 0..<3, using: &generator)))
    }
    return model
  }

  /// Of a run whose second segment of three is gone.
  private static func coverageWithGap() throws -> RunCoverage {
    let fileSystem = InMemoryFileSystem()
    let log = try TestLog.open(fileSystem)
    for number in 0..<300 { try TestLog.put([number], log) }
    let segments = Array(log.pipeline.view.sealed.prefix(3))
    try #require(segments.count == 3)
    let descriptor = RunDescriptor(
      identifier: RunIdentifier(99), salt: 0, byteCount: 0, keyCount: 0,
      segments: segments.map(\.identifier))
    let run = MergedRun(
      descriptor, in: try fileSystem.openDirectory(at: "/store", create: false), readMode: .mapped)
    return RunCoverage(run, of: SegmentTable([segments[0], segments[2]]) { $0.identifier })
  }

  @Test("Every length of prefix and suffix that fits a word, with all keys and with gaps")
  func allShortLengths() throws {
    let gap = try Self.coverageWithGap()
    for prefixLength in 0...8 {
      for suffixLength in 1...8 {
        for seed in UInt64(1)...3 {
          let place = "prefix \(prefixLength), suffix \(suffixLength)"
          let model = Self.model(prefixLength, suffixLength, seed: seed)
          let single = PagePackingTests.withoutOrdinals(model)
          let footer = try PagePackingTests.footer(single, packs: true)
          #expect(try Self.compare(footer, seed: seed) == 1, "\(place): not one page of words")
          let merged = try MergedRunTests.open(MergedRunTests.write(model, packs: true))
          // One page for each of two collections.
          #expect(try Self.compare(merged, seed: seed) == 2, "\(place): not two pages of words")
          #expect(try Self.compare(merged, gap, seed: seed) == 2)
        }
      }
    }
  }

  @Test("Keys have the bytes that they have, and no others", arguments: 1...20)
  func bytesOfKeys(length: Int) {
    let bytes = (0..<length).map { UInt8($0 * 7 & 0xFF) }
    bytes.withUnsafeBytes { buffer in
      let key = IndexKey(TestLog.people, buffer)
      #expect(key.hasBytes(buffer))
      for position in 0..<length {
        var other = bytes
        other[position] ^= 0x40
        #expect(!other.withUnsafeBytes { key.hasBytes($0) })
      }
      // Zeros pad the head, so a key with more of them has the same.
      #expect(!(bytes + [0]).withUnsafeBytes { key.hasBytes($0) })
      #expect(!bytes.dropLast().withUnsafeBytes { key.hasBytes($0) })
    }
  }
}
