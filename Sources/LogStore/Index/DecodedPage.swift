internal import BinaryCoding

/// Some keys and values of a page of a run, decoded; the memory is used again for the next.
struct DecodedPage: ~Copyable {
  /// Values, keys and the bytes of keys lie in one piece of memory.
  private var memory: UnsafeMutableRawPointer
  private(set) var keys: UnsafeMutablePointer<IndexKey>
  private(set) var values: UnsafeMutablePointer<IndexValue>
  private var keyBytes: UnsafeMutableRawBufferPointer
  private var capacity: Int

  /// Room is made in these steps: for a first portion, and for any.
  private static let capacities = (first: 16, all: 128)
  /// Keys and suffixes up to here are copied as one word.
  private static let wordByteCount = 8

  init() {
    capacity = Self.capacities.first
    (memory, values, keys, keyBytes) = Self.allocate(
      capacity, keyByteCount: Self.wordByteCount * (capacity + 1))
  }

  deinit { memory.deallocate() }

  /// Decodes the keys at `positions` of `page` in place of what was here, and returns how many.
  ///
  /// Keys whose segment `coverage` does not have any more are left out.
  mutating func decode(
    _ page: RunPage, _ positions: Range<Int>, _ coverage: RunCoverage?
  ) throws(BinaryDecodingError) -> Int {
    guard let packing = page.packing, page.prefix.count <= Self.wordByteCount,
      packing.suffixByteCount <= Self.wordByteCount
    else { return try decodeAny(page, positions, coverage) }
    return try decodeShort(page, packing, positions, coverage)
  }

  /// The same for any page, and the oracle of it.
  mutating func decodeAny(
    _ page: RunPage, _ positions: Range<Int>, _ coverage: RunCoverage?
  ) throws(BinaryDecodingError) -> Int {
    let collection = try Self.collection(of: page)
    // Keys that do not overlap in the page fit here.
    makeRoom(positions.count, page.bytes.count + positions.count * page.prefix.count)
    var used = 0
    var count = 0
    for position in positions {
      let (suffix, value) = try page.suffixAndValue(at: position)
      let length = page.prefix.count + suffix.count
      guard (1...LogLimits.keyByteCount).contains(length), length <= keyBytes.count - used else {
        throw Self.wrongLength(length)
      }
      if let coverage, try !coverage.has(value.ordinal) { continue }
      let key = UnsafeMutableRawBufferPointer(rebasing: keyBytes[used..<(used + length)])
      key.copyMemory(from: page.prefix)
      UnsafeMutableRawBufferPointer(rebasing: key[page.prefix.count...]).copyMemory(from: suffix)
      used += length
      (keys + count).initialize(to: IndexKey(collection, UnsafeRawBufferPointer(key)))
      (values + count).initialize(to: value)
      count += 1
    }
    return count
  }

  /// The same for packed keys of which prefix and suffix are a word each at most: both are copied
  /// with what follows them, which is there to be read, and the next key is written over that.
  private mutating func decodeShort(
    _ page: RunPage, _ packing: PagePacking, _ positions: Range<Int>, _ coverage: RunCoverage?
  ) throws(BinaryDecodingError) -> Int {
    let collection = try Self.collection(of: page)
    let prefixLength = page.prefix.count
    let suffixLength = packing.suffixByteCount
    let length = prefixLength + suffixLength
    guard length > 0 else { throw Self.wrongLength(length) }
    makeRoom(positions.count, (positions.count - 1) * length + 2 * Self.wordByteCount)
    guard let first = keyBytes.baseAddress else { preconditionFailure("room was made for keys") }
    let prefix = page.wordOfPrefix(packing)
    let stride = packing.stride
    var start = page.packedKey(at: positions.lowerBound, packing)
    var target = first
    var count = 0
    for _ in positions {
      defer { start += stride }
      let value = packing.value(at: start + suffixLength, baseSequence: page.baseSequence)
      if let coverage, try !coverage.has(value.ordinal) { continue }
      let suffix = start.loadUnaligned(as: UInt64.self)
      target.storeBytes(of: prefix, as: UInt64.self)
      (target + prefixLength).storeBytes(of: suffix, as: UInt64.self)
      (keys + count).initialize(
        to: IndexKey(
          collection, target, length: length,
          word: RunPage.word(prefix, byteCount: prefixLength, then: suffix)))
      (values + count).initialize(to: value)
      target += length
      count += 1
    }
    return count
  }

  private static func collection(
    of page: RunPage
  ) throws(BinaryDecodingError) -> CollectionIdentifier {
    guard let collection = CollectionIdentifier(exactly: UInt64(page.collection)) else {
      throw .invalidValue(offset: 4, reason: "collection above the limit")
    }
    return collection
  }

  private static func wrongLength(_ length: Int) -> BinaryDecodingError {
    .invalidValue(offset: 0, reason: "a key has \(length) bytes")
  }

  private mutating func makeRoom(_ count: Int, _ keyByteCount: Int) {
    if count <= capacity, keyByteCount <= keyBytes.count { return }
    if count > capacity { capacity = max(count, Self.capacities.all) }
    memory.deallocate()
    (memory, values, keys, keyBytes) = Self.allocate(
      capacity, keyByteCount: max(keyByteCount, keyBytes.count))
  }

  private static func allocate(
    _ capacity: Int, keyByteCount: Int
  ) -> (
    UnsafeMutableRawPointer, UnsafeMutablePointer<IndexValue>, UnsafeMutablePointer<IndexKey>,
    UnsafeMutableRawBufferPointer
  ) {
    let keysOffset = capacity * MemoryLayout<IndexValue>.stride
    let bytesOffset = keysOffset + capacity * MemoryLayout<IndexKey>.stride
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: bytesOffset + keyByteCount, alignment: 8)
    return (
      memory, memory.bindMemory(to: IndexValue.self, capacity: capacity),
      (memory + keysOffset).bindMemory(to: IndexKey.self, capacity: capacity),
      UnsafeMutableRawBufferPointer(start: memory + bytesOffset, count: keyByteCount)
    )
  }
}
