import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Directories are not checked when a run is opened; their pages prove what they say.
@Suite struct LyingDirectoryTests {
  /// The bytes of a run of a few pages, and what is in it.
  struct Sample: CustomStringConvertible {
    let isMerged: Bool
    var bytes: [UInt8] = []
    var keys: [[UInt8]] = []
    var values: [IndexValue] = []
    /// Where the directory lies in the bytes.
    var directory = 0..<0
    var pageCount = 0

    var description: String { isMerged ? "merged run" : "footer" }

    init(isMerged: Bool, keyCount: Int = 150) throws {
      self.isMerged = isMerged
      for number in 0..<keyCount {
        // Long ones of several lengths, so that few fit a page.
        keys.append(
          [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
            + [UInt8](repeating: 5, count: 150 + number % 3))
      }
      keys.sort { $0.lexicographicallyPrecedes($1) }
      values = keys.indices.map { MemoryTableTests.value(UInt64($0 + 1)) }
      bytes = isMerged ? try written() : built()
      let header = try open(bytes).header
      let start =
        header.format.headerByteCount + Int(header.pagesByteCount)
        + (isMerged ? Int(header.filterByteCount) : 0)
      directory = start..<(start + Int(header.directoryByteCount))
      pageCount = Int(header.pageCount)
    }

    private func built() -> [UInt8] {
      var builder = IndexRunBuilder(salt: IndexRunTests.salt)
      for (key, value) in zip(keys, values) {
        key.withUnsafeBytes { builder.append(IndexKey(TestLog.people, $0), value) }
      }
      return builder.finish().array()
    }

    private func written() throws -> [UInt8] {
      let directory = try InMemoryFileSystem().openDirectory(at: "/store", create: true)
      let name = StoreDirectory.run(RunIdentifier(1))
      let file = try directory.open(name, .createNew)
      var builder = MergedRunBuilder(file, salt: MergedRunTests.salt)
      for (key, value) in zip(keys, values) {
        _ = try key.withUnsafeBytes { try builder.append(IndexKey(TestLog.people, $0), value) }
      }
      _ = try builder.finish()
      return try FileReading.all(of: file, limit: 1 << 30, name: name)
    }

    func open(_ bytes: [UInt8]) throws(RunDamage) -> IndexRun {
      isMerged ? try MergedRunTests.open(bytes) : try IndexRunTests.open(bytes)
    }

    /// The bytes of a line of the directory.
    func line(_ row: Int) -> Range<Int> {
      let start = directory.lowerBound + row * RunDirectory.stride
      return start..<(start + RunDirectory.stride)
    }
  }

  private enum Outcome { case damage, right, wrong }

  private static func outcome(_ body: () throws(RunDamage) -> Bool) -> Outcome {
    do throws(RunDamage) { return try body() ? .right : .wrong } catch { return .damage }
  }

  /// Keys around the edges of pages: present ones and, in between, absent ones.
  private static func probes(_ sample: Sample) throws -> [[UInt8]] {
    let run = try sample.open(sample.bytes)
    var probes: [[UInt8]] = [[1], [255]]
    for page in 0..<sample.pageCount {
      let first = try run.directory.key(ofPage: page)
      let position = sample.keys.firstIndex { $0.elementsEqual(first.buffer) } ?? 0
      for near in [position - 1, position, position + 1] where sample.keys.indices.contains(near) {
        probes.append(sample.keys[near])
        probes.append(sample.keys[near] + [0])
      }
    }
    return probes
  }

  /// What is wrong with the answers of a run: nothing, if each is right or damage.
  private static func lies(
    _ bytes: [UInt8], _ sample: Sample, _ probes: [[UInt8]], damages: inout Int
  ) -> [String] {
    var lies: [String] = []
    let run: IndexRun
    do throws(RunDamage) { run = try sample.open(bytes) } catch {
      damages += 1
      return []
    }
    func note(_ outcome: Outcome, _ what: String) {
      if case .damage = outcome { damages += 1 }
      if case .wrong = outcome { lies.append(what) }
    }
    for probe in probes {
      let cut = sample.keys.firstIndex { !$0.lexicographicallyPrecedes(probe) } ?? sample.keys.count
      let expected =
        cut < sample.keys.count && sample.keys[cut] == probe ? sample.values[cut] : nil
      probe.withUnsafeBytes { bytes in
        let key = IndexKey(TestLog.people, bytes)
        note(outcome { () throws(RunDamage) in try run.search(key) == expected }, "search")
        let hash = RunFilter.hash(TestLog.people, bytes)
        note(outcome { () throws(RunDamage) in try run.find(key, hash: hash) == expected }, "find")
        if expected != nil, !run.mayContain(key, hash: hash) { lies.append("mayContain") }
        note(
          outcome { () throws(RunDamage) in
            try shows(sample.keys[cut...].prefix(20), run, WalkBounds(lower: key))
          }, "upwards")
        note(
          outcome { () throws(RunDamage) in
            try shows(
              sample.keys[..<cut].reversed().prefix(20), run,
              WalkBounds(upper: key, order: .descending))
          }, "downwards")
      }
    }
    for order in [KeyOrder.ascending, .descending] {
      let all = order == .ascending ? sample.keys[...] : ArraySlice(sample.keys.reversed())
      note(
        outcome { () throws(RunDamage) in try shows(all, run, WalkBounds(order: order), toEnd: true)
        }, "\(order)")
    }
    return lies
  }

  private static func shows(
    _ keys: ArraySlice<[UInt8]>, _ run: IndexRun, _ bounds: WalkBounds, toEnd: Bool = false
  ) throws(RunDamage) -> Bool {
    let cursor = try RunCursor(run, bounds: bounds, from: bounds.start)
    for key in keys {
      guard let current = cursor.current, current.key.buffer.elementsEqual(key) else {
        return false
      }
      try cursor.advance()
    }
    return !(toEnd || keys.isEmpty) || cursor.current == nil
  }

  @Test(
    "P6: whatever bit of a directory flips, each look-up and each walk is right, or damage",
    arguments: [false, true])
  func flippedDirectories(isMerged: Bool) throws {
    let sample = try Sample(isMerged: isMerged)
    let probes = try Self.probes(sample)
    #expect(sample.pageCount > 3)
    var damages = 0
    #expect(Self.lies(sample.bytes, sample, probes, damages: &damages).isEmpty && damages == 0)
    let tableEnd = sample.line(sample.pageCount).upperBound
    var wrong: [String] = []
    for position in sample.directory {
      let bits = position < tableEnd ? Array(0..<8) : position % 16 == 0 ? [position / 16 % 8] : []
      for bit in bits {
        var damaged = sample.bytes
        damaged[position] ^= 1 << UInt8(bit)
        let place = position - sample.directory.lowerBound
        for lie in Self.lies(damaged, sample, probes, damages: &damages) {
          wrong.append("\(sample) byte \(place) bit \(bit): \(lie)")
        }
      }
    }
    #expect(wrong.isEmpty, "\(wrong.count) lies: \(wrong.prefix(5))")
    #expect(damages > 1000)
  }

  @Test(
    "P6: a directory whose lines stand in the wrong places misleads no look-up and no walk",
    arguments: [false, true])
  func misplacedLines(isMerged: Bool) throws {
    let sample = try Sample(isMerged: isMerged)
    let probes = try Self.probes(sample)
    var wrong: [String] = []
    var damages = 0
    // What of a line is taken from another one: place and size, the key, or all of it.
    for fields in [0..<8, 8..<20, 0..<20] {
      for target in 0...sample.pageCount {
        for source in 0...sample.pageCount where source != target {
          var damaged = sample.bytes
          for field in fields {
            damaged[sample.line(target).lowerBound + field] =
              sample.bytes[sample.line(source).lowerBound + field]
          }
          for lie in Self.lies(damaged, sample, probes, damages: &damages) {
            wrong.append("\(sample) line \(source) in \(target), \(fields): \(lie)")
          }
        }
      }
    }
    #expect(wrong.isEmpty, "\(wrong.count) lies: \(wrong.prefix(5))")
    #expect(damages > 100)
  }

  @Test(
    "Opening a run looks at its outermost pages, and at nothing that grows with it",
    arguments: [false, true])
  func openingIsFlat(isMerged: Bool) throws {
    let sample = try Sample(isMerged: isMerged, keyCount: 4000)
    var bytes = sample.bytes
    let run = try sample.open(bytes)
    let head = run.header.format.headerByteCount
    let first = try run.place(ofPage: 0)
    let last = try run.place(ofPage: sample.pageCount - 1)
    // The pages between, all lines but the outermost, and a footer's filter or a run's locator.
    for position in (head + first.upperBound)..<(head + last.lowerBound) { bytes[position] ^= 255 }
    for row in 1..<(sample.pageCount - 1) {
      for position in sample.line(row) { bytes[position] ^= 255 }
    }
    let filter =
      isMerged
      ? (head + last.upperBound)..<sample.directory.lowerBound
      : sample.directory.upperBound..<bytes.count
    for position in filter { bytes[position] ^= 255 }
    let opened = try sample.open(bytes)
    #expect(throws: RunDamage.self) { try opened.checkWhole() }
    #expect(opened.directory.bounds?.last.buffer.elementsEqual(sample.keys[3999]) == true)
  }

  @Test("A damaged filter denies no key: it is not asked before it was checked")
  func damagedFilter() throws {
    let sample = try Sample(isMerged: false, keyCount: 20_000)
    var bytes = sample.bytes
    for position in sample.directory.upperBound..<bytes.count { bytes[position] = 0 }
    let run = try sample.open(bytes)
    let filterByteCount = bytes.count - sample.directory.upperBound
    let untilCheck = filterByteCount / RunFilter.byteCountCheckedPerLookup - 1
    #expect(untilCheck > 1)
    for position in 0..<untilCheck {
      #expect(try IndexRunTests.find(sample.keys[position], in: run) == sample.values[position])
    }
    for position in 0..<3 {
      #expect(throws: RunDamage.self) {
        try IndexRunTests.find(sample.keys[position], in: run)
      }
    }
    let key = sample.keys[7]
    let mayContain = key.withUnsafeBytes {
      run.mayContain(
        IndexKey(TestLog.people, $0), hash: RunFilter.hash(TestLog.people, $0))
    }
    #expect(mayContain)
  }

  @Test("A run that is read from a file is checked when it is opened, because it is read whole")
  func bufferedRuns() throws {
    for isMerged in [false, true] {
      let sample = try Sample(isMerged: isMerged)
      let directory = try InMemoryFileSystem().openDirectory(at: "/store", create: true)
      let file = try directory.open(StoreDirectory.run(RunIdentifier(1)), .createNew)
      var damaged = sample.bytes
      damaged[sample.line(1).lowerBound + 1] ^= 1
      for (bytes, isIntact) in [(sample.bytes, true), (damaged, false)] {
        try bytes.withUnsafeBytes { try file.write([$0], at: 0) }
        let salt = isMerged ? MergedRunTests.salt : IndexRunTests.salt
        let source = RunPageSource(file: file, start: 0, byteCount: bytes.count)
        let opened = try? IndexRun(source, salt: salt, isMerged: isMerged)
        #expect((opened != nil) == isIntact)
      }
    }
  }
}
