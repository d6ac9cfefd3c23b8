/// Finds the longest matches of a payload in a dictionary, and writes LZ4's block format with them.
///
/// LZ4's own compressor is fast: it looks at one place of the dictionary for each position, and
/// knows a third of them. This one looks at many, and chooses the matches that make the block
/// smallest. It takes some four times as long and gives blocks a fifth smaller, which is worth it
/// where records are written to stay. Any LZ4 decompresses them. Equal payloads give equal bytes,
/// whatever version of LZ4 is there. Safe on any thread.
final class DictionaryMatcher: Sendable {
  /// Payloads up to here; their positions fit the tables of ``DictionaryMatching``.
  static let payloadByteCountMaximum = 4 << 10

  nonisolated(unsafe) let dictionary: UnsafeRawPointer
  let dictionaryByteCount: Int
  /// The last position of each slot of a hash table, and before each position the one before it
  /// with the same hash.
  nonisolated(unsafe) private let heads: UnsafeMutablePointer<UInt16>
  nonisolated(unsafe) private let previous: UnsafeMutablePointer<UInt16>

  private static let slotCountLog2: UInt64 = 14
  /// No position.
  static let none = UInt16.max
  static let matchByteCountMinimum = 4
  /// Places of the dictionary that are looked at for one position.
  private static let tryCountMaximum = 8

  /// `bytes` must stay where they are as long as the matcher.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, bytes.count >= 8 else { return nil }
    dictionary = base
    dictionaryByteCount = bytes.count
    heads = .allocate(capacity: 1 << Int(Self.slotCountLog2))
    heads.initialize(repeating: Self.none, count: 1 << Int(Self.slotCountLog2))
    previous = .allocate(capacity: bytes.count)
    previous.initialize(repeating: Self.none, count: bytes.count)
    // The last position of 64 KiB would be taken for none.
    for position in 0...min(bytes.count - 8, Int(Self.none) - 1) {
      let slot = Self.slot(base + position, Self.slotCountLog2)
      previous[position] = heads[slot]
      heads[slot] = UInt16(position)
    }
  }

  deinit {
    heads.deallocate()
    previous.deallocate()
  }

  @inline(__always)
  static func word(_ bytes: UnsafeRawPointer, _ position: Int) -> UInt32 {
    bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)
  }

  /// The slot of the five bytes at `bytes`, of which eight may be read.
  @inline(__always)
  static func slot(_ bytes: UnsafeRawPointer, _ slotCountLog2: UInt64) -> Int {
    let word = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    return Int(((word << 24) &* 0x9E37_79B1_85EB_CA87) >> (64 - slotCountLog2))
  }

  /// How far two places hold the same bytes, up to `limit`.
  @inline(__always)
  static func sharedByteCount(
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

  /// The longest match of what stands at `source` in the dictionary: its position and length, or a
  /// length below four.
  @inline(__always)
  func longest(_ source: UnsafeRawPointer, limit: Int) -> (position: Int, length: Int) {
    let word = Self.word(source, 0)
    var best = (position: 0, length: Self.matchByteCountMinimum - 1)
    var candidate = heads[Self.slot(source, Self.slotCountLog2)]
    var tries = 0
    while candidate != Self.none, tries < Self.tryCountMaximum {
      let position = Int(candidate)
      let available = min(limit, dictionaryByteCount - position)
      if available > best.length, Self.word(dictionary, position) == word,
        dictionary.load(fromByteOffset: position + best.length, as: UInt8.self)
          == source.load(fromByteOffset: best.length, as: UInt8.self)
      {
        let length = Self.sharedByteCount(source, dictionary + position, limit: available)
        if length > best.length { best = (position, length) }
        if length == limit { break }
      }
      candidate = previous[position]
      tries += 1
    }
    return best
  }
}
