internal import BinaryCoding

/// A checked page of a run in memory, on which ascending keys are sought.
///
/// Each search begins where the last one ended, and goes on in steps that double. The bytes are
/// those of the run, which whoever uses the page keeps.
struct SoughtPage {
  private let page: RunPage
  /// The first eight bytes of its last key.
  private let lastHead: UInt64
  /// How it is packed, when its suffixes are numbers.
  private let packed: (packing: PagePacking, suffixes: PackedSuffixes)?
  /// The keys before it sort before all that are to come.
  private var position = 0

  private static let headByteCount = 8

  /// Nothing when all keys of the page lie behind `key`.
  init?(_ page: RunPage, from key: IndexKey) throws(BinaryDecodingError) {
    guard page.collection == key.collection, try page.order(ofKeyAt: 0, with: key) <= 0 else {
      return nil
    }
    self.page = page
    lastHead = try Self.head(ofKeyAt: page.count - 1, of: page)
    packed = page.packing.flatMap { packing in
      PackedSuffixes(page, packing).map { (packing, $0) }
    }
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
    guard let (packing, suffixes) = packed, Int(key.length) == suffixes.keyByteCount else {
      return try page.find(key)
    }
    let sought = suffixes.suffix(of: key)
    var reach = 1
    while position + reach <= page.count, suffixes[position + reach - 1] < sought {
      position += reach
      reach *= 2
    }
    position = suffixes.firstPosition(
      notBelow: sought, from: position, count: min(reach - 1, page.count - position))
    guard position < page.count, suffixes[position] == sought else { return nil }
    return page.packedValue(at: position, packing)
  }

  /// The first eight bytes of the key at `position`, as ``IndexKey`` has them.
  private static func head(
    ofKeyAt position: Int, of page: RunPage
  ) throws(BinaryDecodingError) -> UInt64 {
    let start = page.prefix.prefix(headByteCount)
    let rest = try page.suffix(at: position).prefix(headByteCount - start.count)
    var head: UInt64 = 0
    for byte in start { head = head &<< 8 | UInt64(byte) }
    for byte in rest { head = head &<< 8 | UInt64(byte) }
    let count = start.count + rest.count
    return count == 0 ? 0 : head &<< UInt64(8 * (headByteCount - count))
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
