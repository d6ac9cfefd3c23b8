internal import BinaryCoding

/// Collects the keys of one page of a merged run, as many as fit one unit of 4096 bytes.
///
/// The size is bounded from above as keys come, with the longest numbers that the page may need, so
/// that no page is encoded twice.
struct MergedPageBuilder: ~Copyable {
  private struct Pending {
    let key: Range<Int>
    let value: IndexValue
  }

  private var pending: [Pending] = []
  private var keys = ByteWriter(capacity: 8 << 10)
  private(set) var collection: UInt32 = 0
  private var prefixLength = 0
  /// Bytes of all fields without suffixes and sequences.
  private var fixedByteCount = 0
  private var minimumSequence = UInt64.max
  private var maximumSequence: UInt64 = 0

  var isEmpty: Bool { pending.isEmpty }

  /// The first key of the page, borrowed; the page must not be empty.
  var firstKey: UnsafeRawBufferPointer { key(0) }
  var lastKey: UnsafeRawBufferPointer { key(pending.count - 1) }

  private func key(_ position: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: keys.bytes[pending[position].key])
  }

  /// Adds a key that sorts behind the others; false, and nothing added, when it does not fit.
  mutating func append(_ key: IndexKey, _ value: IndexValue) -> Bool {
    let fixed =
      fixedByteCount + 4 + Self.byteCount(UInt64(value.ordinal))
      + Self.byteCount(UInt64(value.offset))
      + Self.byteCount(UInt64(value.length)) + Self.byteCount(Self.tagged(value))
    let minimum = min(minimumSequence, value.sequence.rawValue)
    let maximum = max(maximumSequence, value.sequence.rawValue)
    var prefix = 0
    if !pending.isEmpty {
      guard key.collection == collection, pending.count < RunFormat.merged.pageKeyCountMaximum
      else { return false }
      prefix = Self.sharedLength(firstKey, key.buffer)
      let count = pending.count + 1
      let suffixes = keys.count + Int(key.length) - count * prefix
      let size =
        RunPage.mergedHeaderByteCount + prefix + fixed + suffixes
        + count * Self.byteCount(maximum - minimum)
      if size > RunFormat.unit { return false }
    }
    collection = key.collection
    fixedByteCount = fixed
    minimumSequence = minimum
    maximumSequence = maximum
    prefixLength = prefix
    let start = keys.count
    keys.writeBytes(key.buffer)
    pending.append(Pending(key: start..<keys.count, value: value))
    return true
  }

  /// Writes the page behind what `target` holds and starts the next one; returns its size.
  ///
  /// `place` is where the page starts, from the end of the run's header.
  mutating func flush(to target: inout ByteWriter, salt: UInt64, place: UInt64) -> Int {
    let start = target.count
    target.writeInteger(UInt32(0))
    target.writeInteger(collection)
    target.writeInteger(UInt16(pending.count))
    target.writeInteger(UInt16(prefixLength))
    target.writeInteger(minimumSequence)
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
      target.writeVariableLength(each.value.sequence.rawValue - minimumSequence)
      target.writeVariableLength(UInt64(each.value.ordinal))
      target.writeVariableLength(UInt64(each.value.offset))
      target.writeVariableLength(UInt64(each.value.length))
      target.writeVariableLength(Self.tagged(each.value))
    }
    let used = target.count - start
    let size = (used + RunFormat.unit - 1) / RunFormat.unit * RunFormat.unit
    precondition(size == RunFormat.unit || pending.count == 1, "only one key may need more room")
    target.writeZeros(size - used)
    target.mutableBytes.storeBytes(
      of: UInt32(size).littleEndian, toByteOffset: start + 20, as: UInt32.self)
    let checksum = RunPage.checksum(
      UnsafeRawBufferPointer(rebasing: target.bytes[start...]), salt: salt, place: place)
    target.mutableBytes.storeBytes(of: checksum.littleEndian, toByteOffset: start, as: UInt32.self)
    clear()
    return size
  }

  private mutating func clear() {
    pending.removeAll(keepingCapacity: true)
    keys.removeAll()
    fixedByteCount = 0
    prefixLength = 0
    minimumSequence = .max
    maximumSequence = 0
  }

  private static func tagged(_ value: IndexValue) -> UInt64 {
    value.schemaVersion << 1 | (value.isTombstone ? 1 : 0)
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
