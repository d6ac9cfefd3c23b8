internal import BinaryCoding

/// Some keys and values of a page of a run, decoded; the memory is used again for the next.
struct DecodedPage: ~Copyable {
  let keys: UnsafeMutablePointer<IndexKey>
  let values: UnsafeMutablePointer<IndexValue>
  private var keyBytes = ByteWriter(capacity: 4 << 10)

  /// Room for any page of a run in `format`.
  init(_ format: RunFormat) {
    keys = .allocate(capacity: format.pageKeyCountMaximum)
    values = .allocate(capacity: format.pageKeyCountMaximum)
  }

  deinit {
    keys.deallocate()
    values.deallocate()
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
    keyBytes.removeAll()
    var count = 0
    for position in positions {
      let fields = try page.fields(at: position)
      let length = page.prefix.count + fields.suffix.count
      guard (1...LogLimits.keyByteCount).contains(length) else {
        throw .invalidValue(offset: 0, reason: "a key has \(length) bytes")
      }
      let value = try page.value(fields)
      if let coverage, try !coverage.has(value.ordinal) { continue }
      let start = keyBytes.count
      keyBytes.writeBytes(page.prefix)
      keyBytes.writeBytes(fields.suffix)
      let key = UnsafeRawBufferPointer(rebasing: keyBytes.bytes[start...])
      (keys + count).initialize(to: IndexKey(collection, key))
      (values + count).initialize(to: value)
      count += 1
    }
    placeKeys(count: count)
    return count
  }

  /// Points the keys at their bytes, which may have moved while they grew.
  private func placeKeys(count: Int) {
    guard var next = keyBytes.bytes.baseAddress else { return }
    for position in 0..<count {
      keys[position].bytes = next
      next += Int(keys[position].length)
    }
  }
}
