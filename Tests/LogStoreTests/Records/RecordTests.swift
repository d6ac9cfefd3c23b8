import BinaryCoding
import StorageTestSupport
import Testing

@testable import LogStore

@Suite struct RecordTests {
  static func make(payload: [UInt8], compression: RecordCompressionKind = .none) -> [UInt8] {
    var writer = ByteWriter()
    let key = [UInt8]("key".utf8)
    key.withUnsafeBytes { key in
      payload.withUnsafeBytes { payload in
        _ = RecordEncoder.encode(
          kind: .put, compression: compression, collection: TestLog.people, schemaVersion: 300,
          commitTime: CommitTime(secondsSince2025: 5), key: key, rawLength: payload.count,
          payload: payload, to: &writer)
      }
    }
    if let base = writer.mutableBytes.baseAddress {
      let unfinished = RecordEncoder.unfinishedChecksum(writer.bytes)
      RecordEncoder.finishChecksum(
        base, unfinished: unfinished, sequence: CommitSequence(42), seed: 99)
    }
    return writer.array()
  }

  static func decode(
    _ bytes: [UInt8], sequence: UInt64 = 42, seed: UInt64 = 99
  ) throws -> [UInt8] {
    try bytes.withUnsafeBytes {
      try RecordDecoder.payload(
        of: RecordDecoder.decode($0, sequence: CommitSequence(sequence), seed: seed),
        against: .empty)
    }
  }

  @Test func roundTrips() throws {
    let payload = [UInt8]("some payload".utf8)
    #expect(try Self.decode(Self.make(payload: payload)) == payload)
    #expect(try Self.decode(Self.make(payload: [])) == [])
  }

  /// What reading a header quickly makes of `bytes`, and what checking each number makes of them.
  private static func headers(_ bytes: [UInt8]) -> (ordinary: String?, checked: String?) {
    bytes.withUnsafeBytes { bytes in
      let checked = try? RecordHeader(checking: bytes)
      return (
        RecordHeader(ordinary: bytes).map { "\($0)" }, checked.map { "\($0)" }
      )
    }
  }

  @Test("P6: headers that are read quickly are those that checking finds, for any bytes")
  func ordinaryHeadersAreRight() {
    var generator = SeededGenerator(seed: 5)
    var ordinaryCount = 0
    for round in 0..<20_000 {
      let payload = [UInt8](repeating: 7, count: Int.random(in: 0...300, using: &generator))
      var bytes = Self.make(payload: payload, compression: round % 3 == 0 ? .lz4 : .none)
      for _ in 0..<(round % 4) {
        bytes[Int.random(in: 4..<min(bytes.count, 20), using: &generator)] = .random(
          in: .min ... .max, using: &generator)
      }
      let (ordinary, checked) = Self.headers(bytes)
      guard let ordinary else { continue }
      ordinaryCount += 1
      #expect(ordinary == checked, "\(bytes.prefix(24))")
    }
    #expect(ordinaryCount > 8000)
    var noiseCount = 0
    for round in 0..<60_000 {
      var noise = generator.bytes(round % 80)
      // A tag, short numbers and some long ones.
      if noise.count > RecordHeader.tagOffset {
        noise[RecordHeader.tagOffset] = UInt8(1 + round % 2) | UInt8(round / 2 % 3) << 4
      }
      for position in noise.indices.dropFirst(5) where position % 8 != round % 9 {
        noise[position] &= 0x7F
      }
      let (ordinary, checked) = Self.headers(noise)
      #expect(ordinary == nil || ordinary == checked)
      if ordinary != nil { noiseCount += 1 }
    }
    #expect(noiseCount > 500)
  }

  @Test("P7: a record read under another sequence or in another store does not verify")
  func isBoundToSequenceAndStore() {
    let bytes = Self.make(payload: [1, 2, 3])
    #expect(throws: BinaryDecodingError.self) { try Self.decode(bytes, sequence: 43) }
    #expect(throws: BinaryDecodingError.self) { try Self.decode(bytes, seed: 98) }
  }

  @Test("P6: every flipped bit and every cut of a record is found")
  func damageIsFound() {
    let bytes = Self.make(payload: [UInt8](repeating: 7, count: 40))
    for position in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[position] ^= 1 << UInt8(bit)
        if (try? Self.decode(damaged)) != nil { Issue.record("byte \(position) bit \(bit)") }
      }
      guard position > 4 else { continue }
      #expect(throws: BinaryDecodingError.self) { try Self.decode(Array(bytes[..<position])) }
    }
  }

  @Test func compressionIsUsedOnlyWhereItPays() {
    var scratch = ByteWriter()
    var generator = SplitMix(state: 1)
    let noise = (0..<200).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    let text = [UInt8](String(repeating: "again and ", count: 20).utf8)
    let state = CompressionState.make()
    let none = noise.withUnsafeBytes { RecordCompression.compress($0, into: &scratch, with: state) }
    #expect(none == nil)
    let size = text.withUnsafeBytes { RecordCompression.compress($0, into: &scratch, with: state) }
    #expect(size != nil)
    let stored = UnsafeRawBufferPointer(rebasing: scratch.bytes[..<(size ?? 0)])
    #expect(RecordCompression.decompress(stored, rawLength: text.count) == text)
    #expect(RecordCompression.decompress(stored, rawLength: text.count + 1) == nil)
    #expect(RecordCompression.decompress(stored, rawLength: 1 << 30) == nil)
  }

  @Test("a kept state of LZ4 keeps memory of small payloads, not of large ones")
  func largeScratch() throws {
    let state = CompressionState.fresh()
    for (byteCount, isKept) in [(10_000, true), (1 << 20, false)] {
      let payload = [UInt8](repeating: 7, count: byteCount)
      let size = payload.withUnsafeBytes {
        RecordCompression.compress($0, into: &state.scratch, with: state)
      }
      #expect(size != nil)
      let before = state.scratch.allocatedByteCount
      #expect(before >= byteCount)
      state.forgetLargeScratch()
      #expect((state.scratch.allocatedByteCount == before) == isKept)
    }
  }

  @Test("What LZ4 remembers of earlier payloads changes nothing of what it writes for the next")
  func compressionDependsOnThePayloadOnly() throws {
    var generator = SeededGenerator(seed: 5)
    var used = CompressionState.make()
    for round in 0..<12_000 {
      if round % 97 == 0 {
        used.giveBack()
        used = .make()
      }
      var payload: [UInt8] = []
      for _ in 0..<Int.random(in: 1...60, using: &generator) {
        let letter = UInt8.random(in: 97...110, using: &generator)
        payload.append(contentsOf: Array(repeating: letter, count: round % 7 + 1))
      }
      if round % 500 == 0 { payload = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 / 9) } }
      if round % 5 == 0 {
        payload = payload.map { $0 &+ UInt8.random(in: 0..<255, using: &generator) }
      }
      var first = ByteWriter(capacity: 64)
      var second = ByteWriter(capacity: 64)
      let (a, b) = payload.withUnsafeBytes { payload in
        (
          RecordCompression.compress(payload, into: &first, with: used),
          RecordCompression.compress(payload, into: &second, with: CompressionState.fresh())
        )
      }
      guard a == b, first.array() == second.array() else {
        Issue.record("round \(round): \(payload.count) bytes gave \(a ?? 0) and \(b ?? 0)")
        return
      }
      guard a != nil else { continue }
      if RecordCompression.decompress(first.bytes, rawLength: payload.count) != payload {
        Issue.record("round \(round): the payload does not come back")
      }
    }
  }
}
