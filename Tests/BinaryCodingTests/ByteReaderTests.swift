import BinaryCoding
import StorageTestSupport
import Testing

@Suite("The byte reader")
struct ByteReaderTests {
  /// Reads `bytes` with `body`.
  private func read<Value>(
    _ bytes: [UInt8], _ body: (inout ByteReader) throws -> Value
  ) rethrows -> Value {
    try bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      return try body(&reader)
    }
  }

  /// What a writer makes of `body`.
  private func written(_ body: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter(capacity: 0)
    body(&writer)
    return writer.array()
  }

  @Test(
    "variable-length integers have these bytes",
    arguments: [
      (0, [0x00]), (1, [0x01]), (127, [0x7F]), (128, [0x80, 0x01]), (300, [0xAC, 0x02]),
      (16_383, [0xFF, 0x7F]), (16_384, [0x80, 0x80, 0x01]),
      (UInt64(UInt32.max), [0xFF, 0xFF, 0xFF, 0xFF, 0x0F]),
      (UInt64(Int64.max), [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]),
      (UInt64.max, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]),
    ] as [(UInt64, [UInt8])])
  func variableLengthTable(_ value: UInt64, _ bytes: [UInt8]) throws {
    #expect(written { $0.writeVariableLength(value) } == bytes)
    #expect(try read(bytes) { try $0.readVariableLength() } == value)
  }

  @Test("variable-length integers of every length come back, one byte per seven bits")
  func variableLengths() throws {
    try withEvery(0..<64) { bit in
      let power = UInt64(1) << UInt64(bit)
      for value in [power - 1, power, power + 1, power | 0x5555_5555_5555_5555 & (power - 1)] {
        let bytes = written { $0.writeVariableLength(value) }
        let significant = max(1, 64 - value.leadingZeroBitCount)
        try check(bytes.count == (significant + 6) / 7, "\(value) took \(bytes.count) bytes")
        let found = try read(bytes) { try $0.readVariableLength() }
        try check(found == value, "\(value) came back as \(found)")
      }
    }
  }

  @Test(
    "integers that do not fit are refused where they start",
    arguments: [
      [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02],
      [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
      [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x81, 0x00],
      [UInt8](repeating: 0x80, count: 11), [UInt8](repeating: 0xFF, count: 100),
    ] as [[UInt8]])
  func tooLong(_ bytes: [UInt8]) {
    #expect(throws: BinaryDecodingError.integerOutOfRange(offset: 1)) {
      try read([7] + bytes) { reader in
        _ = try reader.readByte()
        _ = try reader.readVariableLength()
      }
    }
  }

  @Test("a narrower type refuses what it cannot hold")
  func narrowIntegers() throws {
    let bytes = written { writer in
      writer.writeVariableLength(255)
      writer.writeVariableLength(256)
    }
    try read(bytes) { (reader: inout ByteReader) throws in
      #expect(try reader.readVariableLength(as: UInt8.self) == 255)
      #expect(throws: BinaryDecodingError.integerOutOfRange(offset: 2)) {
        try reader.readVariableLength(as: UInt8.self)
      }
    }
    let large = written { $0.writeVariableLength(UInt64(Int64.max) + 1) }
    #expect(throws: BinaryDecodingError.integerOutOfRange(offset: 0)) {
      try read(large) { try $0.readVariableLength(as: Int.self) }
    }
  }

  @Test(
    "zigzag keeps small values of both signs short",
    arguments: [
      (0, 0), (-1, 1), (1, 2), (-2, 3), (2, 4), (Int64.max, UInt64.max - 1),
      (Int64.min, UInt64.max),
    ] as [(Int64, UInt64)])
  func zigzag(_ value: Int64, _ plain: UInt64) throws {
    let bytes = written { $0.writeZigZag(value) }
    #expect(bytes == written { $0.writeVariableLength(plain) })
    #expect(try read(bytes) { try $0.readZigZag() } == value)
  }

  @Test("fixed-width integers are little-endian at any offset")
  func fixedWidth() throws {
    let bytes = written { writer in
      writer.writeByte(9)
      writer.writeInteger(UInt16(0x0102))
      writer.writeInteger(UInt32(0x0304_0506))
      writer.writeInteger(Int64(-2))
    }
    let negative: [UInt8] = [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
    #expect(bytes == [9, 2, 1, 6, 5, 4, 3] + negative)
    try read(bytes) { reader in
      #expect(try reader.readByte() == 9)
      #expect(try reader.readInteger(UInt16.self) == 0x0102)
      #expect(try reader.readInteger(UInt32.self) == 0x0304_0506)
      #expect(try reader.readInteger(Int64.self) == -2)
      try reader.expectEnd()
      #expect(reader.offset == 15)
    }
  }

  /// One of everything.
  private func sample() -> [UInt8] {
    written { writer in
      writer.writeInteger(UInt32(1))
      writer.writeVariableLength(UInt64.max)
      writer.writeZigZag(Int64.min)
      writer.writeString("grün, 緑, 🟢")
      writer.writeLengthPrefixedBytes(UnsafeRawBufferPointer(start: nil, count: 0))
      writer.writeBytes([1, 2, 3])
      writer.writeByte(4)
    }
  }

  private func readSample(_ reader: inout ByteReader) throws {
    #expect(try reader.readInteger(UInt32.self) == 1)
    #expect(try reader.readVariableLength() == UInt64.max)
    #expect(try reader.readZigZag() == Int64.min)
    #expect(try reader.readString() == "grün, 緑, 🟢")
    #expect(try reader.readLengthPrefixedBytes().isEmpty)
    #expect(try Array(reader.readBytes(3)) == [1, 2, 3])
    #expect(try reader.readByte() == 4)
    try reader.expectEnd()
  }

  @Test("every truncation of valid bytes throws, and the whole does not (P14)")
  func truncations() throws {
    let bytes = sample()
    try read(bytes) { try readSample(&$0) }
    for count in bytes.indices {
      #expect(throws: BinaryDecodingError.self, "cut at \(count)") {
        try read(Array(bytes[..<count])) { try readSample(&$0) }
      }
    }
  }

  @Test("left-over bytes are reported")
  func trailingBytes() throws {
    #expect(throws: BinaryDecodingError.trailingBytes(offset: 1, count: 2)) {
      try read([1, 2, 3]) { reader in
        _ = try reader.readByte()
        try reader.expectEnd()
      }
    }
  }

  @Test(
    "text that is not UTF-8 is refused, not repaired",
    arguments: [
      [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC3],
    ] as [[UInt8]])
  func invalidText(_ text: [UInt8]) {
    let bytes = written { writer in text.withUnsafeBytes { writer.writeLengthPrefixedBytes($0) } }
    #expect(throws: BinaryDecodingError.invalidUTF8(offset: 0)) {
      try read(bytes) { try $0.readString() }
    }
  }

  @Test(
    "text is that of the standard library, or none where it has none",
    arguments: 0..<20 as Range<UInt64>)
  func validText(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let bytes = Self.almostText(&generator)
      let payload = written { writer in
        bytes.withUnsafeBytes { writer.writeLengthPrefixedBytes($0) }
      }
      let expected = String(validating: bytes, as: UTF8.self)
      let found = try? read(payload) { try $0.readString() }
      // Swift calls texts equal that have other bytes.
      try check(
        expected.map { Array($0.utf8) } == found.map { Array($0.utf8) }, "seed \(seed): \(bytes)")
    }
  }

  /// Text of every length around that of a word, which now and then is cut in the middle of a
  /// character, or has a byte that is wrong.
  private static func almostText(_ generator: inout SeededGenerator) -> [UInt8] {
    let alphabets = ["abcdefgh", "abcdefgh", "aäb緑c🟢", "\u{FFFD}", ""]
    let letters = Array(alphabets.randomElement(using: &generator) ?? "")
    let count = letters.isEmpty ? 0 : Int.random(in: 0...20, using: &generator)
    var bytes = (0..<count).flatMap { _ in
      Array(String(letters.randomElement(using: &generator) ?? "a").utf8)
    }
    if Bool.random(using: &generator) { return bytes }
    bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)))
    if let place = bytes.indices.randomElement(using: &generator), Bool.random(using: &generator) {
      bytes[place] = UInt8.random(in: 0...255, using: &generator)
    }
    return bytes
  }

  @Test("lengths beyond the end, negative or enormous, throw (P14)")
  func impossibleLengths() {
    for count in [-1, 5, Int.max, Int.min] {
      #expect(throws: BinaryDecodingError.self) {
        try read([1, 2, 3, 4]) { _ = try $0.readBytes(count) }
      }
    }
    for length in [5, UInt64(Int64.max), UInt64(Int64.max) + 1, UInt64.max] {
      let bytes = written { writer in
        writer.writeVariableLength(length)
        writer.writeBytes([1, 2, 3, 4])
      }
      let expected = BinaryDecodingError.endOfBytes(offset: 0, needed: length, available: 4)
      #expect(throws: expected) { try read(bytes) { _ = try $0.readLengthPrefixedBytes() } }
      #expect(throws: expected) { try read(bytes) { _ = try $0.readString() } }
    }
  }

  @Test(
    "random bytes and random requests never get past the end (P14)",
    arguments: 0..<20 as Range<UInt64>)
  func randomBytes(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let bytes = generator.bytes(Int.random(in: 0...40, using: &generator))
      try read(bytes) { reader in
        var failures = 0
        while failures < 3 {
          let before = reader.offset
          do {
            try readSomething(&reader, &generator)
            if reader.remainingByteCount == 0 { failures += 1 }
          } catch is BinaryDecodingError {
            failures += 1
          }
          let isInside = (before...bytes.count).contains(reader.offset)
          try check(isInside, "seed \(seed): offset \(reader.offset) of \(bytes.count)")
        }
      }
    }
  }

  private func readSomething(
    _ reader: inout ByteReader, _ generator: inout SeededGenerator
  ) throws {
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: _ = try reader.readByte()
    case 1: _ = try reader.readInteger(UInt64.self)
    case 2: _ = try reader.readVariableLength()
    case 3: _ = try reader.readVariableLength(as: Int8.self)
    case 4: _ = try reader.readZigZag()
    case 5: _ = try reader.readBytes(Int.random(in: -3...50, using: &generator))
    case 6: _ = try reader.readLengthPrefixedBytes()
    default: _ = try reader.readString()
    }
  }
}
