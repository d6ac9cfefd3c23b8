import BinaryCoding
import StorageTestSupport
import Testing

@testable import LogStore

/// Blocks that are put together of what another payload's block has.
@Suite struct MatchReuseTests {
  private typealias Base = DictionaryCompressionTests

  /// A payload that was made of another one, and what is said of that.
  private struct Edit: ~Copyable {
    var payload: [UInt8] = []
    var copies = CopiedRanges()
    let isInOrder: Bool

    /// Copies of parts of `old`, in any order, also more than once, with new bytes between them.
    init(of old: [UInt8], using generator: inout SeededGenerator) {
      isInOrder = Bool.random(using: &generator)
      var source = 0
      for _ in 0..<Int.random(in: 1...6, using: &generator) where source < old.count {
        if Bool.random(using: &generator) {
          payload += Base.payload(Int.random(in: 0...30, using: &generator), using: &generator)
        }
        let start = isInOrder ? source : Int.random(in: 0..<old.count, using: &generator)
        let skipped = isInOrder ? Int.random(in: 0...9, using: &generator) : 0
        let first = min(start + skipped, old.count)
        let count = Int.random(in: 0...(old.count - first), using: &generator)
        copies.note(payload.count, from: first, count: count)
        payload += old[first..<(first + count)]
        source = first + count
      }
    }
  }

  /// The blocks that searches make of `payload`, quick, thorough and LZ4's own.
  private static func blocks(
    _ payload: [UInt8], _ dictionary: CompressionDictionary, _ state: CompressionState
  ) -> [[UInt8]] {
    var block = ByteWriter()
    payload.withUnsafeBytes { raw in
      block.append(capacity: raw.count + 64) { target in
        state.compress(raw, against: dictionary.prepared, into: target)
      }
    }
    return Base.blocks(payload, dictionary, state) + [block.array()]
  }

  private static func reuse(
    _ payload: [UInt8], _ copies: borrowing CopiedRanges, of block: [UInt8], _ old: [UInt8],
    _ dictionary: CompressionDictionary, _ state: CompressionState
  ) -> [UInt8] {
    let ranges = copies.ranges
    var target = ByteWriter()
    payload.withUnsafeBytes { raw in
      block.withUnsafeBytes { block in
        old.withUnsafeBytes { old in
          let origin = PayloadOrigin(block: block, payload: old, copies: ranges)
          target.append(capacity: raw.count + raw.count / 200 + 32) { room in
            guard raw.count <= DictionaryMatcher.payloadByteCountMaximum,
              let matcher = dictionary.quickMatcher
            else { return state.compress(raw, against: dictionary, .quick, into: room) }
            return state.compress(raw, madeOf: origin, with: matcher, into: room)
          }
        }
      }
    }
    return target.array()
  }

  private static func isRight(
    _ block: [UInt8], _ payload: [UInt8], _ dictionary: CompressionDictionary
  ) -> Bool {
    let found = block.withUnsafeBytes {
      RecordCompression.decompress($0, rawLength: payload.count, against: dictionary.lent)
    }
    return found == payload && Base.isStrict(block, of: payload, dictionary)
  }

  @Test("P7: what is put together of another payload's block comes back, whatever was copied")
  func everyPayloadComesBack() {
    var failures: [String] = []
    var (reused, quick, count) = (0, 0, 0)
    for seed in UInt64(1)...80 {
      var generator = SeededGenerator(seed: seed)
      let sizes = [8, 100, 4096, 32 << 10, 64 << 10]
      let dictionary = Base.dictionary(
        Base.payload(sizes[Int(seed) % sizes.count], using: &generator))
      let state = CompressionState.make()
      for _ in 0..<20 {
        let isLarge = Int.random(in: 0..<8, using: &generator) == 0
        let old = Base.payload(
          Int.random(in: 1...(isLarge ? 5000 : 500), using: &generator), using: &generator)
        for (number, block) in Self.blocks(old, dictionary, state).enumerated() {
          let edit = Edit(of: old, using: &generator)
          let found = Self.reuse(edit.payload, edit.copies, of: block, old, dictionary, state)
          if edit.payload.isEmpty { continue }
          count += 1
          if !Self.isRight(found, edit.payload, dictionary) {
            failures.append("seed \(seed): \(edit.payload.count) bytes of \(old.count)")
          }
          guard edit.isInOrder, number == 0 else { continue }
          reused += found.count
          quick += Base.blocks(edit.payload, dictionary, state).first?.count ?? edit.payload.count
        }
      }
    }
    #expect(failures.isEmpty, "\(failures.prefix(3))")
    #expect(count > 3000)
    // Where parts are left out or put between, about as small as when all matches are looked for.
    #expect(reused < quick + quick / 20, "\(reused), \(quick)")
  }

  @Test("What did not change keeps its block, to the bit, whichever search made it")
  func sameBlock() {
    var generator = SeededGenerator(seed: 31)
    let dictionary = Base.dictionary(Base.payload(20_000, using: &generator))
    let state = CompressionState.make()
    for count in [13, 20, 90, 400, 4096] {
      let payload = Base.payload(count, using: &generator)
      var copies = CopiedRanges()
      copies.note(0, from: 0, count: count)
      // Not LZ4's own: a match of theirs may begin in the dictionary and end in the payload.
      for block in Base.blocks(payload, dictionary, state) {
        let found = Self.reuse(payload, copies, of: block, payload, dictionary, state)
        if found != block { Issue.record("\(count) bytes: \(found) of \(block)") }
      }
    }
  }

  @Test("A payload that only moved keeps all matches with the dictionary, further away")
  func movedPayload() {
    var generator = SeededGenerator(seed: 32)
    let dictionary = Base.dictionary(Base.payload(8000, using: &generator))
    let state = CompressionState.make()
    let old = Base.payload(300, using: &generator)
    let block = Self.blocks(old, dictionary, state)[1]
    for moved in [1, 2, 40] {
      var copies = CopiedRanges()
      copies.note(moved, from: 0, count: old.count)
      let payload = generator.bytes(moved) + old
      let found = Self.reuse(payload, copies, of: block, old, dictionary, state)
      #expect(Self.isRight(found, payload, dictionary))
      #expect(found.count <= block.count + moved + 2, "\(moved)")
    }
  }

  @Test("P7: matches that reach beyond the dictionary's far end when a payload moves are not kept")
  func farMatches() {
    var generator = SeededGenerator(seed: 33)
    let dictionary = Base.dictionary(generator.bytes(64 << 10))
    let state = CompressionState.make()
    for place in [0, 1, 5, 20, 40, 4000] {
      let old = [UInt8](dictionary.bytes[place..<(place + 60)]) + generator.bytes(20)
      for block in Self.blocks(old, dictionary, state) {
        for moved in [0, 1, 4, 5, 6, 19, 20, 21, 39, 41, 300] {
          var copies = CopiedRanges()
          copies.note(moved, from: 0, count: old.count)
          let payload = generator.bytes(moved) + old
          let found = Self.reuse(payload, copies, of: block, old, dictionary, state)
          #expect(Self.isRight(found, payload, dictionary), "\(place), \(moved)")
        }
      }
    }
  }

  @Test("P7: ranges that were not copied, or lie elsewhere, make no wrong block")
  func liesAreFound() {
    var failures: [UInt64] = []
    for seed in UInt64(1)...400 {
      var generator = SeededGenerator(seed: seed)
      let dictionary = Base.dictionary(Base.payload(6000, using: &generator))
      let state = CompressionState.make()
      let old = Base.payload(Int.random(in: 13...400, using: &generator), using: &generator)
      let payload = Base.payload(Int.random(in: 13...400, using: &generator), using: &generator)
      var copies = CopiedRanges()
      var start = 0
      while start < 500 {
        let count = Int.random(in: 1...300, using: &generator)
        let source = Int.random(in: 0...400, using: &generator)
        copies.note(start, from: source, count: count)
        start += count + Int.random(in: 0...20, using: &generator)
      }
      for block in Self.blocks(old, dictionary, state) {
        let found = Self.reuse(payload, copies, of: block, old, dictionary, state)
        if !Self.isRight(found, payload, dictionary) { failures.append(seed) }
      }
    }
    #expect(failures.isEmpty)
  }

  @Test("P6: a block of any bytes is not read out of bounds, and is refused or fills the payload")
  func hostileBlocks() {
    let memory = UnsafeMutablePointer<SequenceList.Sequence>.allocate(
      capacity: SequenceReader.countMaximum)
    defer { memory.deallocate() }
    var generator = SeededGenerator(seed: 34)
    let dictionary = Base.dictionary(Base.payload(6000, using: &generator))
    let state = CompressionState.make()
    var accepted = 0
    for _ in 0..<4000 {
      let old = Base.payload(Int.random(in: 1...300, using: &generator), using: &generator)
      var block = Self.blocks(old, dictionary, state)[0]
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        block[Int.random(in: 0..<block.count, using: &generator)] = generator.bytes(1)[0]
      }
      let read = block.withUnsafeBytes {
        SequenceReader.read($0, payloadByteCount: old.count, into: memory)
      }
      guard let sequences = read else { continue }
      accepted += 1
      var end: Int32 = 0
      for number in 0..<sequences.count {
        let sequence = sequences[number]
        #expect(sequence.literalStart == end && sequence.start >= end)
        #expect(sequence.end >= sequence.start + 4 && sequence.distance > 0)
        end = sequence.end
      }
      #expect(end <= old.count)
      // Nothing traps; what comes out is what a wrong block says.
      var copies = CopiedRanges()
      copies.note(2, from: 0, count: old.count)
      _ = Self.reuse([1, 2] + old, copies, of: block, old, dictionary, state)
    }
    #expect(accepted > 100)
  }
}
