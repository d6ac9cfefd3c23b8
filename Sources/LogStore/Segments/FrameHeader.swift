internal import BinaryCoding

/// The 48 bytes before the records of one commit. All integers are little-endian.
///
///     offset  size  field
///          0     4  length             bytes of header and body, without padding; 0 ends the log
///          4     4  checksum           CRC-32C of salt, offset in the file, and the other 44 bytes
///          8     8  first sequence     of the commit; the smallest one in compaction output
///         16     4  record count
///         20     4  flags              1 last frame of its commit, 2 records carry their sequence,
///                                      4 the body is the segment's footer
///         24     8  durable sequence   the highest known to be synchronized when this was built
///         32     8  previous hash      chain hash of the frame before, or of the header
///         40     8  body checksum      XXH64 of the body, seeded with the salt
///
///     ┌────────┬──────────┬──────────┬───────┬───────┬─────────┬──────────┬──────┬──────┬─────┐
///     │ length │ checksum │ sequence │ count │ flags │ durable │ previous │ body │ body │ pad │
///     └────────┴──────────┴──────────┴───────┴───────┴─────────┴──────────┴──────┴──────┴─────┘
///
/// The header verifies alone, so its length can be trusted when the body is rotten. Frames start at
/// multiples of eight; the padding is zero.
struct FrameHeader: Equatable {
  var length: UInt32
  var firstSequence: CommitSequence
  var recordCount: UInt32
  var flags: Flags
  var durableSequence: CommitSequence
  var previousHash: UInt64
  var bodyChecksum: UInt64

  struct Flags: OptionSet, Equatable {
    let rawValue: UInt32
    static let lastOfCommit = Flags(rawValue: 1)
    static let explicitSequences = Flags(rawValue: 2)
    static let footer = Flags(rawValue: 4)
    static let known: Flags = [.lastOfCommit, .explicitSequences, .footer]
  }

  static let byteCount = 48
  static let alignment = 8

  /// The length rounded up to the next frame's start.
  var paddedLength: UInt64 { Self.padded(UInt64(length)) }
  var bodyByteCount: Int { Int(length) - Self.byteCount }

  static func padded(_ length: UInt64) -> UInt64 {
    (length + UInt64(alignment - 1)) & ~UInt64(alignment - 1)
  }

  /// Writes the header with its checksum to `target`, which has room for 48 bytes.
  func encode(to target: UnsafeMutableRawPointer, salt: UInt64, offset: UInt64) {
    target.storeBytes(of: length.littleEndian, as: UInt32.self)
    target.storeBytes(of: firstSequence.rawValue.littleEndian, toByteOffset: 8, as: UInt64.self)
    target.storeBytes(of: recordCount.littleEndian, toByteOffset: 16, as: UInt32.self)
    target.storeBytes(of: flags.rawValue.littleEndian, toByteOffset: 20, as: UInt32.self)
    target.storeBytes(of: durableSequence.rawValue.littleEndian, toByteOffset: 24, as: UInt64.self)
    target.storeBytes(of: previousHash.littleEndian, toByteOffset: 32, as: UInt64.self)
    target.storeBytes(of: bodyChecksum.littleEndian, toByteOffset: 40, as: UInt64.self)
    let checksum = Self.checksum(UnsafeRawPointer(target), salt: salt, offset: offset)
    target.storeBytes(of: checksum.littleEndian, toByteOffset: 4, as: UInt32.self)
  }

  /// The header in `bytes`, or nothing when its checksum or a rule of its fields does not hold.
  init?(decoding bytes: UnsafeRawBufferPointer, salt: UInt64, offset: UInt64) {
    guard bytes.count >= Self.byteCount, let base = bytes.baseAddress else { return nil }
    let length = UInt32(littleEndian: base.loadUnaligned(as: UInt32.self))
    guard length >= UInt32(Self.byteCount) else { return nil }
    let stored = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    guard stored == Self.checksum(base, salt: salt, offset: offset) else { return nil }
    self.init(unverified: bytes)
  }

  /// The header in `bytes` where the salt that its checksum needs is lost: whoever reads it must
  /// believe nothing of it until a record verifies under it.
  init?(unverified bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.byteCount, let base = bytes.baseAddress else { return nil }
    let length = UInt32(littleEndian: base.loadUnaligned(as: UInt32.self))
    guard length >= UInt32(Self.byteCount) else { return nil }
    func word(_ position: Int) -> UInt64 {
      UInt64(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }
    self.length = length
    firstSequence = CommitSequence(word(8))
    recordCount = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
    flags = Flags(
      rawValue: UInt32(littleEndian: base.loadUnaligned(fromByteOffset: 20, as: UInt32.self)))
    durableSequence = CommitSequence(word(24))
    previousHash = word(32)
    bodyChecksum = word(40)
    guard flags.isSubset(of: .known),
      !firstSequence.rawValue.addingReportingOverflow(UInt64(recordCount)).overflow
    else { return nil }
  }

  init(
    length: UInt32, firstSequence: CommitSequence, recordCount: UInt32, flags: Flags,
    durableSequence: CommitSequence, previousHash: UInt64, bodyChecksum: UInt64
  ) {
    self.length = length
    self.firstSequence = firstSequence
    self.recordCount = recordCount
    self.flags = flags
    self.durableSequence = durableSequence
    self.previousHash = previousHash
    self.bodyChecksum = bodyChecksum
  }

  /// The hash that the next frame, or the next segment's header, must name.
  static func chainHash(_ header: UnsafeRawBufferPointer, salt: UInt64) -> UInt64 {
    Checksum.xxh64(header, seed: salt)
  }

  private static func checksum(
    _ header: UnsafeRawPointer, salt: UInt64, offset: UInt64
  ) -> UInt32 {
    let place = Checksum.crc32c(
      of: offset, continuing: Checksum.crc32c(of: salt, continuing: 0))
    let length = Checksum.crc32c(UnsafeRawBufferPointer(start: header, count: 4), continuing: place)
    return Checksum.crc32c(
      UnsafeRawBufferPointer(start: header + 8, count: byteCount - 8), continuing: length)
  }
}
