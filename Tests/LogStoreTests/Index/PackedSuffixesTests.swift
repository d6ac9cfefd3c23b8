import BinaryCoding
import StorageTestSupport
import Testing

@testable import LogStore

/// Keys of packed pages are found where they are, however evenly they lie, and no others are.
@Suite struct PackedSuffixesTests {
  /// The last bytes of `number`, most significant first.
  private static func key(_ number: UInt64, byteCount: Int) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { [UInt8]($0.suffix(byteCount)) }
  }

  private static func value(_ position: Int) -> IndexValue {
    IndexValue(
      sequence: CommitSequence(UInt64(position) + 1), schemaVersion: 2,
      offset: UInt32(position) * 7, length: 20, isTombstone: position % 5 == 0)
  }

  /// Looks for each of `numbers`, and for those beside them, in a footer that has `numbers`.
  private static func check(_ numbers: [UInt64], prefix: [UInt8] = [], byteCount: Int) throws {
    var model = MergedRunTests.Model()
    model.keys = numbers.map { prefix + key($0, byteCount: byteCount) }
    model.values = numbers.indices.map(value)
    let run = try PagePackingTests.footer(model, packs: true)
    let isPacked = try run.withDecodedPage(0) { $0.packing != nil }
    #expect(isPacked == (numbers.count > 1))
    let expected = Dictionary(uniqueKeysWithValues: zip(model.keys, model.values))
    let limit = byteCount == 8 ? UInt64.max : 1 << UInt64(8 * byteCount) - 1
    for number in Set(numbers.flatMap { [$0 &- 1, $0, $0 &+ 1] } + [0, limit])
    where number <= limit {
      let bytes = prefix + key(number, byteCount: byteCount)
      try bytes.withUnsafeBytes { bytes in
        let found = try run.search(IndexKey(TestLog.people, bytes))
        #expect(found == expected[[UInt8](bytes)], "\(number) of \(byteCount) bytes")
      }
    }
    for other in [prefix + key(numbers[0], byteCount: byteCount) + [0], prefix + [0]]
    where expected[other] == nil {
      try other.withUnsafeBytes { bytes in
        let found = try run.search(IndexKey(TestLog.people, bytes))
        #expect(found == nil)
      }
    }
  }

  @Test(
    "Keys that count up, by one or by more, from anywhere", arguments: [1, 2, 3, 4, 7, 8],
    [UInt64(1), 2, 3, 10])
  func evenKeys(byteCount: Int, step: UInt64) throws {
    let limit = byteCount == 8 ? UInt64.max : 1 << UInt64(8 * byteCount) - 1
    for count in [1, 2, 3, 60, 700] where UInt64(count) * step <= limit {
      let length = UInt64(count - 1) * step
      for start in Set([0, 1, (limit - length) / 2, limit - length]) {
        let numbers = (0..<UInt64(count)).map { start + $0 * step }
        try Self.check(numbers, byteCount: byteCount)
        try Self.check(numbers, prefix: [7, 0, 255], byteCount: byteCount)
      }
    }
  }

  @Test(
    "Keys that lie anyhow, with a first step that says nothing of the others", arguments: 1...20)
  func unevenKeys(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let byteCount = Int.random(in: 1...8, using: &generator)
    let limit = byteCount == 8 ? UInt64.max : 1 << UInt64(8 * byteCount) - 1
    let range = UInt64.random(in: 40...max(limit, 41), using: &generator)
    var numbers: Set<UInt64> = []
    for _ in 0..<Int.random(in: 2...900, using: &generator) {
      numbers.insert(min(limit, .random(in: 0...range, using: &generator)))
    }
    try Self.check(numbers.sorted(), byteCount: byteCount)
  }
}
