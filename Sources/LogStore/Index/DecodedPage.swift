internal import BinaryCoding

/// The keys and values of one page of a run, decoded; the memory is used again for the next.
struct DecodedPage: ~Copyable {
  let keys: UnsafeMutablePointer<IndexKey>
  let values: UnsafeMutablePointer<IndexValue>
  private var keyBytes = ByteWriter(capacity: 4 << 10)

  init() {
    keys = .allocate(capacity: RunPage.keyCountMaximum)
    values = .allocate(capacity: RunPage.keyCountMaximum)
  }

  deinit {
    keys.deallocate()
    values.deallocate()
  }

  /// Decodes `page` in place of what was here, and returns the number of its keys.
  mutating func decode(_ page: RunPage) throws(BinaryDecodingError) -> Int {
    guard let collection = CollectionIdentifier(exactly: UInt64(page.collection)) else {
      throw .invalidValue(offset: 4, reason: "collection above the limit")
    }
    keyBytes.removeAll()
    for position in 0..<page.count {
      let fields = try page.fields(at: position)
      let length = page.prefix.count + fields.suffix.count
      guard (1...LogLimits.keyByteCount).contains(length) else {
        throw .invalidValue(offset: 0, reason: "a key has \(length) bytes")
      }
      keyBytes.writeBytes(page.prefix)
      keyBytes.writeBytes(fields.suffix)
      let key = UnsafeRawBufferPointer(rebasing: keyBytes.bytes[(keyBytes.count - length)...])
      (keys + position).initialize(to: IndexKey(collection, key))
      (values + position).initialize(to: try page.value(fields))
    }
    placeKeys(count: page.count)
    return page.count
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
