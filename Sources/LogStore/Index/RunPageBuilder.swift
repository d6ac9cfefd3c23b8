internal import BinaryCoding

/// Collects the keys of one page of a run, as many as fit 4096 bytes, packed or not.
///
/// The size is bounded from above as keys come, in either form, so that no page is encoded twice.
struct RunPageBuilder: ~Copyable {
  private struct Pending {
    let key: Range<Int>
    let value: IndexValue
  }

  private let format: RunFormat
  /// Tests compare packed pages with those that are not.
  private let packs: Bool
  private var pending: [Pending] = []
  private var keys = ByteWriter(capacity: 8 << 10)
  private(set) var collection: UInt32 = 0
  private var prefixLength = 0
  /// Bytes of all fields without suffixes and sequences, when they are not packed.
  private var fixedByteCount = 0
  private var spread = FieldSpread(IndexValue.none)
  /// Whether all keys have the length of the first.
  private var isUniform = true

  /// Pages of `format`, which is one that is written now.
  init(_ format: RunFormat, packs: Bool = true) {
    precondition(format.isPacked, "pages are written in a form that may be packed")
    self.format = format
    self.packs = packs
  }

  var isEmpty: Bool { pending.isEmpty }
  var count: Int { pending.count }

  /// The first key of the page, borrowed; the page must not be empty.
  var firstKey: UnsafeRawBufferPointer { key(0) }
  var lastKey: UnsafeRawBufferPointer { key(pending.count - 1) }

  private func key(_ position: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: keys.bytes[pending[position].key])
  }

  /// Adds a key that sorts behind the others; false, and nothing added, when it does not fit.
  mutating func append(_ key: IndexKey, _ value: IndexValue) -> Bool {
    let length = Int(key.length)
    let fixed = fixedByteCount + Self.fixedByteCount(value)
    if pending.isEmpty {
      spread = FieldSpread(value)
      isUniform = true
      collection = key.collection
    } else {
      guard key.collection == collection, pending.count < format.pageKeyCountMaximum else {
        return false
      }
      let wider = spread.with(value)
      let uniform = isUniform && length == firstKey.count
      let prefix = Self.sharedLength(firstKey, key.buffer)
      let size = Self.byteCount(
        keys: pending.count + 1, of: keys.count + length, prefix: prefix, fixed: fixed, wider)
      let packed =
        uniform && packs
        ? Self.packedByteCount(
          keys: pending.count + 1, suffix: length - prefix, prefix: prefix, wider) : nil
      if min(size, packed ?? size) > RunFormat.unit { return false }
      spread = wider
      isUniform = uniform
      prefixLength = prefix
    }
    fixedByteCount = fixed
    let start = keys.count
    keys.writeBytes(key.buffer)
    pending.append(Pending(key: start..<keys.count, value: value))
    return true
  }

  /// Writes the page behind what `target` holds and starts the next one; returns its size.
  ///
  mutating func flush(to target: inout ByteWriter, salt: UInt64, place: UInt64) -> Int {
    let start = target.count
    target.writeInteger(UInt32(0))
    target.writeInteger(collection)
    target.writeInteger(UInt16(pending.count))
    target.writeInteger(UInt16(prefixLength))
    target.writeInteger(spread.sequence.lowerBound)
    let packing = packing
    if let packing {
      writePacked(packing, to: &target)
    } else {
      writeFields(to: &target, start: start)
    }
    var size = target.count - start
    if format.isMerged {
      let used = size
      size = (used + RunFormat.unit - 1) / RunFormat.unit * RunFormat.unit
      precondition(
        size == RunFormat.unit || pending.count == 1, "only one key may need more room")
      target.writeZeros(size - used)
    }
    let word =
      UInt32(format.isMerged ? size : 0) | (packing == nil ? 0 : RunPage.packedFlag)
    target.mutableBytes.storeBytes(
      of: word.littleEndian, toByteOffset: start + 20, as: UInt32.self)
    let checksum = RunPage.checksum(
      UnsafeRawBufferPointer(rebasing: target.bytes[start...]), salt: salt, place: place)
    target.mutableBytes.storeBytes(of: checksum.littleEndian, toByteOffset: start, as: UInt32.self)
    pending.removeAll(keepingCapacity: true)
    keys.removeAll()
    fixedByteCount = 0
    prefixLength = 0
    return size
  }

  /// How the page is packed, when it can be and gains by that.
  private var packing: PagePacking? {
    guard packs, isUniform else { return nil }
    let suffix = firstKey.count - prefixLength
    let byteCount = Self.packedByteCount(
      keys: pending.count, suffix: suffix, prefix: prefixLength, spread)
    guard let byteCount, byteCount <= RunFormat.unit, pending.count > 1 else { return nil }
    return PagePacking(spread, suffixByteCount: suffix)
  }

  private func writePacked(_ packing: PagePacking, to target: inout ByteWriter) {
    target.writeInteger(UInt32(0))
    packing.encode(to: &target)
    target.writeBytes(UnsafeRawBufferPointer(rebasing: firstKey.prefix(prefixLength)))
    for each in pending {
      target.writeBytes(
        UnsafeRawBufferPointer(rebasing: keys.bytes[each.key.dropFirst(prefixLength)]))
      packing.write(
        packing.number(each.value, baseSequence: spread.sequence.lowerBound), to: &target)
    }
    target.writeZeros(PagePacking.slackByteCount)
  }

  private func writeFields(to target: inout ByteWriter, start: Int) {
    target.writeInteger(UInt32(0))
    target.writeBytes(UnsafeRawBufferPointer(rebasing: firstKey.prefix(prefixLength)))
    let places = target.count
    target.writeZeros(2 * pending.count)
    for (position, each) in pending.enumerated() {
      target.mutableBytes.storeBytes(
        of: UInt16(target.count - start).littleEndian, toByteOffset: places + 2 * position,
        as: UInt16.self)
      target.writeLengthPrefixedBytes(
        UnsafeRawBufferPointer(rebasing: keys.bytes[each.key.dropFirst(prefixLength)]))
      target.writeVariableLength(each.value.sequence.rawValue - spread.sequence.lowerBound)
      target.writeVariableLength(UInt64(each.value.ordinal))
      target.writeVariableLength(UInt64(each.value.offset))
      target.writeVariableLength(UInt64(each.value.length))
      target.writeVariableLength(each.value.tag)
    }
  }

  /// Place and lengths of a key's fields, each as long as it may be, without the sequence.
  private static func fixedByteCount(_ value: IndexValue) -> Int {
    4 + byteCount(UInt64(value.ordinal)) + byteCount(UInt64(value.offset))
      + byteCount(UInt64(value.length)) + byteCount(value.tag)
  }

  /// What a page takes at most that is not packed.
  private static func byteCount(
    keys count: Int, of keysByteCount: Int, prefix: Int, fixed: Int, _ spread: FieldSpread
  ) -> Int {
    let sequences = count * byteCount(spread.sequence.upperBound - spread.sequence.lowerBound)
    return RunPage.mergedHeaderByteCount + prefix + fixed + keysByteCount - count * prefix
      + sequences
  }

  /// What a packed page takes; nothing when it cannot be packed.
  private static func packedByteCount(
    keys count: Int, suffix: Int, prefix: Int, _ spread: FieldSpread
  ) -> Int? {
    guard let packing = PagePacking(spread, suffixByteCount: suffix) else { return nil }
    return RunPage.mergedHeaderByteCount + PagePacking.byteCount + prefix
      + count * packing.stride + PagePacking.slackByteCount
  }

  /// Bytes of a number of variable length.
  private static func byteCount(_ value: UInt64) -> Int {
    max(1, (64 - value.leadingZeroBitCount + 6) / 7)
  }

  private static func sharedLength(
    _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer
  ) -> Int {
    let limit = min(a.count, b.count, RunPage.prefixByteCountMaximum)
    var length = 0
    while length < limit, a[length] == b[length] { length += 1 }
    return length
  }
}

extension IndexValue {
  /// What stands for the values of a page that has none yet.
  fileprivate static var none: IndexValue {
    IndexValue(
      sequence: .zero, schemaVersion: 0, offset: 0, length: 0, isTombstone: false)
  }
}
