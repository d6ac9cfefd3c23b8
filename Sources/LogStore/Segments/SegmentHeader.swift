internal import BinaryCoding
internal import FileIO

/// The first 128 bytes of a segment. All integers are little-endian.
///
///     offset  size  field
///          0     8  magic              "LOGSTSEG"
///          8     2  format version
///         10     2  reader minimum     oldest format version whose reader understands the file
///         12     4  compatible flags   a reader may ignore unknown ones; 1: compaction wrote the
///                                      records quickly, and could make them smaller
///         16     4  read-only flags    with an unknown one the store may only be read
///         20     4  incompatible flags with an unknown one the file must not be read; 1: records
///                                      may need dictionaries; 2: frames may have short headers
///         24    16  store identifier
///         40     4  segment identifier
///         44     1  stream             1 user, 2 compaction
///         45     3  zero
///         48     8  salt               random; bound into every frame's checksum
///         56     4  predecessor        identifier of the preceding user segment, or 0
///         60     4  zero
///         64     8  predecessor hash   closing chain hash of the predecessor, or 0
///         72     8  first sequence     no record of the segment is older than this
///         80    16  schema fingerprint zero when unknown
///         96     4  encryption key     reserved, zero
///        100    24  zero
///        124     4  checksum           CRC-32C of the 124 bytes before
struct SegmentHeader: Equatable {
  var formatVersion = FormatVersion.withPackedIndexes
  var readerMinimum = FormatVersion.first
  var compatibleFlags: UInt32 = 0
  var incompatibleFlags: UInt32 = 0
  var readOnlyFlags: UInt32 = 0
  var store: StoreIdentifier
  var segment: SegmentIdentifier
  var stream: SegmentStream
  var salt: UInt64
  var predecessor: UInt32
  var predecessorHash: UInt64
  var firstSequence: CommitSequence

  static let byteCount = 128
  /// The compatible flag of a segment whose records compaction compressed as fast as can be.
  static let quickFlag: UInt32 = 1
  /// The incompatible flag of a segment whose records may need dictionaries.
  static let dictionariesFlag: UInt32 = 1
  /// The incompatible flag of a segment whose frames may have short headers.
  static let shortFramesFlag: UInt32 = 2
  static let magic: UInt64 = 0x4745_5354_5347_4F4C  // "LOGSTSEG"
  private static let checksumOffset = byteCount - 4

  /// The bytes of the header.
  func encode() -> [UInt8] {
    var writer = ByteWriter(capacity: Self.byteCount)
    writer.writeInteger(Self.magic)
    writer.writeInteger(formatVersion)
    writer.writeInteger(readerMinimum)
    writer.writeInteger(compatibleFlags)
    writer.writeInteger(readOnlyFlags)
    writer.writeInteger(incompatibleFlags)
    writer.writeInteger(store.low)
    writer.writeInteger(store.high)
    writer.writeInteger(segment.rawValue)
    writer.writeByte(stream.rawValue)
    writer.writeZeros(3)
    writer.writeInteger(salt)
    writer.writeInteger(predecessor)
    writer.writeZeros(4)
    writer.writeInteger(predecessorHash)
    writer.writeInteger(firstSequence.rawValue)
    writer.writeZeros(16 + 4 + 24)
    precondition(writer.count == Self.checksumOffset, "the header's fields must fill their places")
    writer.writeInteger(Checksum.crc32c(writer.bytes))
    return writer.array()
  }

  /// Whether the segment belongs to a large commit, which has segments of its own.
  var holdsParts: Bool { readerMinimum >= FormatVersion.withPartsOfCommits }
  /// Whether its records may need dictionaries.
  var mayNeedDictionaries: Bool { incompatibleFlags & Self.dictionariesFlag != 0 }

  /// Whether a rewrite that takes its time can make the records smaller.
  var isQuick: Bool { stream == .user || compatibleFlags & Self.quickFlag != 0 }

  /// Lets records of the segment need dictionaries.
  mutating func allowDictionaries() {
    incompatibleFlags |= Self.dictionariesFlag
  }

  /// Whether small commits may have short headers.
  var mayHaveShortFrames: Bool { incompatibleFlags & Self.shortFramesFlag != 0 }

  /// Lets small commits have short headers.
  mutating func allowShortFrames() {
    incompatibleFlags |= Self.shortFramesFlag
    formatVersion = max(formatVersion, FormatVersion.withShortFrames)
  }

  /// Whether only a newer version of the library understands the file.
  private static func isNewer(readerMinimum: UInt16, incompatibleFlags: UInt32) -> Bool {
    readerMinimum > FormatVersion.current
      || incompatibleFlags & ~(dictionariesFlag | shortFramesFlag) != 0
  }

  /// Refuses a header that a newer version wrote for newer readers only.
  func checkVersion(file: FileName) throws(LogError) {
    if Self.isNewer(readerMinimum: readerMinimum, incompatibleFlags: incompatibleFlags) {
      throw .newerFormat(
        file: file.description, found: Int(formatVersion), supported: Int(FormatVersion.current))
    }
  }

  /// Refuses to let a store be written of which this header asks for a newer writer.
  func checkWritable(file: FileName) throws(LogError) {
    try checkVersion(file: file)
    guard readOnlyFlags == 0 else { throw .newerWriter(file: file.description) }
  }

  /// Reads a header; bytes may be anything. A wrong checksum is reported before a newer version.
  static func decode(
    _ bytes: UnsafeRawBufferPointer, file: String
  ) throws(LogError) -> SegmentHeader {
    do throws(BinaryDecodingError) {
      guard bytes.count >= byteCount else {
        throw .endOfBytes(offset: 0, needed: UInt64(byteCount), available: bytes.count)
      }
      return try decodeFields(bytes, file: file)
    } catch {
      throw .corruption(
        CorruptionReport(file: file, offset: 0, reason: "segment header: \(error)"))
    }
  }

  private static func decodeFields(
    _ bytes: UnsafeRawBufferPointer, file: String
  ) throws(BinaryDecodingError) -> SegmentHeader {
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[..<byteCount]))
    let stored = UInt32(
      littleEndian: bytes.loadUnaligned(fromByteOffset: checksumOffset, as: UInt32.self))
    guard try reader.readInteger(UInt64.self) == magic else {
      throw .invalidValue(offset: 0, reason: "the file does not start as a segment")
    }
    guard
      Checksum.crc32c(UnsafeRawBufferPointer(rebasing: bytes[..<checksumOffset])) == stored
    else { throw .invalidValue(offset: checksumOffset, reason: "the checksum does not match") }
    let formatVersion = try reader.readInteger(UInt16.self)
    let readerMinimum = try reader.readInteger(UInt16.self)
    let compatibleFlags = try reader.readInteger(UInt32.self)
    let readOnlyFlags = try reader.readInteger(UInt32.self)
    let incompatibleFlags = try reader.readInteger(UInt32.self)
    // The rest may mean something else in a newer format; the caller refuses it by these fields.
    let isNewer = isNewer(readerMinimum: readerMinimum, incompatibleFlags: incompatibleFlags)
    let low = try reader.readInteger(UInt64.self)
    let high = try reader.readInteger(UInt64.self)
    let segment = SegmentIdentifier(try reader.readInteger(UInt32.self))
    let streamByte = try reader.readByte()
    guard let stream = SegmentStream(rawValue: streamByte) ?? (isNewer ? .user : nil) else {
      throw .invalidValue(offset: 44, reason: "unknown stream")
    }
    _ = try reader.readBytes(3)
    let salt = try reader.readInteger(UInt64.self)
    let predecessor = try reader.readInteger(UInt32.self)
    _ = try reader.readBytes(4)
    let predecessorHash = try reader.readInteger(UInt64.self)
    let firstSequence = CommitSequence(try reader.readInteger(UInt64.self))
    guard
      isNewer
        || (firstSequence.rawValue < LogLimits.sequence
          && (stream == .compaction || firstSequence.rawValue > 0))
    else { throw .invalidValue(offset: 72, reason: "first sequence \(firstSequence)") }
    return SegmentHeader(
      formatVersion: formatVersion, readerMinimum: readerMinimum,
      compatibleFlags: compatibleFlags, incompatibleFlags: incompatibleFlags,
      readOnlyFlags: readOnlyFlags,
      store: StoreIdentifier(low: low, high: high), segment: segment, stream: stream, salt: salt,
      predecessor: predecessor, predecessorHash: predecessorHash, firstSequence: firstSequence)
  }
}
