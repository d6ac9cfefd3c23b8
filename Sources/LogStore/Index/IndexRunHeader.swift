internal import BinaryCoding

/// The first 96 bytes of an index run. All integers are little-endian.
///
/// Those of a merged run are followed by zeros up to 4096.
///
///     offset  size  field
///          0     8  magic                "LOGSTRUN"
///          8     2  format version       of the run: see RunFormat
///         10     2  zero
///         12     4  page count
///         16     8  key count
///         24     8  tombstone count
///         32     8  minimum sequence
///         40     8  maximum sequence
///         48     8  pages' byte count    they follow this header
///         56     8  directory byte count
///         64     8  filter byte count    a multiple of 64; of a merged run: the locator's, of 4096
///         72     4  directory checksum   CRC-32C
///         76     4  filter checksum      CRC-32C; 0 in a merged run
///         80    12  zero
///         92     4  checksum             CRC-32C of salt and the 92 bytes before
///
/// The pages follow the header. In a footer the directory and the filter follow them, in a merged
/// run the locator and the directory.
struct IndexRunHeader: Equatable {
  var format: RunFormat
  var pageCount: UInt32
  var keyCount: UInt64
  var tombstoneCount: UInt64
  var minimumSequence: CommitSequence
  var maximumSequence: CommitSequence
  var pagesByteCount: UInt64
  var directoryByteCount: UInt64
  var filterByteCount: UInt64
  var directoryChecksum: UInt32
  var filterChecksum: UInt32

  static let byteCount = 96
  static let magic: UInt64 = 0x4E55_5254_5347_4F4C  // "LOGSTRUN"
  private static let checksumOffset = byteCount - 4

  /// The size of the whole run, or nothing when the parts do not add up.
  var runByteCount: UInt64? {
    var sum = UInt64(format.headerByteCount)
    for part in [pagesByteCount, directoryByteCount, filterByteCount] {
      let (total, overflow) = sum.addingReportingOverflow(part)
      if overflow { return nil }
      sum = total
    }
    return sum
  }

  /// Whether a writer can have made a run with parts of these sizes: what is read or allocated for
  /// them is then bounded by what lies in its file, or by little.
  ///
  /// Pages of a merged run take whole units and lie within what their places can say. Its directory
  /// may be of any size that they allow: it was not ended at a certain one from the beginning.
  var isPossible: Bool {
    guard filterByteCount > 0 else { return false }
    if !format.isMerged { return filterByteCount % UInt64(RunFilter.lineByteCount) == 0 }
    let unit = UInt64(RunFormat.unit)
    let line = UInt64(RunDirectory.stride + LogLimits.keyByteCount)
    return filterByteCount % UInt64(RunLocator.partByteCount) == 0
      && pagesByteCount % unit == 0 && pagesByteCount <= UInt64(UInt32.max)
      && UInt64(pageCount) <= pagesByteCount / unit
      && directoryByteCount <= (UInt64(pageCount) + 1) * line
  }

  func encode(to writer: inout ByteWriter, salt: UInt64) {
    let start = writer.count
    writer.writeInteger(Self.magic)
    writer.writeInteger(format.rawValue)
    writer.writeZeros(2)
    writer.writeInteger(pageCount)
    writer.writeInteger(keyCount)
    writer.writeInteger(tombstoneCount)
    writer.writeInteger(minimumSequence.rawValue)
    writer.writeInteger(maximumSequence.rawValue)
    writer.writeInteger(pagesByteCount)
    writer.writeInteger(directoryByteCount)
    writer.writeInteger(filterByteCount)
    writer.writeInteger(directoryChecksum)
    writer.writeInteger(filterChecksum)
    writer.writeZeros(12)
    precondition(
      writer.count - start == Self.checksumOffset, "the header's fields must fill their places")
    writer.writeInteger(
      Self.checksum(UnsafeRawBufferPointer(rebasing: writer.bytes[start...]), salt: salt))
    writer.writeZeros(format.headerByteCount - Self.byteCount)
  }

  init(decoding bytes: UnsafeRawBufferPointer, salt: UInt64) throws(BinaryDecodingError) {
    var reader = ByteReader(bytes)
    guard try reader.readInteger(UInt64.self) == Self.magic else {
      throw .invalidValue(offset: 0, reason: "it does not start as an index run")
    }
    guard let format = RunFormat(rawValue: try reader.readInteger()) else {
      throw .invalidValue(offset: 8, reason: "unknown version of the index run")
    }
    self.format = format
    _ = try reader.readInteger(UInt16.self)
    pageCount = try reader.readInteger()
    keyCount = try reader.readInteger()
    tombstoneCount = try reader.readInteger()
    minimumSequence = CommitSequence(try reader.readInteger(UInt64.self))
    maximumSequence = CommitSequence(try reader.readInteger(UInt64.self))
    pagesByteCount = try reader.readInteger()
    directoryByteCount = try reader.readInteger()
    filterByteCount = try reader.readInteger()
    directoryChecksum = try reader.readInteger()
    filterChecksum = try reader.readInteger()
    _ = try reader.readBytes(12)
    let stored = try reader.readInteger(UInt32.self)
    let covered = UnsafeRawBufferPointer(rebasing: bytes[..<Self.checksumOffset])
    guard stored == Self.checksum(covered, salt: salt) else {
      throw .invalidValue(offset: Self.checksumOffset, reason: "the checksum does not match")
    }
  }

  init(
    format: RunFormat = .footer, pageCount: UInt32, keyCount: UInt64, tombstoneCount: UInt64,
    minimumSequence: CommitSequence, maximumSequence: CommitSequence, pagesByteCount: UInt64,
    directoryByteCount: UInt64, filterByteCount: UInt64, directoryChecksum: UInt32,
    filterChecksum: UInt32
  ) {
    self.format = format
    self.pageCount = pageCount
    self.keyCount = keyCount
    self.tombstoneCount = tombstoneCount
    self.minimumSequence = minimumSequence
    self.maximumSequence = maximumSequence
    self.pagesByteCount = pagesByteCount
    self.directoryByteCount = directoryByteCount
    self.filterByteCount = filterByteCount
    self.directoryChecksum = directoryChecksum
    self.filterChecksum = filterChecksum
  }

  private static func checksum(_ bytes: UnsafeRawBufferPointer, salt: UInt64) -> UInt32 {
    Checksum.crc32c(bytes, continuing: Checksum.crc32c(of: salt, continuing: 0))
  }
}
