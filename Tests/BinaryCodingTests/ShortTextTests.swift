import StorageTestSupport
import Testing

@testable import BinaryCoding

/// Texts that lie in themselves, made and written without the standard library, against its own.
@Suite("Short texts")
struct ShortTextTests {
  /// What a reader gives, and where it stands then.
  private struct Outcome: Equatable {
    var text: [UInt8]?
    var failure: BinaryDecodingError?
    var position = 0
  }

  private static func outcome(
    _ bytes: [UInt8], from start: Int,
    _ read: (inout ByteReader) throws(BinaryDecodingError) -> String
  ) -> Outcome {
    bytes.withUnsafeBytes { bytes in
      var (reader, outcome) = (ByteReader(bytes), Outcome())
      do throws(BinaryDecodingError) {
        _ = try reader.readBytes(start)
        outcome.text = Array(try read(&reader).utf8)
      } catch { outcome.failure = error }
      outcome.position = reader.offset
      return outcome
    }
  }

  /// Mostly letters; now and then what is not ASCII, or not UTF-8.
  private static func bytes(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
    let kind = Int.random(in: 0..<4, using: &random)
    return (0..<count).map { _ in
      let isAny = kind == 0 && Int.random(in: 0..<8, using: &random) == 0
      return UInt8.random(in: isAny ? 0...255 : 0...127, using: &random)
    }
  }

  @Test("the bits of short texts are known where a text is two words")
  func known() { #expect(InlineText.isKnown == (MemoryLayout<String>.size == 16)) }

  @Test(
    "a text that is made from a word has the bits that the standard library gives it",
    .enabled(if: InlineText.isKnown), arguments: 0...15)
  func bits(_ count: Int) throws {
    var random = SeededGenerator(seed: UInt64(count))
    for _ in 0..<200 {
      let bytes = random.bytes(count).map { $0 & 0x7F }
      let word = bytes.reversed().reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
      let text = try #require(InlineText.text(word, count: count))
      let plain = String(decoding: bytes, as: UTF8.self)
      #expect(text == plain)
      #expect(Array(text.utf8) == bytes)
      #expect(unsafeBitCast(text, to: UInt128.self) == unsafeBitCast(plain, to: UInt128.self))
      let found = try #require(InlineText.bytes(of: plain))
      #expect(found.count == count)
      #expect(found.word & (1 << UInt128(8 * count) - 1) == word)
      // It grows, is compared and hashed like any other.
      #expect(text + "ä, and more than fifteen bytes" == plain + "ä, and more than fifteen bytes")
      #expect(Set([text, plain]).count == 1)
    }
  }

  @Test("a text that is replaced is let go, whatever it was, and stays where reading fails")
  func replacement() throws {
    var writer = ByteWriter()
    let texts = [
      "", "a", "fifteen bytes..", "ä", "a text of more than fifteen bytes", "ünïcödé, longer",
    ]
    for text in texts { writer.writeString(text) }
    for old in texts {
      var reader = ByteReader(writer.bytes)
      for text in texts {
        var value = old
        try reader.readString(into: &value)
        #expect(value == text)
      }
      var value = old
      #expect(throws: BinaryDecodingError.self) { try reader.readString(into: &value) }
      #expect(value == old)
    }

    // Who has the only reference to a text adds to it where it is.
    var kept = "a text of more than fifteen bytes"
    kept.reserveCapacity(100)
    func address() -> UInt? {
      kept.utf8.withContiguousStorageIfAvailable { UInt(bitPattern: $0.baseAddress) }
    }
    let place = address()
    var value = kept
    var reader = ByteReader(writer.bytes)
    try reader.readString(into: &value)
    kept += "."
    #expect(value.isEmpty && address() == place)
  }

  @Test("what is not ASCII does not lie in a word", .enabled(if: InlineText.isKnown))
  func notASCII() {
    for place in 0..<15 { #expect(InlineText.text(0x80 << UInt128(8 * place), count: 15) == nil) }
    #expect(InlineText.bytes(of: "ä") == nil)
    #expect(InlineText.bytes(of: "more than fifteen") == nil)
  }

  @Test(
    "texts are read as in the plain way, wherever they lie, whole or cut off",
    arguments: 0..<8 as Range<UInt64>)
  func reading(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for count in 0...40 {
      for before in [0, 1, 7, 14, 15, 16, 17, 33] {
        let text = Self.bytes(count, &random)
        let start = random.bytes(before) + [UInt8(count)] + text
        for after in [0, 1, 2, 14, 15, 16, 17, 40] {
          let bytes = start + random.bytes(after)
          for cut in [0, 1, after + 1, after + count, after + count + 1] {
            let bytes = Array(bytes.dropLast(cut))
            let quick = Self.outcome(bytes, from: before) { (reader) throws(BinaryDecodingError) in
              try reader.readString()
            }
            let plain = Self.outcome(bytes, from: before) { (reader) throws(BinaryDecodingError) in
              try reader.readAnyString()
            }
            try check(quick == plain, "seed \(seed): \(bytes) from \(before): \(quick), \(plain)")
          }
        }
      }
    }
  }

  @Test(
    "texts are written as in the plain way, however they came to be",
    arguments: 0..<8 as Range<UInt64>)
  func writing(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for count in 0...40 {
      let text = String(decoding: Self.bytes(count, &random), as: UTF8.self)
      var grown = "a text of more than fifteen bytes"
      grown.removeAll(keepingCapacity: true)
      grown += text
      for text in [text, grown, String(("-" + text).dropFirst()), "literal", "a literal of many"] {
        var quick = ByteWriter(capacity: 0)
        var plain = ByteWriter(capacity: 0)
        for _ in 0..<3 {
          quick.writeString(text)
          plain.writeAnyString(text)
        }
        let (written, expected) = (quick.array(), plain.array())
        try check(written == expected, "seed \(seed): \(Array(text.utf8)): \(written)")
        try check(quick.count <= quick.allocatedByteCount, "seed \(seed): too much was written")
      }
    }
  }

  @Test("an array holds what was written to its room", arguments: [0, 1, 1023, 1024, 1025, 5000])
  func room(_ capacity: Int) {
    for count in Set([0, capacity / 2, capacity]) {
      let bytes = [UInt8](capacity: capacity) { target in
        #expect(target.count == capacity)
        for place in 0..<count { target[place] = UInt8(truncatingIfNeeded: place) }
        return count
      }
      #expect(bytes == (0..<count).map { UInt8(truncatingIfNeeded: $0) })
    }
  }
}
