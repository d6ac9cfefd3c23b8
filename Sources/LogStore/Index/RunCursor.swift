internal import BinaryCoding

/// Walks a run in key order; holds one decoded page at a time.
final class RunCursor {
  private let run: IndexRun
  private let end: Int
  private var nextPage: Int
  private var keyBytes = ByteWriter(capacity: 4 << 10)
  private var keys: [Range<Int>] = []
  private var values: [IndexValue] = []
  private var collection = CollectionIdentifier.catalog
  private var position = 0

  /// Stands on the first key not below `start`.
  init(_ run: IndexRun, from start: IndexKey?) throws(RunDamage) {
    self.run = run
    end = run.directory.pageCount
    nextPage = run.directory.firstPage(from: start)
    try loadPage()
    guard let start else { return }
    while let current, IndexKey.compare(current.key, start) < 0 { try advance() }
  }

  /// The key and value the cursor stands on, valid until it moves; nothing at the end.
  var current: (key: IndexKey, value: IndexValue)? {
    guard position < keys.count else { return nil }
    let bytes = UnsafeRawBufferPointer(rebasing: keyBytes.bytes[keys[position]])
    return (IndexKey(collection, bytes), values[position])
  }

  func advance() throws(RunDamage) {
    position += 1
    if position >= keys.count { try loadPage() }
  }

  private func loadPage() throws(RunDamage) {
    keys.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    keyBytes.removeAll()
    position = 0
    while keys.isEmpty, nextPage < end {
      let bytes = try run.page(at: nextPage)
      // A page that was read from a file lives no longer than its owner.
      defer { withExtendedLifetime(bytes) {} }
      do throws(BinaryDecodingError) {
        try decode(RunPage(bytes.buffer))
      } catch { throw .damaged("the footer's page \(nextPage): \(error)") }
      nextPage += 1
    }
  }

  private func decode(_ page: RunPage) throws(BinaryDecodingError) {
    guard let collection = CollectionIdentifier(exactly: UInt64(page.collection)) else {
      throw .invalidValue(offset: 4, reason: "collection above the limit")
    }
    self.collection = collection
    for position in 0..<page.count {
      let fields = try page.fields(at: position)
      let start = keyBytes.count
      keyBytes.writeBytes(page.prefix)
      keyBytes.writeBytes(fields.suffix)
      let length = keyBytes.count - start
      guard (1...LogLimits.keyByteCount).contains(length) else {
        throw .invalidValue(offset: 0, reason: "a key has \(length) bytes")
      }
      let value = try page.value(fields)
      keys.append(start..<keyBytes.count)
      values.append(value)
    }
  }
}
