import BinaryCoding
import StorageTestSupport
import Testing

@testable import LogStore

/// Pages are byte for byte those that the simple way makes.
@Suite struct RunPageBuilderTests {
  private static let salt: UInt64 = 0x5EED

  /// Ascending keys of up to three collections, whose values differ by few bits, by many, or by
  /// few with an exception now and then.
  private static func keys(
    seed: UInt64, count: Int, keyLengths: ClosedRange<Int>, shared: Int
  ) -> [SimplePages.Keyed] {
    var generator = SeededGenerator(seed: seed)
    let prefix = [UInt8](repeating: 9, count: shared)
    let widths: [UInt64] = [0, 1, 5, 7, 8, 14, 20, 32]
    let bits = (0..<5).map { _ in widths.randomElement(using: &generator) ?? 0 }
    let steps: [UInt64] = [0, 1, 100]
    let step = steps.randomElement(using: &generator) ?? 0
    // Some lie at the end of the numbers, and go on behind it, as bytes from a disk may.
    let isAtEnd = seed % 2 == 0
    let sequences = isAtEnd ? UInt64.max - 300 : 1 << 40
    let versions = isAtEnd ? LogLimits.schemaVersion - 30 : 0
    var number: UInt64 = 0
    func field(_ index: Int) -> UInt64 {
      if Int.random(in: 0..<1000, using: &generator) == 0 {
        return .random(in: 0...UInt64(UInt32.max), using: &generator)
      }
      return .random(in: 0..<(1 << bits[index]), using: &generator)
    }
    return (UInt32(1)...3).flatMap { collection -> [SimplePages.Keyed] in
      var keys: Set<[UInt8]> = []
      for _ in 0..<Int.random(in: 0...count, using: &generator) {
        let length = Int.random(in: keyLengths, using: &generator)
        var key = prefix
        for position in 0..<length {
          key.append(position < length - 3 ? 1 : .random(in: 0...255, using: &generator))
        }
        keys.insert(key)
      }
      return keys.sorted { $0.lexicographicallyPrecedes($1) }.map { key in
        number += step
        return SimplePages.Keyed(
          collection: collection, key: key,
          value: IndexValue(
            sequence: CommitSequence(sequences &+ number &+ field(0)),
            schemaVersion: (versions + field(1)) & LogLimits.schemaVersion,
            offset: UInt32(truncatingIfNeeded: number &* 100 &+ field(2)),
            length: UInt32(truncatingIfNeeded: field(3)),
            isTombstone: Bool.random(using: &generator),
            ordinal: UInt32(truncatingIfNeeded: field(4))))
      }
    }
  }

  @Test("Values below the least are not taken for values behind it, at the end of the numbers")
  func valuesDoNotWrap() {
    let tags: [(version: UInt64, isTombstone: Bool)] = [
      (LogLimits.schemaVersion - 99, false), (LogLimits.schemaVersion, false), (0, false),
      (LogLimits.schemaVersion - 127, false), (0, true),
    ]
    let sequences: [UInt64] = [.max - 199, .max - 1, 5, 9, .max - 255]
    var keys: [SimplePages.Keyed] = []
    for position in 0..<5 {
      keys.append(
        SimplePages.Keyed(
          collection: 1, key: [7, UInt8(position)],
          value: IndexValue(
            sequence: CommitSequence(sequences[position]),
            schemaVersion: tags[position].version, offset: 1, length: 1,
            isTombstone: tags[position].isTombstone)))
    }
    for changed in [[], [0], [1], [2], [0, 1]] {
      // Sequences, versions or both are such.
      var keys = keys
      for position in keys.indices {
        var value = keys[position].value
        if changed.contains(0) { value.sequence = CommitSequence(7) }
        if changed.contains(1) { (value.schemaVersion, value.isTombstone) = (3, false) }
        // The last key has another length, so that its page is not packed.
        let key = keys[position].key + (changed == [2] && position == 4 ? [1] : [])
        keys[position] = SimplePages.Keyed(collection: 1, key: key, value: value)
      }
      for format in [RunFormat.packedFooter, .packedMerged] {
        var simple = SimplePages(format, packs: true, salt: Self.salt)
        for keyed in keys { simple.append(keyed) }
        #expect(Self.built(keys, format, packs: true) == simple.finish(), "\(changed)")
      }
    }
  }

  private static func built(
    _ keys: [SimplePages.Keyed], _ format: RunFormat, packs: Bool
  ) -> [[UInt8]] {
    var builder = RunPageBuilder(format, packs: packs)
    var pages: [[UInt8]] = []
    var bytes = ByteWriter()
    var place: UInt64 = 0
    func flush() {
      let before = bytes.count
      let size = builder.flush(to: &bytes, salt: salt, place: place)
      pages.append([UInt8](bytes.bytes[before...]))
      if size != bytes.count - before { Issue.record("a page of \(size) bytes") }
      place += UInt64(size)
    }
    for keyed in keys {
      keyed.key.withUnsafeBytes { bytes in
        let key = IndexKey(CollectionIdentifier(keyed.collection), bytes)
        if !builder.append(key, keyed.value) {
          flush()
          let fits = builder.append(key, keyed.value)
          #expect(fits, "an empty page takes any key")
        }
      }
    }
    if !builder.isEmpty { flush() }
    return pages
  }

  @Test(
    "Pages are those of the simple way, for all lengths of keys and spreads of values",
    arguments: [1...1, 4...4, 7...8, 8...8, 9...9, 16...16, 1...20, 40...40], [0, 3, 8, 21, 1500])
  func pagesAreTheSame(keyLengths: ClosedRange<Int>, shared: Int) {
    var packedCount = 0
    for seed in UInt64(1)...4 {
      let keys = Self.keys(
        seed: seed, count: 400, keyLengths: keyLengths, shared: shared)
      for format in [RunFormat.packedFooter, .packedMerged] {
        for packs in [true, false] {
          var simple = SimplePages(format, packs: packs, salt: Self.salt)
          for keyed in keys { simple.append(keyed) }
          let expected = simple.finish()
          let pages = Self.built(keys, format, packs: packs)
          packedCount += pages.filter { $0[20] & 1 == 1 }.count
          if pages != expected {
            let first = zip(pages, expected).enumerated().first { $1.0 != $1.1 }?.offset
            Issue.record(
              "seed \(seed), \(format), packs \(packs): page \(first ?? -1) of \(expected.count)")
          }
        }
      }
    }
    #expect(packedCount > 0 || keyLengths.count > 1)
  }
}
