/// The smallest and the largest value of each field among the keys of a page.
struct FieldSpread {
  private(set) var least: Fields
  private(set) var most: Fields

  /// One number for each field, in the order in which packed pages have them.
  struct Fields {
    var sequence: UInt64
    var ordinal: UInt64
    var offset: UInt64
    var length: UInt64
    var tag: UInt64

    static let zero = Fields(sequence: 0, ordinal: 0, offset: 0, length: 0, tag: 0)
  }

  /// Of one value.
  init(_ value: IndexValue) {
    least = Fields(value)
    most = least
  }

  /// Of the values so far and one more.
  @inline(__always)
  func with(_ value: IndexValue) -> FieldSpread {
    let fields = Fields(value)
    var next = self
    next.least.sequence = min(least.sequence, fields.sequence)
    next.least.ordinal = min(least.ordinal, fields.ordinal)
    next.least.offset = min(least.offset, fields.offset)
    next.least.length = min(least.length, fields.length)
    next.least.tag = min(least.tag, fields.tag)
    next.most.sequence = max(most.sequence, fields.sequence)
    next.most.ordinal = max(most.ordinal, fields.ordinal)
    next.most.offset = max(most.offset, fields.offset)
    next.most.length = max(most.length, fields.length)
    next.most.tag = max(most.tag, fields.tag)
    return next
  }

  /// Takes in one more value if each of its fields is so far at most from the least; false, and
  /// nothing changed, otherwise.
  @inline(__always)
  mutating func take(_ value: IndexValue, within distances: Fields) -> Bool {
    let fields = Fields(value)
    guard fields.sequence &- least.sequence <= distances.sequence,
      fields.offset &- least.offset <= distances.offset,
      fields.length &- least.length <= distances.length,
      fields.ordinal &- least.ordinal <= distances.ordinal,
      fields.tag &- least.tag <= distances.tag
    else { return false }
    most.sequence = max(most.sequence, fields.sequence)
    most.ordinal = max(most.ordinal, fields.ordinal)
    most.offset = max(most.offset, fields.offset)
    most.length = max(most.length, fields.length)
    most.tag = max(most.tag, fields.tag)
    return true
  }

  /// How far values may be from the least without needing more bits, and without passing the end of
  /// the numbers: one that is below the least seems to lie behind that.
  var distances: Fields {
    Fields(
      sequence: min(Self.greatest(sequenceBits), .max - least.sequence),
      ordinal: Self.greatest(ordinalBits), offset: Self.greatest(offsetBits),
      length: Self.greatest(lengthBits), tag: min(Self.greatest(tagBits), .max - least.tag))
  }

  private static func greatest(_ bits: UInt8) -> UInt64 {
    bits == 0 ? 0 : UInt64.max &>> UInt64(64 - bits)
  }

  /// What the sequences differ by at most.
  var sequenceDistance: UInt64 { most.sequence - least.sequence }

  var sequenceBits: UInt8 { Self.bits(least.sequence, most.sequence) }
  var ordinalBits: UInt8 { Self.bits(least.ordinal, most.ordinal) }
  var offsetBits: UInt8 { Self.bits(least.offset, most.offset) }
  var lengthBits: UInt8 { Self.bits(least.length, most.length) }
  var tagBits: UInt8 { Self.bits(least.tag, most.tag) }

  /// The bits of all fields together.
  @inline(__always)
  var bitCount: Int {
    Int(sequenceBits) + Int(ordinalBits) + Int(offsetBits) + Int(lengthBits) + Int(tagBits)
  }

  /// The bits that tell the values of a field apart.
  @inline(__always)
  private static func bits(_ least: UInt64, _ most: UInt64) -> UInt8 {
    UInt8(truncatingIfNeeded: 64 - (most &- least).leadingZeroBitCount)
  }
}

extension FieldSpread.Fields {
  @inline(__always)
  fileprivate init(_ value: IndexValue) {
    self.init(
      sequence: value.sequence.rawValue, ordinal: UInt64(value.ordinal),
      offset: UInt64(value.offset), length: UInt64(value.length), tag: value.tag)
  }
}

extension IndexValue {
  /// Schema version and kind in one number, as runs store them.
  @inline(__always)
  var tag: UInt64 { schemaVersion << 1 | (isTombstone ? 1 : 0) }
}
