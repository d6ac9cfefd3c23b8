import BinaryCoding
import StorageTestSupport
import Testing

@testable import LogStore

/// Packed pages say what pages with fields of variable length say.
@Suite struct PagePackingTests {
  /// Keys of one length, with fields that differ by few bits or by many.
  static func model(seed: UInt64, count: Int, keyLength: Int) -> MergedRunTests.Model {
    var generator = SeededGenerator(seed: seed)
    var keys: Set<[UInt8]> = []
    for _ in 0..<count {
      var key = [UInt8](repeating: 0, count: keyLength)
      for position in max(0, keyLength - 4)..<keyLength {
        key[position] = .random(in: 0...255, using: &generator)
      }
      keys.insert(key)
    }
    var model = MergedRunTests.Model()
    model.keys = keys.sorted { $0.lexicographicallyPrecedes($1) }
    // Bits of each field: all extremes come up.
    let bits = (0..<4).map { _ in
      [0, 1, 7, 8, 20, 32].randomElement(using: &generator) ?? 0
    }
    func field(_ index: Int, _ base: UInt64) -> UInt64 {
      base &+ UInt64.random(in: 0..<(1 << UInt64(bits[index])), using: &generator)
    }
    for _ in model.keys {
      model.values.append(
        IndexValue(
          sequence: CommitSequence(field(0, 1 << 40)), schemaVersion: field(1, 3),
          offset: UInt32(truncatingIfNeeded: field(2, 192)),
          length: UInt32(truncatingIfNeeded: field(3, 30)),
          isTombstone: Bool.random(using: &generator),
          ordinal: .random(in: 0..<3, using: &generator)))
    }
    return model
  }

  /// Without ordinals, as footers have none.
  static func withoutOrdinals(_ model: MergedRunTests.Model) -> MergedRunTests.Model {
    var model = model
    for position in model.values.indices { model.values[position].ordinal = 0 }
    return model
  }

  static func footer(_ model: MergedRunTests.Model, packs: Bool) throws -> IndexRun {
    try IndexRunTests.open(footerBytes(model, packs: packs))
  }

  static func footerBytes(_ model: MergedRunTests.Model, packs: Bool = true) -> [UInt8] {
    var builder = IndexRunBuilder(salt: IndexRunTests.salt, packs: packs)
    for (position, key) in model.keys.enumerated() {
      key.withUnsafeBytes {
        builder.append(IndexKey(TestLog.people, $0), model.values[position])
      }
    }
    return builder.finish().array()
  }

  private static func entries(_ run: IndexRun) throws -> [(key: [UInt8], value: IndexValue)] {
    let cursor = try RunCursor(run, from: nil)
    var found: [(key: [UInt8], value: IndexValue)] = []
    while let current = cursor.current {
      found.append(([UInt8](current.key.buffer), current.value))
      try cursor.advance()
    }
    return found
  }

  @Test(
    "Packed pages hold the same keys and values, and are found in and walked alike",
    arguments: [1, 4, 8, 16, 40], 1...12)
  func packedIsTheSame(keyLength: Int, seed: Int) throws {
    let model = Self.model(seed: UInt64(seed), count: 3000, keyLength: keyLength)
    let single = Self.withoutOrdinals(model)
    let footers = try [false, true].map { try Self.footer(single, packs: $0) }
    let merged = try [false, true].map {
      try MergedRunTests.open(MergedRunTests.write(model, packs: $0))
    }
    for run in footers {
      let found = try Self.entries(run)
      #expect(found.map(\.key) == model.keys, "seed \(seed)")
      #expect(found.map(\.value) == single.values, "seed \(seed)")
    }
    var wrong: [String] = []
    for (position, key) in model.keys.enumerated() {
      let value = model.values[position]
      for run in footers where try IndexRunTests.find(key, in: run) != single.values[position] {
        wrong.append("footer, key \(key)")
      }
      for run in merged {
        for collection in [CollectionIdentifier(1), CollectionIdentifier(2)]
        where try MergedRunTests.find(key, collection, in: run) != value {
          wrong.append("run, key \(key)")
        }
      }
      // Next to each key, and one that is longer.
      for other in [key.dropLast() + [key[key.count - 1] ^ 1], key + [0]] {
        let other = [UInt8](other)
        let expected = try IndexRunTests.find(other, in: footers[0])
        let inRuns = try merged.map {
          try MergedRunTests.find(other, CollectionIdentifier(1), in: $0)
        }
        if try IndexRunTests.find(other, in: footers[1]) != expected || inRuns[0] != inRuns[1]
          || (inRuns[0] == nil) != (expected == nil)
        {
          wrong.append("absent \(other)")
        }
      }
    }
    #expect(wrong.isEmpty, "seed \(seed): \(wrong.prefix(3))")
  }

  @Test("P14: a footer that names other segments is damage", arguments: [false, true])
  func footersHaveNoOrdinals(packs: Bool) throws {
    var model = Self.withoutOrdinals(Self.model(seed: 7, count: 500, keyLength: 8))
    for ordinal in [UInt32(0), 1, 0x7FFF_FFFF] {
      for position in model.values.indices { model.values[position].ordinal = ordinal }
      let walked = try? Self.entries(try Self.footer(model, packs: packs))
      #expect((walked != nil) == (ordinal == 0), "ordinal \(ordinal)")
      let found = try? IndexRunTests.find(
        model.keys[7], in: try Self.footer(model, packs: packs))
      #expect((found != nil) == (ordinal == 0), "ordinal \(ordinal)")
    }
  }

  @Test("Integer keys of one commit take less than ten bytes each in a footer")
  func packedIsSmall() throws {
    var model = MergedRunTests.Model()
    for number in 0..<50_000 {
      model.keys.append(TestLog.key(number))
      model.values.append(
        IndexValue(
          sequence: CommitSequence(UInt64((number * 7919) % 900_000)), schemaVersion: 1,
          offset: UInt32(200 + number * 110), length: UInt32(80 + number % 60),
          isTombstone: false))
    }
    var sizes: [Int] = []
    for packs in [false, true] {
      var builder = IndexRunBuilder(salt: 1, packs: packs)
      for (position, key) in model.keys.enumerated() {
        key.withUnsafeBytes {
          builder.append(IndexKey(TestLog.people, $0), model.values[position])
        }
      }
      sizes.append(builder.finish().count)
    }
    #expect(sizes[1] < 10 * 50_000, "\(sizes)")
    #expect(sizes[0] > 12 * 50_000, "\(sizes)")
    print("bytes a key in a footer: \(sizes.map { Double($0) / 50_000 })")
  }
}
