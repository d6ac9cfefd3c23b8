internal import BinaryCoding

/// The bytes before the records of one commit: 48, or 20 in the short form that small commits have
/// (``ShortFrameHeader`` has its layout). All integers are little-endian. The long form:
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
  var form = Form.long
  var length: UInt32
  var firstSequence: CommitSequence
  var recordCount: UInt32
  var flags: Flags
  var durableSequence: CommitSequence
  /// In the short form, the low half of it.
  var previousHash: UInt64
  /// In the short form 0: the records' own checksums tell whether the body is right.
  var bodyChecksum: UInt64

  /// How many bytes the header has, and what they tell.
  enum Form: Equatable {
    case long
    case short

    var byteCount: Int { self == .long ? FrameHeader.longByteCount : ShortFrameHeader.byteCount }
  }

  struct Flags: OptionSet, Equatable {
    let rawValue: UInt32
    static let lastOfCommit = Flags(rawValue: 1)
    static let explicitSequences = Flags(rawValue: 2)
    static let footer = Flags(rawValue: 4)
    static let known: Flags = [.lastOfCommit, .explicitSequences, .footer]
  }

  static let longByteCount = 48
  static let alignment = 8

  /// The length rounded up to the next frame's start.
  var paddedLength: UInt64 { Self.padded(UInt64(length)) }
  var bodyByteCount: Int { Int(length) - form.byteCount }

  static func padded(_ length: UInt64) -> UInt64 {
    (length + UInt64(alignment - 1)) & ~UInt64(alignment - 1)
  }

  /// Whether this names `hash` as that of the frame before it.
  func follows(_ hash: UInt64) -> Bool {
    switch form {
    case .long: previousHash == hash
    case .short: previousHash == UInt64(UInt32(truncatingIfNeeded: hash))
    }
  }

  /// Writes the header with its checksum to `target`, which has room for its form's bytes.
  func encode(to target: UnsafeMutableRawPointer, salt: UInt64, offset: UInt64) {
    if form == .short {
      return ShortFrameHeader.encode(self, to: target, salt: salt, offset: offset)
    }
    target.storeBytes(of: length.littleEndian, as: UInt32.self)
    target.storeBytes(of: firstSequence.rawValue.littleEndian, toByteOffset: 8, as: UInt64.self)
    target.storeBytes(of: recordCount.littleEndian, toByteOffset: 16, as: UInt32.self)
    target.storeBytes(of: flags.rawValue.littleEndian, toByteOffset: 20, as: UInt32.self)
    target.storeBytes(of: durableSequence.rawValue.littleEndian, toByteOffset: 24, as: UInt64.self)
    target.storeBytes(of: previousHash.littleEndian, toByteOffset: 32, as: UInt64.self)
    target.storeBytes(of: bodyChecksum.littleEndian, toByteOffset: 40, as: UInt64.self)
    let checksum = Self.checksum(
      UnsafeRawPointer(target), .long, salt: salt, offset: offset)
    target.storeBytes(of: checksum.littleEndian, toByteOffset: 4, as: UInt32.self)
  }

  /// The header in `bytes`, or nothing when its checksum or a rule of its fields does not hold.
  init?(decoding bytes: UnsafeRawBufferPointer, salt: UInt64, offset: UInt64) {
    if let short = ShortFrameHeader.decode(unverified: bytes),
      Self.verifies(bytes, .short, salt: salt, offset: offset)
    {
      self = short
      return
    }
    self.init(unverifiedLong: bytes)
    guard Self.verifies(bytes, .long, salt: salt, offset: offset) else { return nil }
  }

  private static func verifies(
    _ bytes: UnsafeRawBufferPointer, _ form: Form, salt: UInt64, offset: UInt64
  ) -> Bool {
    guard bytes.count >= form.byteCount, let base = bytes.baseAddress else { return false }
    let stored = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    return stored == checksum(base, form, salt: salt, offset: offset)
  }

  /// The header in `bytes` where the salt that its checksum needs is lost: whoever reads it must
  /// believe nothing of it until a record verifies under it.
  init?(unverified bytes: UnsafeRawBufferPointer) {
    if let short = ShortFrameHeader.decode(unverified: bytes) {
      self = short
    } else {
      self.init(unverifiedLong: bytes)
    }
  }

  private init?(unverifiedLong bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.longByteCount, let base = bytes.baseAddress else { return nil }
    let length = UInt32(littleEndian: base.loadUnaligned(as: UInt32.self))
    guard length >= UInt32(Self.longByteCount) else { return nil }
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
    _ form: Form = .long, length: UInt32, firstSequence: CommitSequence, recordCount: UInt32,
    flags: Flags, durableSequence: CommitSequence, previousHash: UInt64, bodyChecksum: UInt64
  ) {
    self.form = form
    self.length = length
    self.firstSequence = firstSequence
    self.recordCount = recordCount
    self.flags = flags
    self.durableSequence = durableSequence
    self.previousHash = previousHash
    self.bodyChecksum = bodyChecksum
  }

  /// The chain hash of a segment's header.
  static func chainHash(ofSegment header: UnsafeRawBufferPointer, salt: UInt64) -> UInt64 {
    Checksum.xxh64(header, seed: salt)
  }

  /// The hash that the next frame, or the next segment's header, must name; `head` are the bytes of
  /// this header. Headers of the long form cover their bodies, short ones do not.
  func chainHash(
    _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, salt: UInt64
  ) -> UInt64 {
    let hash = Checksum.xxh64(UnsafeRawBufferPointer(rebasing: head[..<form.byteCount]), seed: salt)
    return form == .long ? hash : Checksum.xxh64(body, seed: hash)
  }

  /// The checksum of a header at `offset`: of all its bytes but its own four.
  static func checksum(
    _ header: UnsafeRawPointer, _ form: Form, salt: UInt64, offset: UInt64
  ) -> UInt32 {
    let place = Checksum.crc32c(
      of: offset, continuing: Checksum.crc32c(of: salt, continuing: 0))
    let length = Checksum.crc32c(UnsafeRawBufferPointer(start: header, count: 4), continuing: place)
    return Checksum.crc32c(
      UnsafeRawBufferPointer(start: header + 8, count: form.byteCount - 8), continuing: length)
  }
}
