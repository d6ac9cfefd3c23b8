/// Finds matches of a payload in a dictionary, and in the payload itself.
///
/// LZ4's own compressor remembers one place of the dictionary for each of 4096 slots, which is a
/// third of the places or less. This one remembers four for each of up to 8192, with two bytes of
/// their hash, so that places that do not match are passed over without being looked at; and, for
/// who has more time, again by a hash of eight bytes, so that long matches are found among many
/// short ones. What is written with its matches is LZ4's block format. Equal payloads give equal
/// bytes, whatever version of LZ4 is there. Safe on any thread.
final class DictionaryMatcher: Sendable {
  /// Payloads up to here are compressed with matches of this class; see ``DictionaryMatching``.
  static let payloadByteCountMaximum = 4 << 10

  /// What finds matches; valid as long as the matcher.
  let lent: Lent
  private let shortTable: PlaceTable
  /// Made when it is first needed.
  private let long = OnceReference<PlaceTable>()

  static let matchByteCountMinimum = 4
  /// LZ4 wants the last five bytes to be literals, and no match to begin in the last twelve.
  static let literalsAtEnd = 5
  static let matchFreeByteCount = 12

  /// A match of a payload with what lies `distance` bytes before, of less than four bytes when
  /// there is none.
  struct Match {
    var length: Int
    var distance: Int

    @inline(__always)
    static var none: Match { Match(length: matchByteCountMinimum - 1, distance: 0) }
  }

  /// `bytes` must stay where they are as long as the matcher. Memory is 128 KiB at most, and as
  /// much again where long matches are looked for.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, bytes.count >= 8,
      bytes.count <= CompressionDictionary.byteCountMaximum
    else { return nil }
    shortTable = PlaceTable(of: bytes, hashing: .five)
    lent = Lent(dictionary: base, byteCount: bytes.count, short: shortTable.lent)
  }

  /// By which matches of eight bytes and more are found.
  var longPlaces: PlaceTable.Lent {
    if let table = long.lend({ $0.lent }) { return table }
    let bytes = UnsafeRawBufferPointer(start: lent.dictionary, count: lent.byteCount)
    return long.storeIfNil(PlaceTable(of: bytes, hashing: .eight)).lent
  }

  /// How far two places hold the same bytes, up to `limit`.
  @inline(__always)
  static func sharedByteCount(
    _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, limit: Int
  ) -> Int {
    if limit >= 16 {
      // Most matches are shorter: which of two words differs first is found without a branch.
      let first = word(left, 0) ^ word(right, 0)
      let second = word(left, 8) ^ word(right, 8)
      if first | second != 0 {
        let difference = first != 0 ? first : second
        return (first != 0 ? 0 : 8) + difference.trailingZeroBitCount / 8
      }
    }
    var count = limit >= 16 ? 16 : 0
    while count + 8 <= limit {
      let difference = word(left, count) ^ word(right, count)
      if difference != 0 { return count + difference.trailingZeroBitCount / 8 }
      count += 8
    }
    while count < limit,
      left.load(fromByteOffset: count, as: UInt8.self)
        == right.load(fromByteOffset: count, as: UInt8.self)
    {
      count += 1
    }
    return count
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
