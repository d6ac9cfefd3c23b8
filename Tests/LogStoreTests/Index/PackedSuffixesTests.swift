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

  /// The highest number that has so many bytes.
  private static func limit(_ byteCount: Int) -> UInt64 {
    byteCount == 8 ? .max : 1 << UInt64(8 * byteCount) - 1
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
    let limit = Self.limit(byteCount)
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
    let limit = Self.limit(byteCount)
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
    let limit = Self.limit(byteCount)
    let range = UInt64.random(in: 40...max(limit, 41), using: &generator)
    var numbers: Set<UInt64> = []
    for _ in 0..<Int.random(in: 2...900, using: &generator) {
      numbers.insert(min(limit, .random(in: 0...range, using: &generator)))
    }
    try Self.check(numbers.sorted(), byteCount: byteCount)
  }

  /// A footer of one page with `numbers`, whose keys are then put in any order, each with the value
  /// of its new place; what checks the page finds it whole.
  private static func disordered(
    _ numbers: [UInt64], byteCount: Int, _ generator: inout SeededGenerator
  ) throws -> (run: IndexRun, values: [[UInt8]: IndexValue]) {
    var model = MergedRunTests.Model()
    model.keys = numbers.map { key($0, byteCount: byteCount) }
    model.values = numbers.indices.map(value)
    var bytes = PagePackingTests.footerBytes(model)
    let start = IndexRunHeader.byteCount
    let run = try IndexRunTests.open(bytes)
    let place = try run.place(ofPage: 0)
    let end = start + place.count
    // Of the keys, the first and the last are known to the directory.
    let (prefix, found) = try run.withDecodedPage(0) { ($0.prefix.count, $0.packing) }
    let packing = try #require(found)
    let first = start + RunPage.mergedHeaderByteCount + PagePacking.byteCount + prefix
    let order = (1..<(numbers.count - 1)).shuffled(using: &generator)
    let places = [0] + order + [numbers.count - 1]
    let old = bytes
    for (target, source) in places.enumerated() {
      for byte in 0..<packing.suffixByteCount {
        bytes[first + target * packing.stride + byte] = old[first + source * packing.stride + byte]
      }
    }
    let checksum = bytes.withUnsafeBytes {
      RunPage.checksum(
        UnsafeRawBufferPointer(rebasing: $0[start..<end]), salt: IndexRunTests.salt, place: 0)
    }
    withUnsafeBytes(of: checksum.littleEndian) {
      bytes.replaceSubrange(start..<(start + 4), with: $0)
    }
    let values = zip(places.map { model.keys[$0] }, model.values)
    return (try IndexRunTests.open(bytes), Dictionary(uniqueKeysWithValues: values))
  }

  @Test(
    "A page whose keys do not ascend, as none that we write, gives what it has or nothing",
    arguments: 1...30)
  func hostileOrder(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let byteCount = Int.random(in: 2...8, using: &generator)
    let limit = Self.limit(byteCount)
    var numbers: Set<UInt64> = []
    for _ in 0..<Int.random(in: 4...150, using: &generator) {
      numbers.insert(.random(in: 0...limit, using: &generator))
    }
    let (run, values) = try Self.disordered(numbers.sorted(), byteCount: byteCount, &generator)
    run.interpolate()
    var probes = numbers.map { Self.key($0, byteCount: byteCount) }
    for _ in 0..<200 {
      probes.append(Self.key(.random(in: 0...limit, using: &generator), byteCount: byteCount))
    }
    probes.sort { $0.lexicographicallyPrecedes($1) }
    var page: SoughtPage?
    var missedCount = 0
    for (number, probe) in probes.enumerated() {
      try probe.withUnsafeBytes { bytes in
        let key = IndexKey(TestLog.people, bytes)
        let expected = values[probe]
        func check(_ found: IndexValue?) {
          if let found { #expect(found == expected) } else if expected != nil { missedCount += 1 }
        }
        let hash = RunFilter.hash(TestLog.people, bytes)
        do throws(RunDamage) {
          check(try run.search(key))
          check(try run.find(key, hash: hash))
        } catch {
          guard case .damaged = error else { throw error }
        }
        if case .found(let found) = run.fastAnswer(key, hash: hash) { #expect(found == expected) }
        // One page for all, and now and then a new one.
        if page?.reaches(key) != true || number % 50 == 0 { page = run.soughtPage(from: key) }
        if page?.reaches(key) == true { check(try page?.find(key)) }
      }
    }
    #expect(missedCount > 0 || numbers.count < 20, "the keys are out of order")
    let first = Self.key(try #require(numbers.min()), byteCount: byteCount)
    try first.withUnsafeBytes { bytes in
      let found = try run.search(IndexKey(TestLog.people, bytes))
      #expect(found == values[first])
    }
  }
}
