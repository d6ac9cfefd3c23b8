/// Places of a dictionary by a hash of what stands there: the last four of each slot, with two
/// bytes of their hashes beside each other, which one comparison passes over when none is equal.
///
/// Its owner gives its memory back.
struct PlaceTable: @unchecked Sendable {
  // Sendable: it is not changed any more when its owner is made.
  /// For each slot the four tags, then the four places, the newest lowest.
  private let words: UnsafeMutablePointer<UInt64>
  private let slotCountLog2: UInt64

  init(slotCountLog2: UInt64) {
    self.slotCountLog2 = slotCountLog2
    words = .allocate(capacity: 2 << Int(slotCountLog2))
    words.initialize(repeating: 0, count: 2 << Int(slotCountLog2))
  }

  func deallocate() { words.deallocate() }

  /// Enters a place, in the stead of the oldest of its slot.
  func insert(_ hash: UInt64, place: UInt16) {
    let slot = slot(hash)
    slot[0] = slot[0] << 16 | UInt64(Self.tag(hash))
    slot[1] = slot[1] << 16 | UInt64(place)
  }

  @inline(__always)
  private func slot(_ hash: UInt64) -> UnsafeMutablePointer<UInt64> {
    words + 2 * Int(hash >> (64 - slotCountLog2))
  }

  /// Bits of the hash that do not name the slot; never those of an empty place.
  @inline(__always)
  private static func tag(_ hash: UInt64) -> UInt16 { UInt16(truncatingIfNeeded: hash >> 30) | 1 }

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
