/// Reads variable-length integers of up to five bytes without looking where the bytes end.
///
/// How long each is, is guessed, not computed, by a processor that has seen numbers like these
/// before; so several are read at a time.
struct ShortNumbers {
  static let byteCountMaximum = 5
  /// Where the next one begins.
  private(set) var place: UnsafeRawPointer
  /// Whether a number was longer; what was read then means nothing.
  private(set) var areLong = false

  init(_ start: UnsafeRawPointer) { place = start }

  @inline(__always)
  mutating func next() -> UInt64 {
    var value: UInt64 = 0
    for position in 0..<Self.byteCountMaximum {
      let byte = UInt64(place.load(fromByteOffset: position, as: UInt8.self))
      value |= (byte & 0x7F) << UInt64(7 * position)
      if byte < 0x80 {
        place += position + 1
        return value
      }
    }
    place += Self.byteCountMaximum
    areLong = true
    return 0
  }
}
