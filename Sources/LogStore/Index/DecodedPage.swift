internal import BinaryCoding

/// Some keys and values of a page of a run, decoded; the memory is used again for the next.
struct DecodedPage: ~Copyable {
  private(set) var keys = UnsafeMutablePointer<IndexKey>.allocate(capacity: 1)
  private(set) var values = UnsafeMutablePointer<IndexValue>.allocate(capacity: 1)
  private var keyBytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var capacity = 1

  init() {}

  deinit {
    keys.deallocate()
    values.deallocate()
    keyBytes.deallocate()
  }

  /// Decodes the keys at `positions` of `page` in place of what was here, and returns how many.
  ///
  /// Keys whose segment `coverage` does not have any more are left out.
  mutating func decode(
    _ page: RunPage, _ positions: Range<Int>, _ coverage: RunCoverage?
  ) throws(BinaryDecodingError) -> Int {
    guard let collection = CollectionIdentifier(exactly: UInt64(page.collection)) else {
      throw .invalidValue(offset: 4, reason: "collection above the limit")
    }
    // Keys that do not overlap in the page fit here.
    makeRoom(positions.count, page.bytes.count + positions.count * page.prefix.count)
    var used = 0
    var count = 0
    for position in positions {
      let (suffix, value) = try page.suffixAndValue(at: position)
      let length = page.prefix.count + suffix.count
      guard (1...LogLimits.keyByteCount).contains(length), length <= keyBytes.count - used else {
        throw .invalidValue(offset: 0, reason: "a key has \(length) bytes")
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

  private mutating func makeRoom(_ count: Int, _ keyByteCount: Int) {
    if count > capacity {
      keys.deallocate()
      values.deallocate()
      keys = .allocate(capacity: count)
      values = .allocate(capacity: count)
      capacity = count
    }
    if keyByteCount > keyBytes.count {
      keyBytes.deallocate()
      keyBytes = .allocate(byteCount: keyByteCount, alignment: 8)
    }
  }
}
