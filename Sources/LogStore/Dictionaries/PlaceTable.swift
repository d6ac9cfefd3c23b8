/// Places of a dictionary by a hash of what stands there: the last four of each slot, with two
/// bytes of their hashes beside each other, so that one comparison passes over all four when none
/// is equal. Immutable.
final class PlaceTable: Sendable {
  /// How many bytes are hashed.
  enum HashedBytes: UInt64 {
    case five = 5
    case eight = 8
  }

  /// What the table holds, valid as long as the table: threads that share it need not count
  /// references to it.
  struct Lent: @unchecked Sendable {
    // Sendable: nothing changes once the table is made.

    /// For each slot the four tags, then the four places, the newest lowest.
    fileprivate let words: UnsafeMutablePointer<UInt64>
    fileprivate let slotCountLog2: UInt64
  }

  let lent: Lent

  private static let slotCountLog2Maximum = 13

  /// The places of `bytes`: 8 of them or more, and 64 KiB at most.
  init(of bytes: UnsafeRawBufferPointer, hashing hashed: HashedBytes) {
    let log2 = Int.bitWidth - (bytes.count / 4).leadingZeroBitCount
    let slotCountLog2 = min(max(log2, 4), Self.slotCountLog2Maximum)
    lent = Lent(
      words: .allocate(capacity: 2 << slotCountLog2), slotCountLog2: UInt64(slotCountLog2))
    lent.words.initialize(repeating: 0, count: 2 << slotCountLog2)
    guard let base = bytes.baseAddress else { return }
    for place in 0...(bytes.count - 8) {
      let hash = Self.hash(base + place, hashed)
      let slot = lent.slot(hash)
      slot[0] = slot[0] << 16 | UInt64(Lent.tag(hash))
      slot[1] = slot[1] << 16 | UInt64(place)
    }
  }

  deinit { lent.words.deallocate() }

  /// A hash of the first bytes at `bytes`, of which eight may be read.
  @inline(__always)
  static func hash(_ bytes: UnsafeRawPointer, _ hashed: HashedBytes) -> UInt64 {
    let word = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    return (word << (64 - 8 * hashed.rawValue)) &* 0x9E37_79B1_85EB_CA87
  }
}

extension PlaceTable.Lent {
  @inline(__always)
  fileprivate func slot(_ hash: UInt64) -> UnsafeMutablePointer<UInt64> {
    words + 2 * Int(hash >> (64 - slotCountLog2))
  }

  /// Bits of the hash that do not name the slot; never those of an empty place.
  @inline(__always)
  fileprivate static func tag(_ hash: UInt64) -> UInt16 {
    UInt16(truncatingIfNeeded: hash >> 30) | 1
  }

  /// The places that may hold what has this hash; now and then one more.
  @inline(__always)
  func candidates(_ hash: UInt64) -> Candidates {
    let slot = slot(hash)
    let ones: UInt64 = 0x0001_0001_0001_0001
    let differences = slot[0] ^ (UInt64(Self.tag(hash)) &* ones)
    // The highest bit of each difference that is zero; a borrow may set it in the next one, too.
    let matches = (differences &- ones) & ~differences & (ones << 15)
    return Candidates(places: slot[1], matches: matches)
  }

  struct Candidates {
    fileprivate let places: UInt64
    fileprivate var matches: UInt64

    @inline(__always)
    mutating func next() -> Int? {
      if matches == 0 { return nil }
      let shift = UInt64(matches.trailingZeroBitCount & ~15)
      matches &= matches - 1
      return Int(UInt16(truncatingIfNeeded: places >> shift))
    }
  }
}
