internal import BinaryCoding

/// How the keys of a packed page lie: each in the same number of bytes, a suffix and one number
/// that holds all fields in as many bits as they differ by on this page.
///
///     offset  size  field
///          0     2  suffix length    of every key
///          2     5  bits             of sequence, ordinal, offset, length, version · 2 + tombstone
///          7     1  zero
///          8     4  base ordinal     the smallest of the page, as all bases
///         12     4  base offset
///         16     4  base length
///         20     8  base version · 2 + tombstone
///
/// The number has its fields from the lowest bit up in the order above, each without its base, and
/// as many bytes as its bits need. Frame of reference is what the literature calls this (Goldstein,
/// Ramakrishnan and Shaft, "Compressing Relations and Indexes", 1998).
struct PagePacking: Equatable {
  var suffixByteCount: Int
  var sequenceBits: UInt8
  var ordinalBits: UInt8
  var offsetBits: UInt8
  var lengthBits: UInt8
  var tagBits: UInt8
  var baseOrdinal: UInt32
  var baseOffset: UInt32
  var baseLength: UInt32
  var baseTag: UInt64

  static let byteCount = 28
  /// A number is read as eight bytes, wherever it ends.
  static let slackByteCount = 8
  /// Shifts by 64 are not what they look like.
  static let bitCountMaximum = 63

  /// The packing of keys whose suffixes have `suffixByteCount` bytes; nothing when a number cannot
  /// hold the fields.
  init?(_ spread: FieldSpread, suffixByteCount: Int) {
    self.suffixByteCount = suffixByteCount
    sequenceBits = spread.sequenceBits
    ordinalBits = spread.ordinalBits
    offsetBits = spread.offsetBits
    lengthBits = spread.lengthBits
    tagBits = spread.tagBits
    baseOrdinal = UInt32(truncatingIfNeeded: spread.least.ordinal)
    baseOffset = UInt32(truncatingIfNeeded: spread.least.offset)
    baseLength = UInt32(truncatingIfNeeded: spread.least.length)
    baseTag = spread.least.tag
    guard bitCount <= Self.bitCountMaximum, suffixByteCount <= LogLimits.keyByteCount else {
      return nil
    }
  }

  /// The packing that stands in a page from `offset` on; nothing when it is none.
  @inline(__always)
  init?(_ page: UnsafeRawBufferPointer, at offset: Int) {
    guard let start = page.baseAddress, offset + Self.byteCount <= page.count else { return nil }
    let base = start + offset
    suffixByteCount = Int(UInt16(littleEndian: base.loadUnaligned(as: UInt16.self)))
    sequenceBits = base.load(fromByteOffset: 2, as: UInt8.self)
    ordinalBits = base.load(fromByteOffset: 3, as: UInt8.self)
    offsetBits = base.load(fromByteOffset: 4, as: UInt8.self)
    lengthBits = base.load(fromByteOffset: 5, as: UInt8.self)
    tagBits = base.load(fromByteOffset: 6, as: UInt8.self)
    baseOrdinal = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    baseOffset = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
    baseLength = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
    baseTag = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: 20, as: UInt64.self))
    guard bitCount <= Self.bitCountMaximum else { return nil }
  }

  func encode(to writer: inout ByteWriter) {
    writer.writeInteger(UInt16(suffixByteCount))
    for bits in [sequenceBits, ordinalBits, offsetBits, lengthBits, tagBits, 0] {
      writer.writeInteger(bits)
    }
    writer.writeInteger(baseOrdinal)
    writer.writeInteger(baseOffset)
    writer.writeInteger(baseLength)
    writer.writeInteger(baseTag)
  }

  private var bitCount: Int {
    Int(sequenceBits) + Int(ordinalBits) + Int(offsetBits) + Int(lengthBits) + Int(tagBits)
  }

  /// Whether all ordinals are 0, as they are in a footer.
  var hasNoOrdinals: Bool { baseOrdinal == 0 && ordinalBits == 0 }

  /// Bytes of the number.
  private var numberByteCount: Int { Self.numberByteCount(bitCount) }

  /// Bytes of a number of so many bits.
  @inline(__always)
  static func numberByteCount(_ bitCount: Int) -> Int { (bitCount + 7) >> 3 }

  /// Bytes from one key to the next.
  var stride: Int { suffixByteCount + numberByteCount }

  /// The fields of a value in one number.
  @inline(__always)
  func number(_ value: IndexValue, baseSequence: UInt64) -> UInt64 {
    // From the highest bit down; no shift reaches 64, as all bits together are fewer.
    var number = value.tag &- baseTag
    number = number &<< UInt64(lengthBits) | UInt64(value.length &- baseLength)
    number = number &<< UInt64(offsetBits) | UInt64(value.offset &- baseOffset)
    number = number &<< UInt64(ordinalBits) | UInt64(value.ordinal &- baseOrdinal)
    return number &<< UInt64(sequenceBits) | (value.sequence.rawValue &- baseSequence)
  }

  /// The value whose number stands at `start`, behind which eight bytes can be read.
  @inline(__always)
  func value(at start: UnsafeRawPointer, baseSequence: UInt64) -> IndexValue {
    var number = UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
    let sequence = Self.take(sequenceBits, from: &number)
    let ordinal = Self.take(ordinalBits, from: &number)
    let offset = Self.take(offsetBits, from: &number)
    let length = Self.take(lengthBits, from: &number)
    let tag = baseTag &+ Self.take(tagBits, from: &number)
    return IndexValue(
      sequence: CommitSequence(baseSequence &+ sequence), schemaVersion: tag >> 1,
      offset: baseOffset &+ UInt32(truncatingIfNeeded: offset),
      length: baseLength &+ UInt32(truncatingIfNeeded: length), isTombstone: tag & 1 == 1,
      ordinal: baseOrdinal &+ UInt32(truncatingIfNeeded: ordinal))
  }

  @inline(__always)
  private static func take(_ bits: UInt8, from number: inout UInt64) -> UInt64 {
    let field = number & ((1 &<< UInt64(bits)) &- 1)
    number = number &>> UInt64(bits)
    return field
  }
}
