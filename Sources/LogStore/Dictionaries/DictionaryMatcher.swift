/// Finds the longest matches of a payload in a dictionary, and in the payload itself.
///
/// LZ4's own compressor remembers one place of the dictionary for each of 4096 slots, which is a
/// third of the places or less. This one remembers four for each of up to 16,384, with two bytes of
/// their hash, so that places that do not match are passed over without being looked at; and a
/// second time by a hash of eight bytes, so that long matches are found among many short ones. What
/// is written with its matches is LZ4's block format. Equal payloads give equal bytes, whatever
/// version of LZ4 is there. Safe on any thread.
final class DictionaryMatcher: Sendable {
  /// Payloads up to here are compressed with matches of this class; see ``DictionaryMatching``.
  static let payloadByteCountMaximum = 4 << 10

  let dictionaryByteCount: Int
  nonisolated(unsafe) private let dictionary: UnsafeRawPointer
  private let short: PlaceTable
  private let long: PlaceTable

  static let matchByteCountMinimum = 4
  /// LZ4 wants the last five bytes to be literals, and no match to begin in the last twelve.
  static let literalsAtEnd = 5
  static let matchFreeByteCount = 12
  /// Bytes of a payload that are hashed together.
  private static let shortByteCount: UInt64 = 5
  private static let longByteCount: UInt64 = 8

  /// A match of a payload with what lies `distance` bytes before, of less than four bytes when
  /// there is none.
  struct Match {
    var length: Int
    var distance: Int
  }

  /// `bytes` must stay where they are as long as the matcher. Memory is some six times theirs.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, bytes.count >= 8,
      bytes.count <= CompressionDictionary.byteCountMaximum
    else { return nil }
    dictionary = base
    dictionaryByteCount = bytes.count
    // About two places a byte in the first, and one in the second.
    let log2 = UInt64(Int.bitWidth - (bytes.count / 2).leadingZeroBitCount)
    short = PlaceTable(slotCountLog2: min(max(log2, 4), 14))
    long = PlaceTable(slotCountLog2: min(max(log2, 5), 14) - 1)
    for place in 0...(bytes.count - 8) {
      short.insert(Self.hash(base + place, Self.shortByteCount), place: UInt16(place))
      long.insert(Self.hash(base + place, Self.longByteCount), place: UInt16(place))
    }
  }

  deinit {
    short.deallocate()
    long.deallocate()
  }

  /// A hash of the first bytes at `bytes`, of which eight may be read.
  @inline(__always)
  private static func hash(_ bytes: UnsafeRawPointer, _ byteCount: UInt64) -> UInt64 {
    let word = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    return (word << (64 - 8 * byteCount)) &* 0x9E37_79B1_85EB_CA87
  }

  /// The longest match that is found at `position` of `payload`, which has `count` bytes, more than
  /// twelve behind it. `places` knows the positions before; this one is added.
  @inline(__always)
  func longest(
    _ payload: UnsafeRawPointer, _ count: Int, at position: Int, _ places: PayloadPlaces
  ) -> Match {
    let source = payload + position
    let limit = count - Self.literalsAtEnd - position
    var best = Match(length: Self.matchByteCountMinimum - 1, distance: 0)
    look(source, limit, in: long, Self.hash(source, Self.longByteCount), position, &best)
    let hash = Self.hash(source, Self.shortByteCount)
    if best.length < Int(Self.longByteCount) {
      look(source, limit, in: short, hash, position, &best)
    }
    if let earlier = places.replace(hash, by: position) {
      let length = Self.sharedByteCount(payload + earlier, source, limit: limit)
      if length > best.length { best = Match(length: length, distance: position - earlier) }
    }
    return best
  }

  @inline(__always)
  private func look(
    _ source: UnsafeRawPointer, _ limit: Int, in table: PlaceTable, _ hash: UInt64,
    _ position: Int, _ best: inout Match
  ) {
    var candidates = table.candidates(hash)
    while let place = candidates.next() {
      let available = min(limit, dictionaryByteCount - place)
      let length = Self.sharedByteCount(source, dictionary + place, limit: available)
      let distance = position + dictionaryByteCount - place
      if length > best.length, distance <= Int(UInt16.max) {
        best = Match(length: length, distance: distance)
      }
    }
  }

  /// How far two places hold the same bytes, up to `limit`.
  @inline(__always)
  private static func sharedByteCount(
    _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, limit: Int
  ) -> Int {
    var count = 0
    while count + 8 <= limit {
      let difference =
        left.loadUnaligned(fromByteOffset: count, as: UInt64.self)
        ^ right.loadUnaligned(fromByteOffset: count, as: UInt64.self)
      if difference != 0 {
        return count + UInt64(littleEndian: difference).trailingZeroBitCount / 8
      }
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
}
