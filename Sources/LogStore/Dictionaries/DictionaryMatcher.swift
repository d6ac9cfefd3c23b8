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

  private let dictionaryByteCount: Int
  nonisolated(unsafe) private let dictionary: UnsafeRawPointer
  private let shortTable: PlaceTable
  private let short: PlaceTable.Lent
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
    dictionary = base
    dictionaryByteCount = bytes.count
    shortTable = PlaceTable(of: bytes, hashing: .five)
    short = shortTable.lent
  }

  /// By which matches of eight bytes and more are found.
  var longPlaces: PlaceTable.Lent {
    if let table = long.lend({ $0.lent }) { return table }
    let bytes = UnsafeRawBufferPointer(start: dictionary, count: dictionaryByteCount)
    return long.storeIfNil(PlaceTable(of: bytes, hashing: .eight)).lent
  }

  /// The longest match that is found at `position` of `payload`, which has `count` bytes, more than
  /// twelve behind it. `places` knows the positions before; this one is added.
  @inline(__always)
  func match(
    _ payload: UnsafeRawPointer, _ count: Int, at position: Int, _ places: PayloadPlaces,
    long: PlaceTable.Lent?
  ) -> Match {
    let source = payload + position
    let limit = count - Self.literalsAtEnd - position
    var best = Match.none
    if let long {
      look(source, limit, in: long, PlaceTable.hash(source, .eight), position, &best)
    }
    let hash = PlaceTable.hash(source, .five)
    if best.length < 8 { look(source, limit, in: short, hash, position, &best) }
    if let earlier = places.replace(hash, by: position) {
      let length = Self.sharedByteCount(payload + earlier, source, limit: limit)
      if length > best.length { best = Match(length: length, distance: position - earlier) }
    }
    return best
  }

  /// The match at `position`, which is more than five bytes before the end, with what lies
  /// `distance` bytes before, which may be anything.
  @inline(__always)
  func match(
    _ payload: UnsafeRawPointer, _ count: Int, at position: Int, distance: Int
  ) -> Match {
    guard distance > 0, distance <= Int(UInt16.max) else { return .none }
    let limit = count - Self.literalsAtEnd - position
    let place = position - distance
    guard let earlier = bytes(at: place, of: payload) else { return .none }
    let length = Self.sharedByteCount(
      payload + position, earlier, limit: place >= 0 ? limit : min(limit, -place))
    return length < Self.matchByteCountMinimum ? .none : Match(length: length, distance: distance)
  }

  /// Whether the byte before `position`, which is not the first, is the one that lies `distance`
  /// bytes before it: then a match can begin there, too.
  @inline(__always)
  func matchesBefore(_ payload: UnsafeRawPointer, _ position: Int, distance: Int) -> Bool {
    let place = position - 1 - distance
    guard let earlier = bytes(at: place, of: payload) else { return false }
    return earlier.load(as: UInt8.self) == (payload + (position - 1)).load(as: UInt8.self)
  }

  /// What lies at a place of the payload or, below 0, of the dictionary before it; nothing before
  /// that.
  @inline(__always)
  private func bytes(at place: Int, of payload: UnsafeRawPointer) -> UnsafeRawPointer? {
    if place >= 0 { return payload + place }
    let place = place + dictionaryByteCount
    return place >= 0 ? dictionary + place : nil
  }

  @inline(__always)
  private func look(
    _ source: UnsafeRawPointer, _ limit: Int, in table: PlaceTable.Lent, _ hash: UInt64,
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
