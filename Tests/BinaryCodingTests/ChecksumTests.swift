import BinaryCoding
import StorageTestSupport
import Testing

@Suite("Checksums")
struct ChecksumTests {
  @Test(
    "CRC-32C agrees with RFC 3720, appendix B.4",
    arguments: [
      ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
      ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
      ([UInt8](0..<32), 0x46DD_794E),
      ([UInt8]((0..<32).reversed()), 0x113F_DB5C),
      ([UInt8]("123456789".utf8), 0xE306_9283), ([], 0),
    ] as [([UInt8], UInt32)])
  func crc32cVectors(_ bytes: [UInt8], _ expected: UInt32) {
    bytes.withUnsafeBytes { bytes in
      #expect(Checksum.crc32c(bytes) == expected)
      #expect(Checksum.portableCRC32C(bytes) == expected)
    }
  }

  @Test("CRC-32C by instruction equals CRC-32C by table, for all lengths and alignments")
  func hardwareEqualsPortable() throws {
    var generator = SeededGenerator(seed: 1)
    let bytes = generator.bytes(640)
    try bytes.withUnsafeBytes { bytes in
      try withEvery(0..<16) { offset in
        for count in 0...600 {
          let part = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
          let start = UInt32(truncatingIfNeeded: generator.next())
          let equal =
            Checksum.crc32c(part, continuing: start)
            == Checksum.portableCRC32C(part, continuing: start)
          try check(equal, "count \(count), start \(start)")
        }
      }
    }
  }

  @Test("CRC-32C by table equals the definition, bit by bit")
  func portableEqualsDefinition() {
    var generator = SeededGenerator(seed: 2)
    for count in 0...64 {
      let bytes = generator.bytes(count)
      var crc: UInt32 = 0xFFFF_FFFF
      for byte in bytes {
        crc ^= UInt32(byte)
        for _ in 0..<8 { crc = (crc >> 1) ^ (crc & 1 == 1 ? 0x82F6_3B78 : 0) }
      }
      bytes.withUnsafeBytes { #expect(Checksum.portableCRC32C($0) == ~crc) }
    }
  }

  @Test("CRC-32C bound to two numbers is the chained one, for all lengths")
  func boundEqualsChained() throws {
    var generator = SeededGenerator(seed: 7)
    let bytes = generator.bytes(300)
    try bytes.withUnsafeBytes { bytes in
      for count in 0...300 {
        let part = UnsafeRawBufferPointer(rebasing: bytes[..<count])
        let (first, second) = (generator.next(), generator.next())
        let chained = Checksum.crc32c(
          of: second,
          continuing: Checksum.crc32c(of: first, continuing: Checksum.portableCRC32C(part)))
        try check(
          Checksum.crc32c(part, boundTo: first, second) == chained, "count \(count)")
        try check(
          Checksum.portableCRC32C(part, boundTo: first, second) == chained, "portable \(count)")
      }
    }
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    let one = Checksum.crc32c(of: 1, continuing: 0)
    #expect(
      Checksum.crc32c(nothing, boundTo: 1, 2) == Checksum.crc32c(of: 2, continuing: one))
  }

  @Test("CRC-32C can be continued at any place")
  func continuation() {
    var generator = SeededGenerator(seed: 3)
    let bytes = generator.bytes(100)
    bytes.withUnsafeBytes { bytes in
      let whole = Checksum.crc32c(bytes)
      for cut in 0...100 {
        let head = Checksum.crc32c(UnsafeRawBufferPointer(rebasing: bytes[..<cut]))
        let tail = UnsafeRawBufferPointer(rebasing: bytes[cut...])
        #expect(Checksum.crc32c(tail, continuing: head) == whole)
      }
    }
    let value: UInt64 = 0x0807_0605_0403_0201
    [UInt8](1...8).withUnsafeBytes { bytes in
      let expected = Checksum.crc32c(bytes, continuing: 5)
      #expect(Checksum.crc32c(of: value, continuing: 5) == expected)
    }
  }

  @Test(
    "XXH64 agrees with published values",
    arguments: [("", 0xEF46_DB37_51D8_E999), ("abc", 0x44BC_2CF5_AD77_0999)] as [(String, UInt64)])
  func xxh64Vectors(_ text: String, _ expected: UInt64) {
    [UInt8](text.utf8).withUnsafeBytes { #expect(Checksum.xxh64($0, seed: 0) == expected) }
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    #expect(Checksum.xxh64(nothing, seed: 0) == 0xEF46_DB37_51D8_E999)
  }

  @Test("XXH64 equals a second implementation, for all lengths up to 200 and any seed")
  func xxh64EqualsReference() throws {
    var generator = SeededGenerator(seed: 4)
    let bytes = generator.bytes(208)
    try withEvery(0...200) { count in
      for offset in [0, 1, 7] {
        let part = Array(bytes[offset..<offset + count])
        for seed in [0, 1, generator.next()] {
          let found = part.withUnsafeBytes { Checksum.xxh64($0, seed: seed) }
          let expected = ReferenceXXH64.hash(part, seed: seed)
          try check(found == expected, "offset \(offset), seed \(seed)")
        }
      }
    }
  }

  @Test("every single flipped bit changes both checksums (P6)")
  func flippedBits() throws {
    var generator = SeededGenerator(seed: 5)
    let original = generator.bytes(100)
    let crc = original.withUnsafeBytes { Checksum.crc32c($0) }
    let hash = original.withUnsafeBytes { Checksum.xxh64($0, seed: 9) }
    try withEvery(0..<800) { bit in
      var bytes = original
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      try bytes.withUnsafeBytes { bytes in
        try check(Checksum.crc32c(bytes) != crc, "the CRC stayed")
        try check(Checksum.xxh64(bytes, seed: 9) != hash, "the hash stayed")
      }
    }
  }
}
