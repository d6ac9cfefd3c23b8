/// The smallest and the largest value of each field among the keys of a page.
struct FieldSpread {
  var sequence: ClosedRange<UInt64>
  var ordinal: ClosedRange<UInt64>
  var offset: ClosedRange<UInt64>
  var length: ClosedRange<UInt64>
  var tag: ClosedRange<UInt64>

  /// Of one value.
  init(_ value: IndexValue) {
    sequence = value.sequence.rawValue...value.sequence.rawValue
    ordinal = UInt64(value.ordinal)...UInt64(value.ordinal)
    offset = UInt64(value.offset)...UInt64(value.offset)
    length = UInt64(value.length)...UInt64(value.length)
    tag = value.tag...value.tag
  }

  /// Of the values so far and one more.
  func with(_ value: IndexValue) -> FieldSpread {
    var next = self
    next.sequence = Self.widened(sequence, value.sequence.rawValue)
    next.ordinal = Self.widened(ordinal, UInt64(value.ordinal))
    next.offset = Self.widened(offset, UInt64(value.offset))
    next.length = Self.widened(length, UInt64(value.length))
    next.tag = Self.widened(tag, value.tag)
    return next
  }

  private static func widened(
    _ range: ClosedRange<UInt64>, _ value: UInt64
  ) -> ClosedRange<UInt64> {
    min(range.lowerBound, value)...max(range.upperBound, value)
  }

  /// The bits that tell the values of a range apart.
  static func bits(_ range: ClosedRange<UInt64>) -> UInt8 {
    UInt8(64 - (range.upperBound - range.lowerBound).leadingZeroBitCount)
  }
}

extension IndexValue {
  /// Schema version and kind in one number, as runs store them.
  var tag: UInt64 { schemaVersion << 1 | (isTombstone ? 1 : 0) }
}
