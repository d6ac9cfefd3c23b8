import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Merged runs by themselves: what is written is found, by hash and by search, and nothing else.
@Suite struct MergedRunTests {
  static let salt: UInt64 = 0x0123_4567_89AB_CDEF

  struct Model {
    var keys: [[UInt8]] = []
    var values: [IndexValue] = []
  }

  /// Keys of several lengths, up to the longest, in order.
  static func model(seed: UInt64, count: Int) -> Model {
    var generator = SeededGenerator(seed: seed)
    var keys: Set<[UInt8]> = []
    let shared = [UInt8](repeating: 7, count: 1500)
    for _ in 0..<count {
      switch Int.random(in: 0..<20, using: &generator) {
      case 0:
        let length = Int.random(in: 1...LogLimits.keyByteCount, using: &generator)
        keys.insert((0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) })
      case 1: keys.insert(shared + TestLog.key(Int.random(in: 0..<1000, using: &generator)))
      case 2...8: keys.insert([UInt8]("a name \(Int.random(in: 0..<9999, using: &generator))".utf8))
      default: keys.insert(TestLog.key(Int.random(in: 0..<1_000_000, using: &generator)))
      }
    }
    var model = Model()
    model.keys = keys.sorted { $0.lexicographicallyPrecedes($1) }
    for _ in model.keys {
      model.values.append(
        IndexValue(
          sequence: CommitSequence(.random(in: 1..<(1 << 40), using: &generator)),
          schemaVersion: .random(in: 0..<4, using: &generator),
          offset: .random(in: 0...UInt32.max, using: &generator),
          length: .random(in: 0..<9000, using: &generator),
          isTombstone: Bool.random(using: &generator),
          ordinal: .random(in: 0..<300, using: &generator)))
    }
    return model
  }

  /// The bytes of a run; keys are dealt to the collections 1 and 2 by position.
  static func write(_ model: Model, packs: Bool = true) throws -> [UInt8] {
    let directory = try InMemoryFileSystem().openDirectory(at: "/store", create: true)
    let name = StoreDirectory.run(RunIdentifier(1))
    let file = try directory.open(name, .createNew)
    var builder = MergedRunBuilder(file, salt: salt, packs: packs)
    for collection in [UInt32(1), 2] {
      for (position, key) in model.keys.enumerated() {
        let fits = try key.withUnsafeBytes {
          try builder.append(
            IndexKey(CollectionIdentifier(collection), $0), model.values[position])
        }
        #expect(fits)
      }
    }
    let summary = try builder.finish()
    let bytes = try FileReading.all(of: file, limit: 1 << 30, name: name)
    #expect(summary.map { Int($0.byteCount) } ?? 0 == (model.keys.isEmpty ? 0 : bytes.count))
    return bytes
  }

  static func open(_ bytes: [UInt8]) throws(RunDamage) -> IndexRun {
    let memory = bytes.withUnsafeBytes { MappedRunBytes.copy(of: $0) }
    return try IndexRun(
      RunPageSource(memory: memory, start: 0, byteCount: bytes.count), salt: salt,
      isMerged: true)
  }

  /// All ways to find a key give the same.
  static func find(
    _ key: [UInt8], _ collection: CollectionIdentifier, in run: IndexRun
  ) throws -> IndexValue? {
    try key.withUnsafeBytes { bytes in
      let key = IndexKey(collection, bytes)
      let hash = RunFilter.hash(collection, bytes)
      let found = try run.find(key, hash: hash)
      switch run.fastAnswer(key, hash: hash) {
      case .found(let value) where value == found: break
      case .absent where found == nil: break
      case let other: throw CaseFailure("by hash \(String(describing: found)), fast \(other)")
      }
      let searched = try run.search(key)
      guard found == searched else {
        throw CaseFailure(
          "by hash \(String(describing: found)), not \(String(describing: searched))")
      }
      return found
    }
  }

  @Test("Packed keys are found by their hash, however long they are", arguments: 1...40)
  func findsPackedKeys(length: Int) throws {
    var generator = SeededGenerator(seed: UInt64(length))
    var model = Self.model(seed: 1, count: 0)
    let keys = Set(
      (0..<700).map { _ in (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) } })
    model.keys = keys.sorted { $0.lexicographicallyPrecedes($1) }
    model.values = model.keys.indices.map { position in
      IndexValue(
        sequence: CommitSequence(UInt64(position + 1)), schemaVersion: 0, offset: 0, length: 9,
        isTombstone: false)
    }
    let run = try Self.open(try Self.write(model))
    for (position, key) in model.keys.enumerated() {
      #expect(try Self.find(key, CollectionIdentifier(2), in: run) == model.values[position])
    }
  }

  @Test("What was merged is found by hash and by search, and nothing else", arguments: 1...4)
  func findsEveryKeyAndNoOther(seed: Int) throws {
    let model = Self.model(seed: UInt64(seed), count: seed * seed * 500)
    let run = try Self.open(try Self.write(model))
    #expect(run.header.keyCount == UInt64(2 * model.keys.count))
    for collection in [CollectionIdentifier(1), CollectionIdentifier(2)] {
      for (position, key) in model.keys.enumerated() {
        if try Self.find(key, collection, in: run) != model.values[position] {
          Issue.record("seed \(seed), key \(key)")
        }
      }
    }
    let known = Set(model.keys)
    for key in Self.model(seed: UInt64(seed) &+ 100, count: 2000).keys where !known.contains(key) {
      if try Self.find(key, CollectionIdentifier(1), in: run) != nil {
        Issue.record("seed \(seed), key \(key) was never added")
      }
    }
    for key in model.keys.prefix(50) {
      #expect(try Self.find(key, CollectionIdentifier(3), in: run) == nil)
    }
  }

  @Test("A walk shows all keys in order with their segments, from anywhere", arguments: [5, 6])
  func walks(seed: Int) throws {
    let model = Self.model(seed: UInt64(seed), count: 1500)
    let run = try Self.open(try Self.write(model))
    let count = model.keys.count
    for start in [0, 1, count / 3, count - 1] {
      let cursor = try model.keys[start].withUnsafeBytes {
        try RunCursor(run, from: IndexKey(CollectionIdentifier(1), $0))
      }
      for step in start..<(2 * count) {
        let position = step % count
        guard let current = cursor.current,
          [UInt8](current.key.buffer) == model.keys[position],
          current.key.collection == UInt32(1 + step / count),
          current.value == model.values[position]
        else {
          Issue.record("seed \(seed), step \(step)")
          return
        }
        try cursor.advance()
      }
      #expect(cursor.current == nil)
    }
  }

  @Test("Short keys fill their pages: 8-byte keys take about 26 bytes each, all included")
  func isCompact() throws {
    var model = Model()
    for number in 0..<50_000 {
      model.keys.append(TestLog.key(number * 13))
      model.values.append(
        IndexValue(
          sequence: CommitSequence(UInt64(1_000_000 - number)), schemaVersion: 1,
          offset: UInt32(number * 200), length: 201, isTombstone: false,
          ordinal: UInt32(number % 32)))
    }
    let bytes = try Self.write(model)
    let perKey = Double(bytes.count) / Double(2 * model.keys.count)
    print("\(perKey) bytes a key")
    #expect(perKey < 26)
  }

  @Test("P6: a flipped bit of a merged run gives damage or the same answers, never others")
  func flippedBitsNeverGiveOtherAnswers() throws {
    var model = Self.model(seed: 9, count: 0)
    for number in 0..<40 {
      model.keys.append(TestLog.key(number))
      model.values.append(MemoryTableTests.value(UInt64(number + 1)))
    }
    let bytes = try Self.write(model)
    var detectedCount = 0
    for position in bytes.indices {
      var damaged = bytes
      damaged[position] ^= 1 << UInt8(position % 8)
      do {
        let run = try Self.open(damaged)
        for part in 0..<run.partCount { try run.withPart(part) { _ throws(RunDamage) in } }
        let cursor = try RunCursor(run, from: nil)
        while cursor.current != nil { try cursor.advance() }
        try run.checkWhole()
        Issue.record("byte \(position) was not covered")
      } catch {
        detectedCount += 1
      }
    }
    #expect(detectedCount == bytes.count)
  }

  @Test("P14: no byte of a merged run that verifies traps or hangs", arguments: [UInt64(1), 2, 3])
  func noByteTraps(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let original = try Self.write(Self.model(seed: seed, count: 600))
    var usableCount = 0
    for _ in 0..<600 {
      var run = original
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let isHead = Bool.random(using: &generator)
        let offset =
          isHead
          ? Int.random(in: 0..<92, using: &generator)
          : 4096 * Int.random(in: 1..<(run.count / 4096), using: &generator)
            + Int.random(in: 0..<100, using: &generator)
        let value = HostileStore.extremes.randomElement(using: &generator) ?? 0
        let size = [1, 2, 4, 8].randomElement(using: &generator) ?? 1
        for position in 0..<min(size, run.count - offset) {
          run[offset + position] = UInt8(truncatingIfNeeded: value >> UInt64(8 * position))
        }
      }
      HostileIndexTests.signMerged(&run, salt: Self.salt)
      if Self.use(run) { usableCount += 1 }
    }
    #expect(usableCount > 0 && usableCount < 600, "seed \(seed): \(usableCount)")
  }

  /// Looks for keys and walks; damage is the only error.
  private static func use(_ bytes: [UInt8]) -> Bool {
    do throws(RunDamage) {
      let run = try open(bytes)
      for number in 0..<200 {
        try TestLog.key(number * 31).withBytes {
          (bytes: UnsafeRawBufferPointer) throws(RunDamage) in
          let key = IndexKey(TestLog.people, bytes)
          _ = try run.find(key, hash: RunFilter.hash(TestLog.people, bytes))
          _ = try run.search(key)
        }
      }
      let cursor = try RunCursor(run, from: nil)
      while cursor.current != nil { try cursor.advance() }
      return true
    } catch { return false }
  }

  @Test("A run without keys is not written")
  func nothingGivesNoRun() throws {
    let directory = try InMemoryFileSystem().openDirectory(at: "/store", create: true)
    let file = try directory.open(StoreDirectory.run(RunIdentifier(1)), .createNew)
    let summary = try MergedRunBuilder(file, salt: 1).finish()
    #expect(summary == nil)
  }

  @Test("Keys are spread over all lines, so that next to none is full")
  func keysAreSpread() throws {
    var builder = RunLocatorBuilder(parts: 0..<10, of: 10)
    for number in 0..<10 * RunLocator.partKeyCount {
      let hash = TestLog.key(number).withUnsafeBytes { RunFilter.hash(TestLog.people, $0) }
      let fits = builder.insert(hash, place: UInt32(number))
      if !fits { Issue.record("key \(number)") }
    }
    let finished = builder.finish(salt: 1, start: 0)?.array()
    let bytes = try #require(finished)
    var fullCount = 0
    for part in 0..<10 {
      for line in 0..<63 {
        let start = part * 4096 + line * 64
        if bytes[start + RunLocator.fullOffset] != 0 { fullCount += 1 }
      }
    }
    #expect(fullCount < 140, "\(fullCount) of 630 lines are full")
  }

  @Test("A part of a locator takes all its 630 keys and refuses the next")
  func aFullPartRefuses() throws {
    let part = try #require(Self.part(keyCount: 630))
    var search = RunLocator.Search(629 << 40)
    var found: [Int] = []
    part.withUnsafeBytes { part in
      while let place = search.next(in: part) { found.append(place) }
    }
    #expect(found == Array(0..<630))
    // The first that finds no room is in a group that waits, or in one that is written.
    for keyCount in 631...700 where Self.part(keyCount: keyCount) != nil {
      Issue.record("\(keyCount) keys")
    }
    var builder = RunLocatorBuilder(parts: 0..<1, of: 1)
    let refused = (0..<700).first { !builder.insert(UInt64($0) << 40, place: UInt32($0)) }
    #expect((630..<700).contains(try #require(refused)))
  }

  /// A part with keys that all begin in the same line, or nothing when it is full.
  private static func part(keyCount: Int) -> [UInt8]? {
    var builder = RunLocatorBuilder(parts: 0..<1, of: 1)
    var fits = true
    for number in 0..<keyCount where fits {
      fits = builder.insert(UInt64(number) << 40, place: UInt32(number))
    }
    let finished = builder.finish(salt: 1, start: 0)?.array()
    return fits ? finished : nil
  }

  @Test("P13: a run of long keys ends where its directory has grown too large")
  func largeDirectory() throws {
    let directory = try InMemoryFileSystem().openDirectory(at: "/store", create: true)
    let file = try directory.open(StoreDirectory.run(RunIdentifier(1)), .createNew)
    var builder = MergedRunBuilder(file, salt: Self.salt, directoryByteCountMaximum: 20_000)
    var count = 0
    while count < 1000 {
      let key = [UInt8](repeating: 7, count: 4000) + TestLog.key(count)
      let value = IndexValue(
        sequence: CommitSequence(1), schemaVersion: 0, offset: 0, length: 1, isTombstone: false,
        ordinal: 0)
      let fits = try key.withUnsafeBytes {
        try builder.append(IndexKey(TestLog.people, $0), value)
      }
      if !fits { break }
      count += 1
    }
    #expect((5...7).contains(count), "\(count) pages of one key")
    let summary = try builder.finish()
    #expect(summary?.keyCount == UInt64(count))
  }
}
