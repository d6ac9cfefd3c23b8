import BinaryCoding
import StorageTestSupport
import Testing

@testable import LogStore

/// Look-ups that guess where a key lies say what those say that do not.
@Suite struct InterpolatedPlacesTests {
  enum Kind: CaseIterable { case footer, merged }

  private static func model(_ keys: [[UInt8]]) -> MergedRunTests.Model {
    var model = MergedRunTests.Model()
    model.keys = keys
    model.values = keys.indices.map { position in
      IndexValue(
        sequence: CommitSequence(UInt64(position) + 1), schemaVersion: 3,
        offset: UInt32(position % 5000) * 230, length: UInt32(200 + position % 31),
        isTombstone: position % 9 == 0)
    }
    return model
  }

  private static func bytes(_ keys: [[UInt8]], _ kind: Kind) throws -> [UInt8] {
    kind == .merged
      ? try MergedRunTests.write(model(keys)) : PagePackingTests.footerBytes(model(keys))
  }

  private static func open(_ bytes: [UInt8], _ kind: Kind) throws -> IndexRun {
    kind == .merged ? try MergedRunTests.open(bytes) : try IndexRunTests.open(bytes)
  }

  private static func key(_ number: UInt64) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
  }

  /// What look-ups of `key` say, and where it was guessed to lie; in a merged run in the second of
  /// its two collections, in which the middle lies.
  private static func look(
    for key: [UInt8], in run: IndexRun, collection number: UInt32? = nil
  ) -> (answer: FastAnswer, guess: InterpolatedPlaces.Guess?) {
    let collection = CollectionIdentifier(number ?? (run.format.isMerged ? 2 : 1))
    return key.withUnsafeBytes { bytes in
      let key = IndexKey(collection, bytes)
      let guess = run.guess(key)
      return (run.fastAnswer(key, hash: RunFilter.hash(collection, bytes)), guess)
    }
  }

  /// Whether an answer is what the run holds; a damaged one may answer nothing.
  private static func isRight(_ answer: FastAnswer, _ expected: IndexValue?) -> Bool {
    switch answer {
    case .absent: expected == nil
    case .found(let value): value == expected
    case .unknown: false
    }
  }

  /// Looks for all keys of a run and those beside them, twice, because the first time tells how
  /// pages are packed; returns how many of them evenly lying pages answered the second time.
  private static func check(_ keys: [[UInt8]], others: [[UInt8]], _ kind: Kind) throws -> Int {
    let run = try open(try bytes(keys, kind), kind)
    run.interpolate()
    let model = model(keys)
    let expected = Dictionary(uniqueKeysWithValues: zip(model.keys, model.values))
    // Of four keys three are there: while most are absent nothing is guessed.
    var probes: [[UInt8]] = []
    for (number, key) in others.enumerated() {
      probes.append(key)
      for step in 0..<3 { probes.append(keys[(3 * number + step) % keys.count]) }
    }
    probes += keys
    var evenCount = 0
    for isSecond in [false, true] {
      evenCount = 0
      for key in probes {
        let (answer, guess) = look(for: key, in: run)
        if !isRight(answer, expected[key]) { Issue.record("\(kind) \(isSecond): \(key)") }
        if guess?.place?.isEven == true { evenCount += 1 }
      }
    }
    return evenCount
  }

  @Test(
    "Keys that count up are found by their pages alone, and so is that others are absent",
    arguments: Kind.allCases, [UInt64(1), 2, 7, 1000])
  func evenKeys(kind: Kind, step: UInt64) throws {
    for start in [0, 12_345, UInt64.max - 3000 * step] {
      let numbers = (0..<3000).map { start + $0 * step }
      let others = Set(numbers.flatMap { [$0 &- 1, $0 &+ 1] } + [.max - 1, 3])
      let evenCount = try Self.check(
        numbers.map(Self.key), others: others.subtracting(numbers).sorted().map(Self.key), kind)
      #expect(evenCount > 2500, "all pages but the last")
    }
  }

  @Test("Keys that lie anyhow, in numbers, texts and with long prefixes", arguments: 1...12)
  func unevenKeys(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    var keys: Set<[UInt8]> = []
    let prefix = [UInt8](repeating: 65, count: Int.random(in: 0...10, using: &generator))
    let byteCount = Int.random(in: 3...20, using: &generator)
    let varies = Bool.random(using: &generator)
    for _ in 0..<1500 {
      let count = varies ? Int.random(in: 1...byteCount, using: &generator) : byteCount
      keys.insert(prefix + (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }
    let sorted = keys.sorted { $0.lexicographicallyPrecedes($1) }
    let others = sorted.flatMap { [$0 + [0], Array($0.dropLast())] }
      .filter { !$0.isEmpty && !keys.contains($0) }
    for kind in Kind.allCases { _ = try Self.check(sorted, others: others, kind) }
  }

  @Test("Keys that count up in long stretches with gaps between them", arguments: 1...4)
  func gapsAndJumps(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    var number: UInt64 = 0
    let numbers = (0..<4000).map { _ in
      number += Int.random(in: 0..<400, using: &generator) == 0 ? 1 << 40 : 2
      return number
    }
    for kind in Kind.allCases {
      _ = try Self.check(
        numbers.map(Self.key), others: numbers.map { Self.key($0 + 1) }, kind)
    }
  }

  @Test(
    "A page tells of each key whether it is there or between two others, and of others nothing",
    arguments: [1, 2, 5, 8, 9], [0, 1, 8, 13])
  func proofsOfOnePage(byteCount: Int, prefixCount: Int) throws {
    let limit = byteCount == 1 ? 60 : 150
    let prefix = (0..<prefixCount).map { UInt8($0) + 1 }
    func key(_ number: Int) -> [UInt8] {
      let digits = Self.key(UInt64(number)).suffix(byteCount)
      return prefix + [UInt8](repeating: 0, count: byteCount - digits.count) + digits
    }
    // From the first byte of the suffix on they differ, or the prefix would be longer.
    let keys = (0..<limit).map { number in
      var key = key(3 * number + 1)
      key[prefixCount] = UInt8(byteCount == 1 ? 3 * number + 10 : number + 10)
      return key
    }
    let run = try Self.open(try Self.bytes(keys, .footer), .footer)
    let values = Self.model(keys).values
    try run.withPage(at: 0) { page in
      for (number, present) in keys.enumerated() {
        var between = present
        between[byteCount + prefixCount - 1] &+= 1
        for (probe, expected) in [(present, Optional(values[number])), (between, nil)] {
          for position in keys.indices {
            let answer = probe.withUnsafeBytes {
              PackedSuffixes.answer(
                IndexKey(TestLog.people, $0), around: position, inPacked: page)
            }
            switch answer {
            case .found(let value): #expect(value == expected && position == number)
            case .absent: #expect(expected == nil && !keys.contains(probe))
            case .unknown:
              // Suffixes of more than eight bytes are none that it knows.
              let isNear =
                expected != nil
                ? position == number
                : !keys.contains(probe) && number + 1 < limit
                  && (number...(number + 1)).contains(position)
              #expect(byteCount > 8 || !isNear, "\(probe) at \(position)")
            }
          }
        }
      }
      for other in [keys[3] + [0], Array(keys[3].dropLast()), [255] + keys[3].dropFirst()]
      where !other.isEmpty && !keys.contains(other) {
        for position in [3, limit - 1, limit, 5000] {
          let answer = other.withUnsafeBytes {
            PackedSuffixes.answer(IndexKey(TestLog.people, $0), around: position, inPacked: page)
          }
          if case .unknown = answer { continue }
          Issue.record("\(other) at \(position)")
        }
      }
    }
  }

  @Test(
    "Pages that are not packed are noted as such, once, and say nothing by themselves",
    arguments: Kind.allCases)
  func unpackedPages(kind: Kind) throws {
    // Of two lengths, so that no page is packed.
    let keys = (0..<2000).map { Self.key(UInt64($0) << 32) + ($0 % 2 == 0 ? [] : [1]) }
    let run = try Self.open(try Self.bytes(keys, kind), kind)
    run.interpolate()
    let values = Self.model(keys).values
    for isSecond in [false, true] {
      for (key, value) in zip(keys, values) {
        let (answer, guess) = Self.look(for: key, in: run)
        #expect(Self.isRight(answer, value))
        let found = try #require(guess)
        #expect(found.place == nil)
        if isSecond { #expect(found.isNoted) }
      }
    }
  }

  @Test("Threads that look up at once, while the table and its shapes are made, see the same")
  func manyThreads() async throws {
    for seed in UInt64(1)...4 {
      let keys = (0..<3000).map { Self.key(UInt64($0) * 2) }
      let values = Self.model(keys).values
      let run = try Self.open(try Self.bytes(keys, .merged), .merged)
      let wrongCount = await withTaskGroup(of: Int.self) { group in
        for thread in UInt64(0)..<4 {
          group.addTask {
            var generator = SeededGenerator(seed: seed * 10 + thread)
            var wrongCount = 0
            for _ in 0..<6000 {
              let position = Int.random(in: 0..<keys.count, using: &generator)
              let isThere = Int.random(in: 0..<8, using: &generator) > 0
              let key = isThere ? keys[position] : Self.key(UInt64(position) * 2 + 1)
              let answer = Self.look(for: key, in: run).answer
              wrongCount += Self.isRight(answer, isThere ? values[position] : nil) ? 0 : 1
            }
            return wrongCount
          }
        }
        return await group.reduce(0, +)
      }
      #expect(wrongCount == 0)
      let isReady = run.interpolation.isReady
      #expect(isReady)
    }
  }

  @Test("Where the first eight bytes tell no pages apart nothing is guessed")
  func equalHeads() throws {
    let keys = (0..<3000).map { [UInt8](repeating: 7, count: 8) + Self.key(UInt64($0)) }
    let run = try Self.open(try Self.bytes(keys, .merged), .merged)
    run.interpolate()
    #expect(run.directory.pageCount > 3)
    let isReady = run.interpolation.isReady
    #expect(isReady)
    for key in keys { #expect(Self.look(for: key, in: run).guess == nil) }
  }

  @Test("What is guessed by is made once look-ups have found keys, and rests while they find none")
  func luck() throws {
    let keys = (0..<3000).map { Self.key(UInt64($0) * 2) }
    let others = (0..<3000).map { Self.key(UInt64($0) * 2 + 1) }
    let run = try Self.open(try Self.bytes(keys, .merged), .merged)
    for other in others { _ = Self.look(for: other, in: run) }
    var states = [run.interpolation.isReady, run.interpolation.isWorthwhile]
    #expect(states == [false, false])
    for key in keys { _ = Self.look(for: key, in: run) }
    states = [run.interpolation.isReady, run.interpolation.isWorthwhile]
    #expect(states == [true, true])
    #expect(Self.look(for: keys[5], in: run).guess?.place?.isEven == true)
    for other in others { _ = Self.look(for: other, in: run) }
    #expect(Self.look(for: keys[5], in: run).guess == nil)
  }

  @Test(
    "Directories that lie about where pages are, or what they begin with, make no answer wrong",
    arguments: Kind.allCases)
  func lyingDirectories(kind: Kind) throws {
    let keys = (0..<1200).map { Self.key(UInt64($0) * 2) }
    let probes = stride(from: 0, to: 1200, by: 67).map { UInt64($0) * 2 }
    let model = Self.model(keys)
    let bytes = try Self.bytes(keys, kind)
    let run = try Self.open(bytes, kind)
    let header = run.header
    let start =
      header.format.headerByteCount + Int(header.pagesByteCount)
      + (kind == .merged ? Int(header.filterByteCount) : 0)
    var rightCount = 0
    for place in start..<(start + Int(header.directoryByteCount)) {
      for flip in [UInt8(1), 16, 128] {
        var lying = bytes
        lying[place] ^= flip
        guard let run = try? Self.open(lying, kind) else { continue }
        run.interpolate()
        for number in probes + probes.reversed() {
          for (number, expected) in [(number, model.values[Int(number / 2)]), (number + 1, nil)] {
            let answer = Self.look(for: Self.key(number), in: run).answer
            if case .unknown = answer { continue }
            rightCount += 1
            if !Self.isRight(answer, expected) { Issue.record("\(place) \(flip) \(number)") }
          }
        }
      }
    }
    #expect(rightCount > 1000)
  }

  @Test("Pages that nobody read say nothing, nor is it guessed where keys of other collections lie")
  func unreadPages() throws {
    let keys = (0..<3000).map { Self.key(UInt64($0)) }
    let run = try Self.open(try Self.bytes(keys, .merged), .merged)
    run.interpolate()
    #expect(Self.look(for: keys[100], in: run, collection: 1).guess == nil)
    let first = Self.look(for: keys[100], in: run)
    #expect(first.guess != nil && first.guess?.place == nil)
    #expect(Self.look(for: keys[100], in: run).guess?.place?.position == 100)
  }
}
