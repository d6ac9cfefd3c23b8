import BinaryCoding
import FileIO
import Testing

@testable import LogStore

@Suite struct IndexRunTests {
  static let salt: UInt64 = 0x1234_5678_9ABC_DEF0

  static func make(seed: UInt64, count: Int) -> (run: [UInt8], model: [[UInt8]: IndexValue]) {
    var generator = SplitMix(state: seed)
    let table = MemoryTable()
    var model: [[UInt8]: IndexValue] = [:]
    for step in 1...count {
      let key = MemoryTableTests.randomKey(&generator)
      model[key] = MemoryTableTests.value(UInt64(step))
      key.withUnsafeBytes {
        table.insert(IndexKey(TestLog.people, $0), MemoryTableTests.value(UInt64(step)))
      }
    }
    return (SegmentFooter.encode(table.publish(), salt: salt).array(), model)
  }

  static func open(_ bytes: [UInt8]) throws(RunDamage) -> IndexRun {
    let memory = bytes.withUnsafeBytes { MappedRunBytes.copy(of: $0) }
    return try IndexRun(
      RunPageSource(memory: memory, start: 0, byteCount: bytes.count), salt: salt)
  }

  static func find(_ key: [UInt8], in run: IndexRun) throws -> IndexValue? {
    try key.withUnsafeBytes { bytes in
      try run.find(
        IndexKey(TestLog.people, bytes), hash: RunFilter.hash(TestLog.people, bytes))
    }
  }

  static func contents(_ run: IndexRun) throws -> [[UInt8]: IndexValue] {
    let cursor = try RunCursor(run, from: nil)
    var found: [[UInt8]: IndexValue] = [:]
    while let current = cursor.current {
      found[[UInt8](current.key.buffer)] = current.value
      try cursor.advance()
    }
    return found
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func findsEveryKeyAndNoOther(seed: UInt64) throws {
    let (bytes, model) = Self.make(seed: seed, count: 3000)
    let run = try Self.open(bytes)
    #expect(run.header.keyCount == UInt64(model.count))
    #expect(try model.allSatisfy { try Self.find($0.key, in: run) == $0.value })
    var generator = SplitMix(state: seed &+ 1000)
    for _ in 0..<3000 {
      let key = MemoryTableTests.randomKey(&generator)
      if try Self.find(key, in: run) != model[key] { Issue.record("seed \(seed), key \(key)") }
    }
    #expect(try Self.contents(run) == model)
  }

  @Test func anEmptyRunHoldsNothing() throws {
    let run = try Self.open(
      SegmentFooter.encode(MemoryTable().publish(), salt: Self.salt).array())
    #expect(try Self.find([1], in: run) == nil)
    #expect(try Self.contents(run).isEmpty)
  }

  @Test func aWalkMayStartAnywhere() throws {
    let (bytes, model) = Self.make(seed: 9, count: 500)
    let run = try Self.open(bytes)
    let keys = model.keys.sorted { $0.lexicographicallyPrecedes($1) }
    for (position, key) in keys.enumerated() {
      let cursor = try key.withUnsafeBytes {
        try RunCursor(run, from: IndexKey(TestLog.people, $0))
      }
      #expect(cursor.current.map { [UInt8]($0.key.buffer) } == key)
      try cursor.advance()
      let next = position + 1 < keys.count ? keys[position + 1] : nil
      #expect(cursor.current.map { [UInt8]($0.key.buffer) } == next)
    }
  }

  @Test("P6: a flipped bit of a run gives damage or the same answers, never others")
  func flippedBitsNeverGiveOtherAnswers() throws {
    let (bytes, model) = Self.make(seed: 5, count: 300)
    var detected = 0
    for position in bytes.indices {
      var damaged = bytes
      damaged[position] ^= 1 << UInt8(position % 8)
      do {
        let run = try Self.open(damaged)
        let isSame = try Self.contents(run) == model
        #expect(try isSame && model.allSatisfy { try Self.find($0.key, in: run) == $0.value })
        // What no answer came to need is found by who asks for it.
        try run.checkWhole()
      } catch is RunDamage {
        detected += 1
      }
    }
    #expect(detected == bytes.count, "every byte of a run is covered by a checksum")
  }

  @Test func aShortenedRunIsDamage() throws {
    let (bytes, _) = Self.make(seed: 6, count: 200)
    for count in 0..<bytes.count {
      if (try? Self.open(Array(bytes[..<count]))) != nil { Issue.record("opened \(count) bytes") }
    }
  }
}
