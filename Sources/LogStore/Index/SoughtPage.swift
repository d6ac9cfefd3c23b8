internal import BinaryCoding

/// A checked page of a run in memory, on which ascending keys are sought.
///
/// Each search begins where the last one ended, and goes on in steps that double. Packed suffixes
/// of eight bytes at most are compared as numbers: they sort as they do as bytes. The bytes are
/// those of the run, which whoever uses the page keeps.
struct SoughtPage {
  private let page: RunPage
  /// The first eight bytes of its last key.
  private let lastHead: UInt64
  /// Where its keys are, when they are packed and have such suffixes.
  private let packing: PagePacking?
  private let start: UnsafeRawPointer
  private let stride: Int
  /// The length of the keys then, and otherwise of no key.
  private let keyByteCount: Int
  /// What of a word does not belong to the suffix.
  private let shift: UInt64
  /// The keys before it sort before all that are to come.
  private var position = 0

  private static let wordByteCount = 8

  /// Nothing when all keys of the page lie behind `key`.
  init?(_ page: RunPage, from key: IndexKey) throws(BinaryDecodingError) {
    guard page.collection == key.collection, try page.order(ofKeyAt: 0, with: key) <= 0,
      let bytes = page.bytes.baseAddress
    else { return nil }
    self.page = page
    lastHead = try Self.head(ofKeyAt: page.count - 1, of: page)
    guard let packing = page.packing,
      (1...Self.wordByteCount).contains(packing.suffixByteCount)
    else {
      (packing, start, stride, keyByteCount, shift) = (nil, bytes, 0, 0, 0)
      return
    }
    self.packing = packing
    start = page.packedKey(at: 0, packing)
    stride = packing.stride
    keyByteCount = page.prefix.count + packing.suffixByteCount
    shift = UInt64(8 * (Self.wordByteCount - packing.suffixByteCount))
  }

  /// Whether `key`, which does not sort before those of earlier, is not behind the last key.
  @inline(__always)
  func reaches(_ key: IndexKey) -> Bool {
    key.collection == page.collection
      && (key.head < lastHead || key.head == lastHead && reachesAlike(key))
  }

  /// The same for a key that begins as the last one does.
  private func reachesAlike(_ key: IndexKey) -> Bool {
    do throws(BinaryDecodingError) {
      return try page.order(ofKeyAt: page.count - 1, with: key) >= 0
    } catch { return false }
  }

  /// The value of `key`, which the page reaches and which does not sort before those of earlier.
  ///
  /// It has the page's prefix then, which is not compared.
  @inline(__always)
  mutating func find(_ key: IndexKey) throws(BinaryDecodingError) -> IndexValue? {
    guard let packing, Int(key.length) == keyByteCount else { return try page.find(key.buffer) }
    let sought = (key.lastWord &<< shift) &>> shift
    var reach = 1
    while position + reach <= page.count, suffix(at: position + reach - 1) < sought {
      position += reach
      reach *= 2
    }
    var left = min(reach - 1, page.count - position)
    while left > 0 {
      let half = left >> 1
      if suffix(at: position + half) < sought {
        position += half + 1
        left -= half + 1
      } else {
        left = half
      }
    }
    guard position < page.count, suffix(at: position) == sought else { return nil }
    return packing.value(
      at: start + position * stride + packing.suffixByteCount, baseSequence: page.baseSequence)
  }

  /// A packed suffix as a number; so many bytes always follow.
  @inline(__always)
  private func suffix(at position: Int) -> UInt64 {
    UInt64(bigEndian: (start + position * stride).loadUnaligned(as: UInt64.self)) &>> shift
  }

  /// The first eight bytes of the key at `position`, as ``IndexKey`` has them.
  private static func head(
    ofKeyAt position: Int, of page: RunPage
  ) throws(BinaryDecodingError) -> UInt64 {
    let start = page.prefix.prefix(wordByteCount)
    let rest = try page.suffix(at: position).prefix(wordByteCount - start.count)
    var head: UInt64 = 0
    for byte in start { head = head &<< 8 | UInt64(byte) }
    for byte in rest { head = head &<< 8 | UInt64(byte) }
    let count = start.count + rest.count
    return count == 0 ? 0 : head &<< UInt64(8 * (wordByteCount - count))
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

extension IndexRun {
  /// The page where `key` may lie, as the directory says; nothing when its keys lie behind that, or
  /// when it cannot be read from memory.
  func soughtPage(from key: IndexKey) -> SoughtPage? {
    guard memory != nil, directory.encloses(key) else { return nil }
    do throws(RunDamage) {
      return try withDecodedPage(try firstPage(from: key)) { (page) throws(BinaryDecodingError) in
        try SoughtPage(page, from: key)
      }
    } catch { return nil }
  }
}
