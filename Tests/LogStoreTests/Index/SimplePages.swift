import BinaryCoding

@testable import LogStore

/// The pages of a run as ``RunPageBuilder`` must write them, made the simple way: what a page holds
/// is counted in full for each key that comes, and bytes are written one by one.
struct SimplePages {
  struct Keyed {
    let collection: UInt32
    let key: [UInt8]
    let value: IndexValue
  }

  /// What is known of all keys of a page together.
  private struct Extent {
    var keyCount = 1
    var byteCount: Int
    var prefixCount: Int
    var isUniform = true
    /// The smallest and the largest value of each field.
    var spread: [ClosedRange<UInt64>]
    /// Of all fields but sequences, as long as they are.
    var fieldByteCount: Int

    init(_ keyed: Keyed) {
      byteCount = keyed.key.count
      prefixCount = 0
      let fields = SimplePages.fields(keyed.value)
      spread = fields.map { $0...$0 }
      fieldByteCount = SimplePages.byteCount(fields)
    }

    func with(_ keyed: Keyed, first: [UInt8]) -> Extent {
      var next = self
      let fields = SimplePages.fields(keyed.value)
      next.keyCount += 1
      next.byteCount += keyed.key.count
      next.isUniform = isUniform && keyed.key.count == first.count
      next.prefixCount = 0
      while next.prefixCount < min(1024, first.count, keyed.key.count),
        first[next.prefixCount] == keyed.key[next.prefixCount]
      {
        next.prefixCount += 1
      }
      next.spread = zip(spread, fields).map {
        min($0.lowerBound, $1)...max($0.upperBound, $1)
      }
      next.fieldByteCount += SimplePages.byteCount(fields)
      return next
    }

    var bits: [Int] { spread.map { 64 - ($0.upperBound - $0.lowerBound).leadingZeroBitCount } }

    var packedSize: Int {
      let bitCount = bits.reduce(0, +)
      guard isUniform, bitCount < 64 else { return .max }
      let stride = byteCount / keyCount - prefixCount + (bitCount + 7) / 8
      return 24 + 28 + prefixCount + keyCount * stride + 8
    }

    /// Sequences are taken for as long as the longest, and places and lengths of suffixes for four
    /// bytes together.
    var unpackedSize: Int {
      let longest = SimplePages.variableLength(spread[0].upperBound - spread[0].lowerBound).count
      return 24 + prefixCount + fieldByteCount + byteCount
        + keyCount * (4 - prefixCount + longest)
    }
  }

  let format: RunFormat
  let packs: Bool
  let salt: UInt64
  private(set) var pages: [[UInt8]] = []
  /// Where the next page begins.
  private var place: UInt64 = 0
  private var pending: [Keyed] = []
  private var extent: Extent?

  init(_ format: RunFormat, packs: Bool, salt: UInt64) {
    self.format = format
    self.packs = packs
    self.salt = salt
  }

  mutating func append(_ keyed: Keyed) {
    if let extent, let first = pending.first {
      let next = extent.with(keyed, first: first.key)
      if keyed.collection == first.collection, next.keyCount <= format.pageKeyCountMaximum,
        min(next.unpackedSize, packs ? next.packedSize : .max) <= RunFormat.unit
      {
        self.extent = next
        pending.append(keyed)
        return
      }
      flush(extent)
    }
    extent = Extent(keyed)
    pending.append(keyed)
  }

  mutating func finish() -> [[UInt8]] {
    if let extent { flush(extent) }
    return pages
  }

  private mutating func flush(_ extent: Extent) {
    let isPacked = packs && pending.count > 1 && extent.packedSize <= RunFormat.unit
    var page = header(extent)
    if isPacked { addPacked(extent, to: &page) } else { addUnpacked(extent, to: &page) }
    if format.isMerged {
      while page.count % RunFormat.unit != 0 { page.append(0) }
      Self.write(UInt64(page.count), 4, at: 20, to: &page)
    }
    if isPacked { page[20] |= 1 }
    let checksum = page.withUnsafeBytes { RunPage.checksum($0, salt: salt, place: place) }
    Self.write(UInt64(checksum), 4, at: 0, to: &page)
    place += UInt64(page.count)
    pages.append(page)
    pending = []
  }

  /// The fields of a value, in the order of packed numbers.
  private static func fields(_ value: IndexValue) -> [UInt64] {
    [
      value.sequence.rawValue, UInt64(value.ordinal), UInt64(value.offset), UInt64(value.length),
      value.schemaVersion * 2 + (value.isTombstone ? 1 : 0),
    ]
  }

  private static func variableLength(_ value: UInt64) -> [UInt8] {
    value < 128 ? [UInt8(value)] : [UInt8(value & 127) | 128] + variableLength(value >> 7)
  }

  /// Of all fields but the sequence.
  private static func byteCount(_ fields: [UInt64]) -> Int {
    fields.dropFirst().reduce(0) { $0 + variableLength($1).count }
  }

  private func header(_ extent: Extent) -> [UInt8] {
    var page = [UInt8](repeating: 0, count: 24)
    Self.write(UInt64(pending[0].collection), 4, at: 4, to: &page)
    Self.write(UInt64(pending.count), 2, at: 8, to: &page)
    Self.write(UInt64(extent.prefixCount), 2, at: 10, to: &page)
    Self.write(extent.spread[0].lowerBound, 8, at: 12, to: &page)
    return page
  }

  private func addUnpacked(_ extent: Extent, to page: inout [UInt8]) {
    let prefix = extent.prefixCount
    page += pending[0].key.prefix(prefix)
    let places = page.count
    page += [UInt8](repeating: 0, count: 2 * pending.count)
    for (position, keyed) in pending.enumerated() {
      Self.write(UInt64(page.count), 2, at: places + 2 * position, to: &page)
      page += Self.variableLength(UInt64(keyed.key.count - prefix))
      page += keyed.key.dropFirst(prefix)
      for (index, field) in Self.fields(keyed.value).enumerated() {
        page += Self.variableLength(index == 0 ? field - extent.spread[0].lowerBound : field)
      }
    }
  }

  private func addPacked(_ extent: Extent, to page: inout [UInt8]) {
    let prefix = extent.prefixCount
    let bits = extent.bits
    page += [UInt8](repeating: 0, count: 28)
    Self.write(UInt64(pending[0].key.count - prefix), 2, at: 24, to: &page)
    for (index, count) in bits.enumerated() { page[26 + index] = UInt8(count) }
    for (index, offset) in [(1, 32), (2, 36), (3, 40)] {
      Self.write(extent.spread[index].lowerBound, 4, at: offset, to: &page)
    }
    Self.write(extent.spread[4].lowerBound, 8, at: 44, to: &page)
    page += pending[0].key.prefix(prefix)
    for keyed in pending {
      page += keyed.key.dropFirst(prefix)
      var number: UInt64 = 0
      var shift: UInt64 = 0
      for (index, field) in Self.fields(keyed.value).enumerated() {
        number += (field - extent.spread[index].lowerBound) << shift
        shift += UInt64(bits[index])
      }
      for byte in 0..<((bits.reduce(0, +) + 7) / 8) {
        page.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * byte)))
      }
    }
    page += [UInt8](repeating: 0, count: 8)
  }

  private static func write(_ value: UInt64, _ count: Int, at offset: Int, to page: inout [UInt8]) {
    for byte in 0..<count {
      page[offset + byte] = UInt8(truncatingIfNeeded: value >> UInt64(8 * byte))
    }
  }
}
