internal import BinaryCoding

/// Finds the keys of a merged run by their hash: filter and index in one, for one cache miss.
///
/// A closed hash table in parts of 4096 bytes, each a table of its own: 63 lines of 64 bytes, then
/// a line with the part's checksum. A key's hash names its part and the line in it where the search
/// begins; a line that is full sends on to the next one of its part. A fingerprint of 16 bits keeps
/// all but one in some thousand absent keys from costing more than the line.
///
///     line    offset  size    field
///                  0  10 × 2  fingerprints
///                 20  10 × 4  places        of the keys' fields, from the start of the pages
///                 60       1  count
///                 61       1  full          1 when keys of this line lie in later ones
///                 62       2  zero
///     part         0 4032     63 lines
///               4032   60     zero
///               4092    4     checksum      CRC-32C of salt, place of the part, and what is before
enum RunLocator {
  static let partByteCount = RunFormat.unit
  static let lineByteCount = 64
  static let lineCount = 63
  static let lineCapacity = 10
  static let placesOffset = 20
  static let countOffset = 60
  static let fullOffset = 61
  static let checksumOffset = partByteCount - 4

  /// Keys for which a part is meant: three quarters of the 630 it has room for, so that next to
  /// none is ever full.
  static let partKeyCount = 472

  /// Keys that a part has room for.
  static let partKeyCountMaximum = lineCount * lineCapacity

  /// How many parts `keyCount` keys take.
  static func partCount(forKeys keyCount: Int) -> Int {
    max(1, (keyCount + partKeyCount - 1) / partKeyCount)
  }

  /// The part for `hash`: the high bits of hash × count, which use other bits than what follows.
  static func part(of hash: UInt64, partCount: Int) -> Int {
    Int(hash.multipliedFullWidth(by: UInt64(partCount)).high)
  }

  static func line(of hash: UInt64) -> Int {
    Int((((hash >> 16) & 0xFFFF) * UInt64(lineCount)) >> 16)
  }

  static func fingerprint(of hash: UInt64) -> UInt16 { UInt16(truncatingIfNeeded: hash) }

  static func checksum(_ part: UnsafeRawBufferPointer, salt: UInt64, place: UInt64) -> UInt32 {
    let bound = Checksum.crc32c(of: place, continuing: Checksum.crc32c(of: salt, continuing: 0))
    return Checksum.crc32c(
      UnsafeRawBufferPointer(rebasing: part[..<checksumOffset]), continuing: bound)
  }

  /// Whether a part carries the right checksum.
  static func isIntact(_ part: UnsafeRawBufferPointer, salt: UInt64, place: UInt64) -> Bool {
    UInt32(
      littleEndian: part.loadUnaligned(fromByteOffset: checksumOffset, as: UInt32.self))
      == checksum(part, salt: salt, place: place)
  }

  /// Walks the places in a part where the key of a hash may lie; at most one line is the rule.
  struct Search {
    private let fingerprint: UInt16
    private var line: Int
    /// A bit for each slot of the line that is left and has the fingerprint.
    private var matches: UInt32 = 0
    private var isBegun = false
    private var linesLeft = RunLocator.lineCount

    init(_ hash: UInt64) {
      fingerprint = RunLocator.fingerprint(of: hash)
      line = RunLocator.line(of: hash)
    }

    /// The next candidate, or nothing: then the key is not in the run.
    mutating func next(in part: UnsafeRawBufferPointer) -> Int? {
      if !isBegun {
        isBegun = true
        matches = slots(in: part)
      }
      while matches == 0 {
        linesLeft -= 1
        let full = part[line * RunLocator.lineByteCount + RunLocator.fullOffset]
        guard full != 0, linesLeft > 0 else { return nil }
        line = line + 1 == RunLocator.lineCount ? 0 : line + 1
        matches = slots(in: part)
      }
      let slot = matches.trailingZeroBitCount
      matches &= matches - 1
      let place = part.loadUnaligned(
        fromByteOffset: line * RunLocator.lineByteCount + RunLocator.placesOffset + 4 * slot,
        as: UInt32.self)
      return Int(UInt32(littleEndian: place))
    }

    /// All slots are compared, without a branch: a wrong guess costs more.
    private func slots(in part: UnsafeRawBufferPointer) -> UInt32 {
      let start = line * RunLocator.lineByteCount
      var matches: UInt32 = 0
      for slot in 0..<RunLocator.lineCapacity {
        let stored = part.loadUnaligned(fromByteOffset: start + 2 * slot, as: UInt16.self)
        matches |= (UInt16(littleEndian: stored) == fingerprint ? 1 : 0) << UInt32(slot)
      }
      let count = min(UInt32(part[start + RunLocator.countOffset]), UInt32(lineCapacity))
      return matches & ((1 << count) - 1)
    }
  }
}
