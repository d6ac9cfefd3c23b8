/// The suffixes of a packed page as numbers, which sort as they do as bytes.
///
/// There are such where suffixes have eight bytes at most: behind each of them so many can be read.
/// Borrowed from the page.
struct PackedSuffixes {
  private let start: UnsafeRawPointer
  private let stride: Int
  private let count: Int
  /// What of a word does not belong to the suffix.
  private let shift: UInt64
  /// The length of every key of the page.
  let keyByteCount: Int

  private static let wordByteCount = 8

  /// Those of `page`, which `packing` packs; nothing when they are too long, or the page has a
  /// single key without any.
  @inline(__always)
  init?(_ page: RunPage, _ packing: PagePacking) {
    guard (1...Self.wordByteCount).contains(packing.suffixByteCount) else { return nil }
    start = page.packedKey(at: 0, packing)
    stride = packing.stride
    count = page.count
    shift = UInt64(8 * (Self.wordByteCount - packing.suffixByteCount))
    keyByteCount = page.prefix.count + packing.suffixByteCount
  }

  /// Those of the keys that lie behind `base`; `keyByteCount` is the length of each.
  @inline(__always)
  private init(_ base: UnsafeRawPointer, _ packing: PagePacking, count: Int, keyByteCount: Int) {
    start = base
    stride = packing.stride
    self.count = count
    shift = UInt64(8 * (Self.wordByteCount - packing.suffixByteCount))
    self.keyByteCount = keyByteCount
  }

  /// What the keys around `position` of a page, of which so far only the checksum was checked, say
  /// of `key`: its value if it is there, and that it is absent if it would lie between two of them.
  ///
  /// Both are proven by the page. It is of a footer or a merged run, and packed.
  static func answer(
    _ key: IndexKey, around position: Int, inPacked page: UnsafeRawBufferPointer
  ) -> FastAnswer {
    let header = RunPage.mergedHeaderByteCount
    guard let base = page.baseAddress, let packing = PagePacking(page, at: header),
      (1...wordByteCount).contains(packing.suffixByteCount)
    else { return .unknown }
    let collection = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    let word = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: 20, as: UInt32.self))
    let count = Int(UInt16(littleEndian: base.loadUnaligned(fromByteOffset: 8, as: UInt16.self)))
    let prefixByteCount = Int(
      UInt16(littleEndian: base.loadUnaligned(fromByteOffset: 10, as: UInt16.self)))
    let prefix = base + header + PagePacking.byteCount
    let keys = prefix + prefixByteCount
    guard word & RunPage.packedFlag != 0, collection == key.collection,
      Int(key.length) == prefixByteCount + packing.suffixByteCount, position < count,
      (keys - base) + count * packing.stride + PagePacking.slackByteCount <= page.count,
      IndexKey.memoryOrder(prefix, key.bytes, prefixByteCount) == 0
    else { return .unknown }
    let suffixes = PackedSuffixes(keys, packing, count: count, keyByteCount: Int(key.length))
    let sought = suffixes.suffix(of: key)
    let found = suffixes[position]
    if found == sought {
      let sequence = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: 12, as: UInt64.self))
      let number = keys + position * packing.stride + packing.suffixByteCount
      return .found(packing.value(at: number, baseSequence: sequence))
    }
    let isAbsent =
      found < sought
      ? position + 1 < count && sought < suffixes[position + 1]
      : position > 0 && suffixes[position - 1] < sought
    return isAbsent ? .absent : .unknown
  }

  /// The suffix of the key at `position`.
  @inline(__always)
  subscript(_ position: Int) -> UInt64 {
    UInt64(bigEndian: (start + position * stride).loadUnaligned(as: UInt64.self)) &>> shift
  }

  /// What is behind the page's prefix in a key of ``keyByteCount`` bytes.
  @inline(__always)
  func suffix(of key: IndexKey) -> UInt64 { (key.lastWord &<< shift) &>> shift }

  /// The first of so many positions from `position` on whose suffix is not below `sought`; where
  /// they end if there is none.
  @inline(__always)
  func firstPosition(notBelow sought: UInt64, from position: Int, count: Int) -> Int {
    var position = position
    var left = count
    while left > 0 {
      let half = left >> 1
      if self[position + half] < sought {
        position += half + 1
        left -= half + 1
      } else {
        left = half
      }
    }
    return position
  }

  /// Where the key with this suffix is. Keys that count up lie where their distance from the first
  /// says, measured by that of the second.
  @inline(__always)
  func position(of sought: UInt64) -> Int? {
    if count > 1 {
      let step = self[1] &- self[0]
      let guess = step == 0 ? .max : (sought &- self[0]) / step
      if guess < UInt64(count), self[Int(guess)] == sought { return Int(guess) }
    }
    let position = firstPosition(notBelow: sought, from: 0, count: count)
    return position < count && self[position] == sought ? position : nil
  }
}

extension IndexKey {
  /// The last eight bytes as a number, or all where there are fewer.
  @inline(__always)
  fileprivate var lastWord: UInt64 {
    length < 8
      ? head &>> UInt64(8 * (8 - length))
      : UInt64(bigEndian: (bytes + Int(length) - 8).loadUnaligned(as: UInt64.self))
  }
}
