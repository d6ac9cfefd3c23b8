import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Index runs whose checksums are right and whose contents are not.
@Suite struct HostileIndexTests {
  static let salt: UInt64 = 77

  /// Keys of one length are packed.
  static func makeRun(keyCount: Int, isPacked: Bool = false) -> [UInt8] {
    let table = MemoryTable()
    for number in 0..<keyCount {
      let digits = String(number * 7919 % 10_007 + (isPacked ? 20_000 : 0))
      let key = [UInt8]("a shared start \(digits)".utf8)
      key.withUnsafeBytes {
        table.insert(
          IndexKey(CollectionIdentifier(UInt32(number % 2)), $0),
          MemoryTableTests.value(UInt64(number + 1)))
      }
    }
    return SegmentFooter.encode(table.publish(), salt: salt).array()
  }

  private static func integer(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> Int {
    (0..<size).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
  }

  private static func store(_ value: UInt32, _ bytes: inout [UInt8], _ offset: Int) {
    for position in 0..<4 { bytes[offset + position] = UInt8(value >> (8 * position) & 0xFF) }
  }

  /// Makes every checksum of a changed run right again, as far as its places lead anywhere.
  static func sign(_ run: inout [UInt8]) {
    let head = IndexRunHeader.byteCount
    defer {
      let start = Checksum.crc32c(of: salt, continuing: 0)
      let header = run[..<92].withUnsafeBytes { Checksum.crc32c($0, continuing: start) }
      store(header, &run, 92)
    }
    let pagesByteCount = integer(run, 48, 8)
    let directoryByteCount = integer(run, 56, 8)
    guard (0..<run.count).contains(pagesByteCount), (0..<run.count).contains(directoryByteCount),
      head + pagesByteCount + directoryByteCount <= run.count
    else { return }
    let pagesEnd = head + pagesByteCount
    let directoryEnd = pagesEnd + directoryByteCount
    for row in 0..<min(integer(run, 12, 4), (directoryEnd - pagesEnd) / 20) {
      let place = integer(run, pagesEnd + 20 * row, 4)
      let length = integer(run, pagesEnd + 20 * row + 4, 4)
      let start = head + place
      guard length >= 20, start + length <= run.count else { continue }
      let checksum = run[start..<(start + length)].withUnsafeBytes {
        RunPage.checksum($0, salt: salt, place: UInt64(place))
      }
      store(checksum, &run, start)
    }
    let directory = run[pagesEnd..<directoryEnd].withUnsafeBytes { Checksum.crc32c($0) }
    let filter = run[directoryEnd...].withUnsafeBytes { Checksum.crc32c($0) }
    store(directory, &run, 72)
    store(filter, &run, 76)
  }

  /// The same for a merged run.
  static func signMerged(_ run: inout [UInt8], salt: UInt64) {
    let unit = RunFormat.unit
    let pagesByteCount = integer(run, 48, 8)
    let directoryByteCount = integer(run, 56, 8)
    let locatorByteCount = integer(run, 64, 8)
    let start = Checksum.crc32c(of: salt, continuing: 0)
    defer {
      let header = run[..<92].withUnsafeBytes { Checksum.crc32c($0, continuing: start) }
      store(header, &run, 92)
    }
    let sizes = [pagesByteCount, directoryByteCount, locatorByteCount]
    guard sizes.allSatisfy((0..<run.count).contains), unit + sizes.reduce(0, +) <= run.count else {
      return
    }
    var place = 0
    while place < pagesByteCount {
      let stored = integer(run, unit + place + 20, 4) & ~(unit - 1)
      let size = max(unit, min(stored, pagesByteCount - place))
      let page = run[(unit + place)..<(unit + place + size)]
      store(
        page.withUnsafeBytes { RunPage.checksum($0, salt: salt, place: UInt64(place)) }, &run,
        unit + place)
      place += (size + unit - 1) / unit * unit
    }
    while place < pagesByteCount + locatorByteCount, unit + place + unit <= run.count {
      let part = run[(unit + place)..<(unit + place + unit)]
      store(
        part.withUnsafeBytes { RunLocator.checksum($0, salt: salt, place: UInt64(place)) }, &run,
        unit + place + RunLocator.checksumOffset)
      place += unit
    }
    let directory = run[(unit + place)..<(unit + place + directoryByteCount)]
    store(directory.withUnsafeBytes { Checksum.crc32c($0) }, &run, 72)
  }

  /// Looks for keys and walks the whole run; damage is the only error, and memory stays small.
  static func use(_ run: [UInt8]) throws -> Bool {
    let bytes = run.withUnsafeBytes { MappedRunBytes.copy(of: $0) }
    do throws(RunDamage) {
      let source = RunPageSource(memory: bytes, start: 0, byteCount: run.count)
      let run = try IndexRun(source, salt: salt)
      for text in ["a shared start 0", "a shared start 7919", "a shared start 27919", "z", "a"] {
        try [UInt8](text.utf8).withBytes { (key: UnsafeRawBufferPointer) throws(RunDamage) in
          let collection = CollectionIdentifier(1)
          let hash = RunFilter.hash(collection, key)
          _ = try run.find(IndexKey(collection, key), hash: hash)
          _ = run.mayContain(IndexKey(collection, key), hash: hash)
          _ = try RunCursor(run, from: IndexKey(collection, key))
        }
      }
      let cursor = try RunCursor(run, from: nil)
      var count = 0
      while let current = cursor.current {
        precondition(current.key.length <= LogLimits.keyByteCount, "a key must not grow")
        count += 1
        try cursor.advance()
      }
      return true
    } catch { return false }
  }

  @Test(
    "P14: no byte of an index that verifies traps or hangs", arguments: [UInt64(1), 2, 3, 4],
    [false, true])
  func noByteOfAnIndexTraps(seed: UInt64, isPacked: Bool) throws {
    var generator = SeededGenerator(seed: seed)
    let original = Self.makeRun(keyCount: 200, isPacked: isPacked)
    var usableCount = 0
    for _ in 0..<4000 {
      var run = original
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let offset = Int.random(in: 0..<run.count, using: &generator)
        let value = HostileStore.extremes.randomElement(using: &generator) ?? 0
        let size = [1, 2, 4, 8].randomElement(using: &generator) ?? 1
        for position in 0..<min(size, run.count - offset) {
          run[offset + position] = UInt8(truncatingIfNeeded: value >> UInt64(8 * position))
        }
      }
      Self.sign(&run)
      if try Self.use(run) { usableCount += 1 }
    }
    #expect(usableCount > 0 && usableCount < 4000, "seed \(seed)")
  }

  @Test("P14: a page that would expand to gigabytes is damage")
  func anExpandingPageIsDamage() throws {
    var page = ByteWriter()
    page.writeInteger(UInt32(0))
    page.writeInteger(UInt32(1))
    page.writeInteger(UInt16.max)
    page.writeInteger(UInt16(60_000))
    page.writeInteger(UInt64(1))
    let places = page.count
    page.writeZeros(2 * Int(UInt16.max))
    page.writeZeros(60_000)
    page.writeZeros(64)
    for index in 0..<Int(UInt16.max) {
      page.mutableBytes.storeBytes(
        of: UInt16(20_000).littleEndian, toByteOffset: places + 2 * index, as: UInt16.self)
    }
    #expect(throws: BinaryDecodingError.self) { _ = try RunPage(page.bytes) }
  }

  /// Each with the same size of the run as the header says.
  private static let impossibleParts: [@Sendable (inout IndexRunHeader) -> Void] = [
    { $0.directoryByteCount = 32 << 30 },
    { $0.directoryByteCount = 2 * (20 + 4096) + 1 },
    { $0.pageCount = 2 },
    { $0.pageCount = .max },
    { $0.pagesByteCount = 1 << 32 },
    { $0.filterByteCount = 0 },
  ]

  @Test("P14: a merged run with parts that no writer can have made is refused before they are read")
  func impossiblePartsAreRefused() throws {
    let possible = IndexRunHeader(
      format: .packedMerged, pageCount: 1, keyCount: 1, tombstoneCount: 0,
      minimumSequence: CommitSequence(1), maximumSequence: CommitSequence(1),
      pagesByteCount: 4096, directoryByteCount: 60, filterByteCount: 4096, directoryChecksum: 0,
      filterChecksum: 0)
    #expect(possible.isPossible)
    // Earlier writers did not end a run where its directory has 64 MiB.
    var large = possible
    large.pagesByteCount = 1 << 31
    large.pageCount = 1 << 19
    large.directoryByteCount = 65 << 20
    #expect(large.isPossible)
    let directory = try InMemoryFileSystem().openDirectory(at: "/store", create: true)
    for (number, change) in Self.impossibleParts.enumerated() {
      var header = possible
      change(&header)
      var writer = ByteWriter(capacity: RunFormat.unit)
      header.encode(to: &writer, salt: Self.salt)
      // Only the header is there: who reads on is told that the file ends.
      let name = StoreDirectory.run(RunIdentifier(UInt32(number + 1)))
      let file = try directory.open(name, .createNew)
      try file.write([writer.bytes], at: 0)
      let byteCount = Int(try #require(header.runByteCount))
      #expect(throws: RunDamage.damaged("the run's parts do not add up"), "change \(number)") {
        _ = try IndexRun(
          RunPageSource(file: file, start: 0, byteCount: byteCount), salt: Self.salt,
          isMerged: true)
      }
    }
  }

  @Test("P14: a record length in an index that no record can have allocates nothing")
  func anImpossibleLengthIsDamage() throws {
    let files = try HostileStore.files(isOpen: false)
    var manifest = try HostileStore.manifest(of: files)
    manifest.segments[0].dataEnd = LogLimits.segmentByteCount
    let descriptor = manifest.segments[0]
    let fileSystem = SimulatedFileSystem(files: files, in: "/store")
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    let segment = Segment(
      descriptor, store: manifest.store, directory: directory, readMode: .buffered,
      dictionaries: DictionaryShelf(manifest.store, in: directory, observer: nil))
    let value = IndexValue(
      sequence: CommitSequence(1), schemaVersion: 0, offset: 200, length: UInt32.max - 200,
      isTombstone: false)
    try TestLog.key(1).withUnsafeBytes { key in
      do {
        _ = try segment.record(at: value, key: IndexKey(TestLog.people, key))
        Issue.record("a record of 4 GB was read")
      } catch LogError.corruption(let report) {
        #expect(report.reason.contains("length"))
      }
    }
  }
}
