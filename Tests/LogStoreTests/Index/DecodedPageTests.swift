import BinaryCoding
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
  private static func compare(_ run: IndexRun, seed: UInt64) throws -> Int {
    var generator = SeededGenerator(seed: seed)
    var quick = DecodedPage()
    var simple = DecodedPage()
    var shortCount = 0
    for number in 0..<run.directory.pageCount {
      try run.withDecodedPage(number) { (page) throws(BinaryDecodingError) in
        let first = Int.random(in: 0...page.count, using: &generator)
        let end = Int.random(in: first...page.count, using: &generator)
        for range in [0..<page.count, first..<end] {
          let count = try quick.decode(page, range, nil)
          let expected = try simple.decodeAny(page, range, nil)
          #expect(count == range.count)
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
    var count = 0
    for seed in UInt64(1)...8 {
      let model = PagePackingTests.model(seed: seed, count: 1500, keyLength: keyLength)
      let single = PagePackingTests.withoutOrdinals(model)
      count += try Self.compare(PagePackingTests.footer(single, packs: true), seed: seed)
      let merged = try MergedRunTests.open(MergedRunTests.write(model, packs: true))
      count += try Self.compare(merged, seed: seed)
    }
    // Prefixes of longer keys do not fit a word, and what differs by many bits is not packed.
    #expect(keyLength > 8 || count > 0, "no page was decoded by words")
  }

  @Test("A single key, of which nothing follows the prefix", arguments: [1, 7, 8, 9, 16])
  func singleKey(length: Int) throws {
    let model = PagePackingTests.withoutOrdinals(
      PagePackingTests.model(seed: 1, count: 1, keyLength: length))
    _ = try Self.compare(try PagePackingTests.footer(model, packs: true), seed: 1)
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
