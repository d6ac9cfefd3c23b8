import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Frames of small commits, whose headers have 20 bytes.
@Suite struct ShortFrameTests {
  private static let salt: UInt64 = 0x0123_4567_89AB_CDEF
  private static let offset: UInt64 = 4096

  private static func header(
    bodyByteCount: Int = 40, recordCount: UInt32 = 1, first: UInt64 = 1000, durable: UInt64 = 990
  ) -> FrameHeader {
    FrameHeader(
      .short, length: UInt32(bodyByteCount + ShortFrameHeader.byteCount),
      firstSequence: CommitSequence(first), recordCount: recordCount, flags: [.lastOfCommit],
      durableSequence: CommitSequence(durable), previousHash: 0x1234_5678, bodyChecksum: 0)
  }

  private static func encoded(_ header: FrameHeader) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: ShortFrameHeader.byteCount)
    bytes.withUnsafeMutableBytes {
      if let base = $0.baseAddress { header.encode(to: base, salt: salt, offset: offset) }
    }
    return bytes
  }

  private static func decoded(
    _ bytes: [UInt8], salt: UInt64 = salt, offset: UInt64 = offset
  ) -> FrameHeader? {
    bytes.withUnsafeBytes { FrameHeader(decoding: $0, salt: salt, offset: offset) }
  }

  @Test("A short header comes back with the least and the most that its fields hold")
  func roundTrip() {
    for bodyByteCount in [0, 1, 65515] {
      for recordCount: UInt32 in [1, 255] {
        for first: UInt64 in [1, 2, 1 << 20, 1 << 20 + 1, 1 << 44 - 1] {
          for distance: UInt64 in [0, 1, 1 << 20 - 1] where distance < first {
            let header = Self.header(
              bodyByteCount: bodyByteCount, recordCount: recordCount, first: first,
              durable: first - 1 - distance)
            #expect(Self.decoded(Self.encoded(header)) == header)
          }
        }
      }
    }
  }

  @Test("The bytes of a short header are those that Format.md says")
  func bytes() {
    // 60 bytes, 2 records, first sequence 1000, durable 990: nine below the one before the first.
    let header = Self.header(recordCount: 2)
    var bytes: [UInt8] = [60, 0, 2, 0x80]
    bytes += [0xDB, 0x9C, 0xB2, 0x06]
    bytes += [0xE8, 0x03, 0, 0, 0, 0x90, 0, 0]
    bytes += [0x78, 0x56, 0x34, 0x12]
    #expect(Self.encoded(header) == bytes)
    #expect(Self.decoded(bytes) == header)
  }

  @Test("A short header is none in a segment whose header does not allow it")
  func unflaggedSegments() throws {
    let fileSystem = try RecoveryTests.unclosedStore(3, durability: .full)
    let file = try RecoveryTests.active(fileSystem)
    var bytes = [UInt8](repeating: 0, count: SegmentHeader.byteCount)
    _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    var header = try bytes.withUnsafeBytes { try SegmentHeader.decode($0, file: "segment") }
    header.incompatibleFlags = 0
    let scanned = try bytes.withUnsafeBytes {
      var scanner = try FrameScanner(file, of: header, $0, limit: nil)
      return try scanner.next()
    }
    guard case .damaged = scanned else {
      Issue.record("a short header was read where none may be")
      return
    }
  }

  @Test("A tail's copy says of the records before it that they are durable, and no more")
  func durableAboveItself() {
    let header = Self.header(first: 1000, durable: 5000)
    #expect(Self.decoded(Self.encoded(header))?.durableSequence == CommitSequence(999))
  }

  @Test("No changed bit of a short header verifies, nor another place or salt")
  func everyBitCounts() {
    let bytes = Self.encoded(Self.header())
    for bit in 0..<(8 * bytes.count) {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(Self.decoded(changed) == nil, "bit \(bit)")
    }
    #expect(Self.decoded(bytes, offset: Self.offset + 8) == nil)
    #expect(Self.decoded(bytes, salt: Self.salt + 1) == nil)
    for count in 0..<bytes.count {
      #expect(Self.decoded([UInt8](bytes[..<count])) == nil, "\(count) bytes")
    }
  }

  @Test("What does not fit a short header gets a long one, whatever does not fit")
  func limits() {
    func fits(
      _ bodyByteCount: Int, _ recordCount: Int, _ first: UInt64, _ durable: UInt64
    ) -> Bool {
      ShortFrameHeader.fits(
        bodyByteCount: bodyByteCount, recordCount: recordCount,
        firstSequence: CommitSequence(first), durableSequence: CommitSequence(durable))
    }
    #expect(fits(65515, 255, 1 << 44 - 1, 1 << 44 - 1 - 1 << 20))
    #expect(!fits(65516, 1, 1, 0))
    #expect(!fits(10, 256, 1, 0))
    #expect(!fits(10, 0, 1, 0))
    #expect(!fits(10, 1, 1 << 44, 1 << 44 - 1))
    #expect(!fits(10, 1, 1 << 20 + 1, 0))
    #expect(fits(10, 1, 1 << 20, 0))
  }

  /// The forms of the frames of a segment, in order.
  private static func forms(
    _ fileSystem: any FileSystem, _ identifier: UInt32
  ) throws -> [FrameHeader.Form] {
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    let file = try directory.open(
      StoreDirectory.segment(SegmentIdentifier(identifier)), .read)
    var bytes = [UInt8](repeating: 0, count: SegmentHeader.byteCount)
    _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    let header = try bytes.withUnsafeBytes { try SegmentHeader.decode($0, file: "segment") }
    var scanner = try bytes.withUnsafeBytes {
      try FrameScanner(file, of: header, $0, limit: nil)
    }
    var forms: [FrameHeader.Form] = []
    while case .frame(let frame) = try scanner.next() { forms.append(frame.header.form) }
    return forms
  }

  private static func open(_ fileSystem: any FileSystem, hasShortFrames: Bool) throws -> Log {
    var configuration = TestLog.configuration
    configuration.segmentByteCountMaximum = 1 << 20
    configuration.segmentByteCountMinimum = 1 << 20
    configuration.hasShortFrames = hasShortFrames
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  @Test("Commits of 255 records and of 256 come back, with the headers that they can have")
  func bothForms() throws {
    let fileSystem = InMemoryFileSystem()
    do {
      let log = try Self.open(fileSystem, hasShortFrames: true)
      try TestLog.put(0..<255, log)
      try TestLog.put(255..<511, log)
      try TestLog.put(511..<512, log)
    }
    #expect(try Self.forms(fileSystem, 1) == [.short, .long, .short])
    let log = try Self.open(fileSystem, hasShortFrames: true)
    #expect(try TestLog.contents(log) == TestLog.expected(0..<512))
  }

  @Test(
    "A tail keeps its headers when it is copied, and later commits have short ones",
    arguments: [true, false])
  func copiedTails(beganShort: Bool) throws {
    let fileSystem = InMemoryFileSystem()
    do {
      let log = try Self.open(fileSystem, hasShortFrames: beganShort)
      for number in 0..<4 { try TestLog.put([number], log) }
    }
    do {
      let log = try Self.open(fileSystem, hasShortFrames: true)
      for number in 4..<6 { try TestLog.put([number], log) }
    }
    let before = [FrameHeader.Form](repeating: beganShort ? .short : .long, count: 4)
    #expect(try Self.forms(fileSystem, 2) == before + [.short, .short])
    let log = try Self.open(fileSystem, hasShortFrames: true)
    #expect(try TestLog.contents(log) == TestLog.expected(0..<6))
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("P8: any changed byte before the last of ten durable commits is corruption")
  func rotIsNoTornEnd() throws {
    let pristine = try RecoveryTests.unclosedStore(10, durability: .full)
    #expect(try Self.forms(pristine, 1) == [FrameHeader.Form](repeating: .short, count: 10))
    let log = try TestLog.open(pristine, access: .readOnly)
    let size = try log.statistics().byteCount
    let last = size - (size - UInt64(SegmentHeader.byteCount)) / 10
    for offset in UInt64(SegmentHeader.byteCount)..<last {
      let fileSystem = try RecoveryTests.unclosedStore(10, durability: .full)
      let file = try RecoveryTests.active(fileSystem)
      var byte: [UInt8] = [0]
      _ = try byte.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
      byte[0] ^= 0x41
      try byte.withUnsafeBytes { try file.write([$0], at: offset) }
      do throws(LogError) {
        _ = try TestLog.open(fileSystem)
        Issue.record("offset \(offset)")
      } catch { if case .corruption = error { continue } else { throw error } }
    }
  }

  @Test("Salvage finds small commits by themselves where manifest, header and first frame are lost")
  func salvage() throws {
    let fileSystem = InMemoryFileSystem()
    do {
      let log = try Self.open(fileSystem, hasShortFrames: true)
      try TestLog.put([0], log)
      try log.sealActiveSegment()
      for number in 1..<10 { try TestLog.put([number], log) }
    }
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    try directory.remove(StoreDirectory.manifest)
    let file = try directory.open(StoreDirectory.segment(SegmentIdentifier(2)), .readWrite)
    try [UInt8](repeating: 0xA5, count: SegmentHeader.byteCount + 60).withUnsafeBytes {
      try file.write([$0], at: 0)
    }
    _ = try LogSalvage.salvage("/store", to: "/out", fileSystem: fileSystem)
    let log = try Log.open(at: "/out", fileSystem: fileSystem)
    #expect(try TestLog.contents(log) == TestLog.expected([0] + Array(2..<10)))
  }
}
