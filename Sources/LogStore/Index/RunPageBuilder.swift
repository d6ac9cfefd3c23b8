internal import BinaryCoding

/// Collects the keys of one page of a run, as many as fit 4096 bytes, packed or not.
///
/// The size is known or bounded from above as keys come, so that no page is encoded twice. Merges
/// and seals spend much of their time here: a key costs some hundred instructions when its page is
/// packed, as those of equally long keys are.
struct RunPageBuilder: ~Copyable {
  private let format: RunFormat
  private let pageKeyCountMaximum: Int
  /// Tests compare packed pages with those that are not.
  private let packs: Bool
  private var pending = PendingKeys()
  private(set) var collection: UInt32 = 0
  /// Of the first key, and how many bytes all keys share with it.
  private var firstHead: UInt64 = 0
  private var prefixLength = 0
  private var spread = FieldSpread(IndexValue.none)
  /// The length of the first key, and whether all have it.
  private var keyByteCount = 0
  private var isUniform = true
  /// Bytes that fields take when they are not packed, and of how many keys: those of a page that
  /// can be packed are counted when it cannot take one more.
  private var fixed = (byteCount: 0, keyCount: 0)

  private var room = PackedRoom()

  /// Zeros behind the pages that were flushed.
  private(set) var paddingByteCount: UInt64 = 0

  /// How many keys a page can have if it is packed and no key changes how: all have the length of
  /// the first and begin with the same bits, and their fields are so far at most from the least.
  private struct PackedRoom {
    var keyCount = 0
    var sharedBitCount = 0
    var distances = FieldSpread.Fields.zero
  }

  /// What a page takes more when it is packed, but for its keys.
  private static let packingByteCount = PagePacking.byteCount + PagePacking.slackByteCount

  /// Pages of `format`, which is one that is written now.
  init(_ format: RunFormat, packs: Bool = true) {
    precondition(format.isPacked, "pages are written in a form that may be packed")
    self.format = format
    pageKeyCountMaximum = format.pageKeyCountMaximum
    self.packs = packs
  }

  var isEmpty: Bool { pending.count == 0 }
  var count: Int { pending.count }

  /// The first key of the page, borrowed; the page must not be empty.
  var firstKey: UnsafeRawBufferPointer { pending.bytes(pending[0]) }
  var lastKey: UnsafeRawBufferPointer { pending.bytes(pending[pending.count - 1]) }

  /// Adds a key that sorts behind the others; false, and nothing added, when it does not fit.
  @inline(__always)
  mutating func append(_ key: IndexKey, _ value: IndexValue) -> Bool {
    guard takeAsOthers(key, value) else { return appendAny(key, value) }
    pending.append(key, value)
    return true
  }

  /// Whether the key lies as the others do in a page that is packed, and has room there.
  @inline(__always)
  private mutating func takeAsOthers(_ key: IndexKey, _ value: IndexValue) -> Bool {
    pending.count < room.keyCount && key.collection == collection
      && Int(key.length) == keyByteCount
      && (firstHead ^ key.head).leadingZeroBitCount >= room.sharedBitCount
      && spread.take(value, within: room.distances)
  }

  /// The same for all keys; says what the next ones may be to be like this.
  private mutating func appendAny(_ key: IndexKey, _ value: IndexValue) -> Bool {
    let length = Int(key.length)
    if pending.count == 0 {
      begin(key, value)
    } else {
      guard key.collection == collection, pending.count < pageKeyCountMaximum else {
        return false
      }
      let wider = spread.with(value)
      let uniform = isUniform && length == keyByteCount
      let prefix = sharedLength(key)
      let packed =
        uniform && packs
        ? Self.packedByteCount(
          keys: pending.count + 1, suffix: length - prefix, prefix: prefix, wider) : .max
      if packed > RunFormat.unit {
        // A key takes a byte more at least when it is not packed, which outweighs the packing.
        if packed < .max, pending.count >= Self.packingByteCount { return false }
        guard fitsUnpacked(length, value, prefix: prefix, wider) else { return false }
      }
      spread = wider
      isUniform = uniform
      prefixLength = prefix
      room = packed <= RunFormat.unit ? packedRoom : PackedRoom()
    }
    pending.append(key, value)
    return true
  }

  /// Of an empty page, which has no prefix and no room that is known.
  private mutating func begin(_ key: IndexKey, _ value: IndexValue) {
    spread = FieldSpread(value)
    isUniform = true
    collection = key.collection
    firstHead = key.head
    keyByteCount = Int(key.length)
    fixed = (0, 0)
  }

  /// Of the page as it is, all of whose keys have the same length.
  private var packedRoom: PackedRoom {
    // What is shared behind the heads is not compared there.
    guard prefixLength <= 8 else { return PackedRoom() }
    let fixed = Self.packedByteCount(keys: 0, suffix: 0, prefix: prefixLength, spread)
    let stride =
      keyByteCount - prefixLength + PagePacking.numberByteCount(spread.bitCount)
    let keyCount = (RunFormat.unit - fixed) / max(stride, 1)
    return PackedRoom(
      keyCount: min(keyCount, pageKeyCountMaximum), sharedBitCount: 8 * prefixLength,
      distances: spread.distances)
  }

  /// How many bytes `key` has in common with all keys of the page, of which there are some.
  ///
  /// As keys ascend, these are bytes that the page's keys have in common already.
  @inline(__always)
  private func sharedLength(_ key: IndexKey) -> Int {
    let known =
      pending.count > 1 ? prefixLength : min(keyByteCount, RunPage.prefixByteCountMaximum)
    let limit = min(known, Int(key.length))
    let inHeads = (firstHead ^ key.head).leadingZeroBitCount >> 3
    if limit <= 8 || inHeads < 8 { return min(limit, inHeads) }
    return Self.sharedLength(firstKey, key.buffer, from: 8, to: limit)
  }

  private static func sharedLength(
    _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, from start: Int, to limit: Int
  ) -> Int {
    var length = start
    while length + 8 <= limit,
      a.loadUnaligned(fromByteOffset: length, as: UInt64.self)
        == b.loadUnaligned(fromByteOffset: length, as: UInt64.self)
    {
      length += 8
    }
    while length < limit, a[length] == b[length] { length += 1 }
    return length
  }

  /// Whether the page can take one more key without being packed, as far as is known without
  /// encoding it: numbers that are not the same in all keys are taken for the longest.
  private mutating func fitsUnpacked(
    _ length: Int, _ value: IndexValue, prefix: Int, _ spread: FieldSpread
  ) -> Bool {
    while fixed.keyCount < pending.count {
      fixed.byteCount += Self.fixedByteCount(pending[fixed.keyCount].value)
      fixed.keyCount += 1
    }
    let keyCount = pending.count + 1
    let size =
      RunPage.mergedHeaderByteCount + prefix + fixed.byteCount + Self.fixedByteCount(value)
      + pending.byteCount + length - keyCount * prefix
      + keyCount * Self.byteCount(spread.sequenceDistance)
    return size <= RunFormat.unit
  }

  /// Writes the page behind what `target` holds and starts the next one; returns its size.
  mutating func flush(to target: inout ByteWriter, salt: UInt64, place: UInt64) -> Int {
    let start = target.count
    target.writeInteger(UInt32(0))
    target.writeInteger(collection)
    target.writeInteger(UInt16(pending.count))
    target.writeInteger(UInt16(prefixLength))
    target.writeInteger(spread.least.sequence)
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
      paddingByteCount += UInt64(size - used)
    }
    let word =
      UInt32(format.isMerged ? size : 0) | (packing == nil ? 0 : RunPage.packedFlag)
    target.mutableBytes.storeBytes(
      of: word.littleEndian, toByteOffset: start + 20, as: UInt32.self)
    let checksum = RunPage.checksum(
      UnsafeRawBufferPointer(rebasing: target.bytes[start...]), salt: salt, place: place)
    target.mutableBytes.storeBytes(of: checksum.littleEndian, toByteOffset: start, as: UInt32.self)
    pending.removeAll()
    prefixLength = 0
    room = PackedRoom()
    return size
  }

  /// How the page is packed, when it can be and gains by that.
  private var packing: PagePacking? {
    guard packs, isUniform, pending.count > 1 else { return nil }
    let suffix = keyByteCount - prefixLength
    let byteCount = Self.packedByteCount(
      keys: pending.count, suffix: suffix, prefix: prefixLength, spread)
    return byteCount <= RunFormat.unit ? PagePacking(spread, suffixByteCount: suffix) : nil
  }

  private func writePacked(_ packing: PagePacking, to target: inout ByteWriter) {
    target.writeInteger(UInt32(0))
    packing.encode(to: &target)
    target.writeBytes(UnsafeRawBufferPointer(rebasing: firstKey.prefix(prefixLength)))
    let byteCount = pending.count * packing.stride + PagePacking.slackByteCount
    target.append(capacity: byteCount) { room in
      guard let base = room.baseAddress else { preconditionFailure("room was made") }
      writeKeys(packing, to: base)
      return byteCount
    }
  }

  /// Words are written where fewer bytes are needed; the next ones, or the zeros, overwrite the
  /// rest.
  private func writeKeys(_ packing: PagePacking, to start: UnsafeMutableRawPointer) {
    let suffixByteCount = packing.suffixByteCount
    let numberByteCount = packing.stride - suffixByteCount
    let baseSequence = spread.least.sequence
    var target = start
    for position in 0..<pending.count {
      let key = pending[position]
      let suffix = pending.start(key) + prefixLength
      if suffixByteCount <= 8 {
        target.storeBytes(of: suffix.loadUnaligned(as: UInt64.self), as: UInt64.self)
      } else {
        target.copyMemory(from: suffix, byteCount: suffixByteCount)
      }
      target += suffixByteCount
      let number = packing.number(key.value, baseSequence: baseSequence)
      target.storeBytes(of: number.littleEndian, as: UInt64.self)
      target += numberByteCount
    }
    target.storeBytes(of: 0, as: UInt64.self)
  }

  private func writeFields(to target: inout ByteWriter, start: Int) {
    target.writeInteger(UInt32(0))
    target.writeBytes(UnsafeRawBufferPointer(rebasing: firstKey.prefix(prefixLength)))
    let places = target.count
    target.writeZeros(2 * pending.count)
    for position in 0..<pending.count {
      let key = pending[position]
      target.mutableBytes.storeBytes(
        of: UInt16(target.count - start).littleEndian, toByteOffset: places + 2 * position,
        as: UInt16.self)
      target.writeLengthPrefixedBytes(
        UnsafeRawBufferPointer(rebasing: pending.bytes(key).dropFirst(prefixLength)))
      target.writeVariableLength(key.value.sequence.rawValue - spread.least.sequence)
      target.writeVariableLength(UInt64(key.value.ordinal))
      target.writeVariableLength(UInt64(key.value.offset))
      target.writeVariableLength(UInt64(key.value.length))
      target.writeVariableLength(key.value.tag)
    }
  }

  /// Place and lengths of a key's fields, each as long as it may be, without the sequence.
  private static func fixedByteCount(_ value: IndexValue) -> Int {
    4 + byteCount(UInt64(value.ordinal)) + byteCount(UInt64(value.offset))
      + byteCount(UInt64(value.length)) + byteCount(value.tag)
  }

  /// What a packed page takes; more than any page has when it cannot be packed.
  @inline(__always)
  private static func packedByteCount(
    keys count: Int, suffix: Int, prefix: Int, _ spread: FieldSpread
  ) -> Int {
    let bitCount = spread.bitCount
    guard bitCount <= PagePacking.bitCountMaximum else { return .max }
    return RunPage.mergedHeaderByteCount + PagePacking.byteCount + prefix
      + count * (suffix + PagePacking.numberByteCount(bitCount)) + PagePacking.slackByteCount
  }

  /// Bytes of a number of variable length.
  private static func byteCount(_ value: UInt64) -> Int {
    max(1, (64 - value.leadingZeroBitCount + 6) / 7)
  }
}

extension IndexValue {
  /// What stands for the values of a page that has none yet.
  fileprivate static var none: IndexValue {
    IndexValue(
      sequence: .zero, schemaVersion: 0, offset: 0, length: 0, isTombstone: false)
  }
}
