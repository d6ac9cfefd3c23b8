internal import BinaryCoding

/// The small top level of a run, kept in memory: where each page is and with which key it starts.
///
///     offset  size  field, for each page and once more for the run's last key
///          0     4  place of the page, from the end of the run's header
///          4     4  length of the page; 0 for the last key
///          8     4  collection
///         12     4  place of the first key, from the end of this table
///         16     4  length of the first key
struct RunDirectory: Sendable {
  private let bytes: MappedRunBytes
  let pageCount: Int
  static let stride = 20

  /// Checks every place against the bytes, so that later use needs no checks.
  init(_ bytes: MappedRunBytes, pageCount: Int, pagesByteCount: UInt64) throws(BinaryDecodingError)
  {
    self.bytes = bytes
    self.pageCount = pageCount
    let rows = pageCount == 0 ? 0 : pageCount + 1
    let (tableByteCount, overflow) = rows.multipliedReportingOverflow(by: Self.stride)
    guard !overflow, tableByteCount <= bytes.count else {
      throw .invalidValue(offset: 0, reason: "the directory is shorter than its table")
    }
    let keysByteCount = UInt64(bytes.count - tableByteCount)
    for row in 0..<rows {
      let place = UInt64(word(row, 0)) + UInt64(word(row, 4))
      let key = UInt64(word(row, 12)) + UInt64(word(row, 16))
      guard place <= pagesByteCount, key <= keysByteCount, word(row, 16) > 0,
        word(row, 8) < LogLimits.collectionCount
      else { throw .invalidValue(offset: row * Self.stride, reason: "a place lies outside") }
    }
  }

  private func word(_ row: Int, _ field: Int) -> UInt32 { Self.word(row, field, bytes.buffer) }

  private static func word(_ row: Int, _ field: Int, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
    UInt32(
      littleEndian: bytes.loadUnaligned(fromByteOffset: row * stride + field, as: UInt32.self))
  }

  /// Where a page lies, from the end of the run's header.
  func place(ofPage page: Int) -> Range<Int> { Self.place(ofPage: page, in: bytes.buffer) }

  /// The same in the bytes of a directory.
  static func place(ofPage page: Int, in bytes: UnsafeRawBufferPointer) -> Range<Int> {
    let start = Int(word(page, 0, bytes))
    return start..<(start + Int(word(page, 4, bytes)))
  }

  private func key(_ row: Int) -> IndexKey {
    let keys = (pageCount + 1) * Self.stride
    let start = keys + Int(word(row, 12))
    return IndexKey(
      CollectionIdentifier(word(row, 8)),
      UnsafeRawBufferPointer(rebasing: bytes.buffer[start..<(start + Int(word(row, 16)))]))
  }

  /// The first and the last key, or what sorts before and behind them; nothing in an empty run.
  var bounds: (first: IndexKey, last: IndexKey)? {
    pageCount == 0 ? nil : (key(0), key(pageCount))
  }

  /// The page that holds `key` if any does; nothing when it is outside the run's range.
  func page(for key: IndexKey) -> Int? {
    guard pageCount > 0, IndexKey.compare(key, self.key(pageCount)) <= 0 else { return nil }
    let position = lastPage(notAfter: key)
    return position < 0 ? nil : position
  }

  /// The page from which a walk from `key` on starts.
  func firstPage(from key: IndexKey?) -> Int {
    guard let key else { return 0 }
    return max(0, lastPage(notAfter: key))
  }

  private func lastPage(notAfter key: IndexKey) -> Int {
    var low = 0
    var high = pageCount
    while low < high {
      let middle = (low + high) >> 1
      if IndexKey.compare(self.key(middle), key) <= 0 { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }
}
