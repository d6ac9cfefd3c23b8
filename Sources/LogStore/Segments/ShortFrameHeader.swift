internal import BinaryCoding

/// The 20 bytes before a small commit, where a ``FrameHeader`` of 48 would be half of its record.
///
///     offset  size  field
///          0     2  length             bytes of header and body, without padding
///          2     1  record count       1 to 255
///          3     1  128                no long header has it here: its length would be 2 GiB
///          4     4  checksum           CRC-32C of salt, offset in the file, and the other 16 bytes
///          8     8  sequences          low 44 bits the first sequence; high 20 bits how far the
///                                      durable sequence lies below the one before the first
///         16     4  previous hash      low half of the chain hash of the frame before
///
/// What it leaves out is told by what is left: the frame ends its commit, and its body is right
/// when its records are. It verifies alone like a long one, and says like that how far the records
/// before it were durable.
enum ShortFrameHeader {
  static let byteCount = 20
  private static let marker: UInt8 = 0x80
  private static let sequenceBitCount: UInt64 = 44
  private static let sequenceMask: UInt64 = (1 << sequenceBitCount) - 1
  private static let distanceMaximum: UInt64 = (1 << (64 - sequenceBitCount)) - 1

  /// Whether a commit of `bodyByteCount` can have a short header.
  static func fits(
    bodyByteCount: Int, recordCount: Int, firstSequence: CommitSequence,
    durableSequence: CommitSequence
  ) -> Bool {
    bodyByteCount + byteCount <= Int(UInt16.max) && recordCount > 0
      && recordCount <= Int(UInt8.max) && firstSequence.rawValue <= sequenceMask
      && distance(from: firstSequence, to: durableSequence) <= distanceMaximum
  }

  /// How far the durable sequence lies below the one before the first; 0 when it is above that, as
  /// in the copy of a tail.
  private static func distance(
    from firstSequence: CommitSequence, to durableSequence: CommitSequence
  ) -> UInt64 {
    let before = firstSequence.rawValue - 1
    return before - min(before, durableSequence.rawValue)
  }

  static func encode(
    _ header: FrameHeader, to target: UnsafeMutableRawPointer, salt: UInt64, offset: UInt64
  ) {
    precondition(
      fits(
        bodyByteCount: header.bodyByteCount, recordCount: Int(header.recordCount),
        firstSequence: header.firstSequence, durableSequence: header.durableSequence),
      "a short header must have room for its fields")
    let distance = distance(from: header.firstSequence, to: header.durableSequence)
    let sequences = header.firstSequence.rawValue | distance << sequenceBitCount
    target.storeBytes(of: UInt16(header.length).littleEndian, as: UInt16.self)
    target.storeBytes(of: UInt8(header.recordCount), toByteOffset: 2, as: UInt8.self)
    target.storeBytes(of: marker, toByteOffset: 3, as: UInt8.self)
    target.storeBytes(of: sequences.littleEndian, toByteOffset: 8, as: UInt64.self)
    target.storeBytes(
      of: UInt32(truncatingIfNeeded: header.previousHash).littleEndian, toByteOffset: 16,
      as: UInt32.self)
    let checksum = FrameHeader.checksum(
      UnsafeRawPointer(target), .short, salt: salt, offset: offset)
    target.storeBytes(of: checksum.littleEndian, toByteOffset: 4, as: UInt32.self)
  }

  /// The header in `bytes`, or nothing when they are none; its checksum is not looked at.
  static func decode(unverified bytes: UnsafeRawBufferPointer) -> FrameHeader? {
    guard bytes.count >= byteCount, bytes[3] == marker else { return nil }
    let length = UInt16(littleEndian: bytes.loadUnaligned(as: UInt16.self))
    let sequences = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    let firstSequence = sequences & sequenceMask
    let distance = sequences >> sequenceBitCount
    guard length >= UInt16(byteCount), bytes[2] > 0, distance < firstSequence else { return nil }
    return FrameHeader(
      .short, length: UInt32(length), firstSequence: CommitSequence(firstSequence),
      recordCount: UInt32(bytes[2]), flags: [.lastOfCommit],
      durableSequence: CommitSequence(firstSequence - 1 - distance),
      previousHash: UInt64(
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self))),
      bodyChecksum: 0)
  }
}
