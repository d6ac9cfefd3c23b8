import BinaryCoding
import StorageTestSupport
import Testing

@testable import LogStore

@Suite struct DictionaryCompressionTests {
  static let version = CollectionVersion(
    collection: CollectionIdentifier(1), schemaVersion: 2)

  static func dictionary(_ bytes: [UInt8]) -> CompressionDictionary {
    bytes.withUnsafeBytes {
      CompressionDictionary(
        DictionaryIdentifier(1), version,
        sample: CompressionDictionary.Sample(rawByteCount: 100, storedByteCount: 40), bytes: $0)
    }
  }

  /// Words of a small vocabulary, with noise between them.
  static func payload(_ count: Int, using generator: inout SeededGenerator) -> [UInt8] {
    let words = ["surname", "given name", "street and number", "ab", "occupation", "2025-11-21"]
    var bytes: [UInt8] = []
    while bytes.count < count {
      if Int.random(in: 0..<4, using: &generator) == 0 {
        bytes += generator.bytes(Int.random(in: 1..<20, using: &generator))
      } else {
        bytes += words[Int.random(in: 0..<words.count, using: &generator)].utf8
      }
    }
    return [UInt8](bytes.prefix(count))
  }

  /// What both searches make of a payload, where it is smaller.
  static func blocks(
    _ payload: [UInt8], _ dictionary: CompressionDictionary, _ state: CompressionState
  ) -> [[UInt8]] {
    var scratch = ByteWriter()
    return [.quick, .thorough].compactMap { effort in
      payload.withUnsafeBytes { raw in
        RecordCompression.compress(raw, against: dictionary, effort, into: &scratch, with: state)
          .map { _ in scratch.array() }
      }
    }
  }

  /// Whether LZ4 takes a block for one of its own, with no match in the last twelve bytes.
  static func isStrict(
    _ block: [UInt8], of payload: [UInt8], _ dictionary: CompressionDictionary
  ) -> Bool {
    var target = [UInt8](repeating: 0, count: payload.count)
    let count = block.withUnsafeBytes { stored in
      target.withUnsafeMutableBytes {
        RecordCompression.decompress(stored, to: $0, against: dictionary.bytes)
      }
    }
    return count == payload.count && target == payload
  }

  /// What LZ4's own search makes of it.
  static func byteCountOfLZ4(_ payload: [UInt8], _ dictionary: CompressionDictionary) -> Int {
    var block = ByteWriter()
    return payload.withUnsafeBytes { raw in
      block.append(capacity: raw.count + 64) { target in
        CompressionState.fresh().compress(raw, against: dictionary.prepared, into: target)
      }
      return min(block.count, payload.count)
    }
  }

  @Test("P7: what is compressed against a dictionary is what was put, for any payload")
  func everyPayloadComesBack() {
    var failures: [String] = []
    var blockCount = 0
    for seed in UInt64(1)...60 {
      var generator = SeededGenerator(seed: seed)
      let sizes = [0, 1, 7, 8, 100, 4096, 32 << 10, 64 << 10]
      let dictionary = Self.dictionary(
        Self.payload(sizes[Int(seed) % sizes.count], using: &generator))
      let state = CompressionState.make()
      for _ in 0..<40 {
        let count = Int.random(in: 0...600, using: &generator)
        let isLarge = Int.random(in: 0..<10, using: &generator) == 0
        let payload = Self.payload(isLarge ? count * 20 : count, using: &generator)
        for block in Self.blocks(payload, dictionary, state) {
          blockCount += 1
          let found = block.withUnsafeBytes {
            RecordCompression.decompress(
              $0, rawLength: payload.count, against: dictionary.lent)
          }
          if !Self.isStrict(block, of: payload, dictionary) {
            failures.append("not LZ4's: \(seed)")
          }
          if found != payload { failures.append("seed \(seed), \(payload.count) bytes") }
          if block.count > payload.count - payload.count / 8 { failures.append("no gain: \(seed)") }
        }
      }
    }
    #expect(failures.isEmpty)
    #expect(blockCount > 2000)
  }

  @Test("P7: matches at the far end of the largest dictionary reach it, or are not used")
  func farMatchesComeBack() {
    var generator = SeededGenerator(seed: 21)
    let dictionary = Self.dictionary(generator.bytes(64 << 10))
    let state = CompressionState.make()
    var isUsed: Set<Bool> = []
    for place in [0, 1, 2, 3, 4, 13, 14, 15, 100, 4000, 4095, 4096, 65_400] {
      for before in [0, 1, 2, 3, 13, 14, 15, 99, 101, 2000] {
        let quoted = dictionary.bytes[place..<(place + 60)]
        let payload =
          generator.bytes(before) + quoted + [UInt8](repeating: 7, count: 40 + before / 2)
        let blocks = Self.blocks(payload, dictionary, state)
        isUsed.insert(!blocks.isEmpty)
        for block in blocks { Self.expect(block, payload, dictionary) }
      }
    }
    #expect(isUsed == [true])
  }

  @Test("P7: payloads of every small size, and around the largest that is searched, come back")
  func boundariesComeBack() {
    var generator = SeededGenerator(seed: 22)
    for dictionaryByteCount in [1, 7, 8, 9, 12, 13, 16, 64 << 10] {
      let dictionary = Self.dictionary(Self.payload(dictionaryByteCount, using: &generator))
      let state = CompressionState.make()
      var blockCount = 0
      for count in Array(0...70) + Array(4090...4100) {
        let payload = [UInt8]((0..<count).map { dictionary.bytes[$0 % dictionary.bytes.count] })
        let blocks = Self.blocks(payload, dictionary, state)
        blockCount += blocks.count
        for block in blocks { Self.expect(block, payload, dictionary) }
      }
      #expect(blockCount > 40, "\(dictionaryByteCount)")
    }
  }

  private static func expect(
    _ block: [UInt8], _ payload: [UInt8], _ dictionary: CompressionDictionary
  ) {
    let found = block.withUnsafeBytes {
      RecordCompression.decompress($0, rawLength: payload.count, against: dictionary.lent)
    }
    if found != payload || !isStrict(block, of: payload, dictionary) {
      Issue.record("\(payload.count) bytes, \(dictionary.bytes.count)")
    }
  }

  @Test("Equal payloads give equal blocks, whatever was compressed before, and where they lie")
  func compressionRepeats() {
    var failures = 0
    for seed in UInt64(1)...20 {
      var generator = SeededGenerator(seed: seed)
      let dictionary = Self.dictionary(Self.payload(4096, using: &generator))
      let used = CompressionState.make()
      for _ in 0..<20 {
        let payload = Self.payload(Int.random(in: 1...900, using: &generator), using: &generator)
        let first = Self.blocks(payload, dictionary, used)
        let copy = Self.dictionary([UInt8](dictionary.bytes))
        let second = Self.blocks([UInt8](payload), copy, .fresh())
        if first != second { failures += 1 }
      }
    }
    #expect(failures == 0)
  }

  @Test(
    "The quick search gives smaller blocks than LZ4's own, and the thorough one smaller ones still",
    arguments: [90, 300, 4000])
  func searchingPays(byteCount: Int) {
    var generator = SeededGenerator(seed: 3)
    let dictionary = Self.dictionary(Self.payload(16 << 10, using: &generator))
    let state = CompressionState.make()
    var sizes = [0, 0]
    var byLZ4 = 0
    for _ in 0..<200 {
      let payload = Self.payload(byteCount, using: &generator)
      let blocks = Self.blocks(payload, dictionary, state)
      #expect(blocks.count == 2)
      for (index, block) in blocks.enumerated() { sizes[index] += block.count }
      byLZ4 += Self.byteCountOfLZ4(payload, dictionary)
    }
    #expect(sizes[0] < byLZ4, "\(sizes), \(byLZ4)")
    #expect(sizes[1] < sizes[0], "\(sizes), \(byLZ4)")
  }

  @Test("P6: a block of any bytes, a wrong length or a wrong dictionary never reads out of bounds")
  func hostileBlocks() {
    var generator = SeededGenerator(seed: 11)
    let dictionary = Self.dictionary(Self.payload(1000, using: &generator))
    for _ in 0..<2000 {
      let bytes = generator.bytes(Int.random(in: 0..<80, using: &generator))
      let length = Int.random(in: 0..<400, using: &generator)
      bytes.withUnsafeBytes {
        let payload = RecordCompression.decompress(
          $0, rawLength: length, against: dictionary.lent)
        #expect(payload == nil || payload?.count == length)
      }
    }
    [UInt8](repeating: 0, count: 20).withUnsafeBytes {
      #expect(
        RecordCompression.decompress(
          $0, rawLength: LogLimits.payloadByteCount, against: dictionary.lent) == nil)
    }
  }

  @Test("A dictionary's record says what it was made of; others are refused")
  func codingRoundTrips() throws {
    let dictionary = Self.dictionary([UInt8](0..<200))
    let encoded = dictionary.encode()
    let decoded = try encoded.withUnsafeBytes {
      try CompressionDictionary.decode(DictionaryIdentifier(1), $0)
    }
    #expect(decoded.version == Self.version)
    #expect(decoded.sample == dictionary.sample)
    #expect([UInt8](decoded.bytes) == [UInt8](0..<200))
    for wrong in [[], [2], [1, 1], [1] + [UInt8](repeating: 0xFF, count: 12)] as [[UInt8]] {
      #expect(throws: BinaryDecodingError.self) {
        try wrong.withBytes { (bytes: UnsafeRawBufferPointer) throws(BinaryDecodingError) in
          try CompressionDictionary.decode(DictionaryIdentifier(1), bytes)
        }
      }
    }
    let key = CompressionDictionary.key(DictionaryIdentifier(0x0102_0304), copy: 1)
    #expect(key == [0xFF, 1, 1, 2, 3, 4])
    let named = key.withUnsafeBytes { CompressionDictionary.identifier(ofKey: $0) }
    #expect(named?.identifier.rawValue == 0x0102_0304)
    #expect(named?.copy == 1)
  }

  @Test("The same sample gives the same dictionary, which compresses payloads like it")
  func trainingRepeats() {
    var generator = SeededGenerator(seed: 5)
    let sample = (0..<600).map { _ in Self.payload(120, using: &generator) }
    let first = DictionaryTraining(sample).best(
      DictionaryIdentifier(1), Self.version, byteCount: 2048)
    let second = DictionaryTraining(sample).best(
      DictionaryIdentifier(1), Self.version, byteCount: 2048)
    #expect([UInt8](first.bytes) == [UInt8](second.bytes))
    #expect(first.bytes.count <= 2048)
    let without = DictionaryTraining(sample).result(with: nil)
    #expect(Double(first.sample.storedByteCount) < 0.9 * Double(without.storedByteCount))
  }

  @Test("A sample of empty, tiny or equal payloads makes a dictionary too")
  func trainingTakesAnySample() {
    for sample in [
      [], [[UInt8]](repeating: [], count: 300), [[UInt8]](repeating: [7], count: 300),
      [[UInt8]](repeating: [UInt8](0..<100), count: 300),
    ] {
      let dictionary = DictionaryTraining(sample).best(
        DictionaryIdentifier(1), Self.version, byteCount: 1024)
      #expect(dictionary.bytes.count <= 1024)
    }
  }
}
