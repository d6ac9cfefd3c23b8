internal import BinaryCoding

/// The small top level of a run: where each page is and with which key it starts.
///
///     offset  size  field, for each page and once more for the run's last key
///          0     4  place of the page, from the end of the run's header
///          4     4  length of the page; 0 for the last key
///          8     4  collection
///         12     4  place of the first key, from the end of this table
///         16     4  length of the first key
///
/// It grows with the run and is not checked as a whole, so that opening a run costs the same
/// however large it is. What it says is a hint: a line is checked to lie within when it is read,
/// and whoever follows it asks the page that it leads to, and that page's neighbours, whether it
/// told the truth: see `IndexRun.check(_:on:for:)`.
struct RunDirectory: Sendable {
  /// Keeps what `bytes` points to.
  private let owner: MappedRunBytes
  nonisolated(unsafe) private let bytes: UnsafeRawBufferPointer
  private let pagesByteCount: Int
  private let tableByteCount: Int
  let pageCount: Int
  /// The first and the last key; nothing in an empty run.
  /// Whoever opens the run compares them with its pages.
  nonisolated(unsafe) let bounds: (first: IndexKey, last: IndexKey)?
  static let stride = 20

  /// - Throws: when the table, or its first or last line, does not fit the bytes.
  init(_ owner: MappedRunBytes, pageCount: Int, pagesByteCount: Int) throws(BinaryDecodingError) {
    let bytes = owner.buffer
    let rows = pageCount == 0 ? 0 : pageCount + 1
    let (tableByteCount, overflow) = rows.multipliedReportingOverflow(by: Self.stride)
    guard !overflow, tableByteCount <= bytes.count else {
      throw .invalidValue(offset: 0, reason: "the directory is shorter than its table")
    }
    self.owner = owner
    self.bytes = bytes
    self.pageCount = pageCount
    self.pagesByteCount = pagesByteCount
    self.tableByteCount = tableByteCount
    bounds =
      pageCount == 0
      ? nil
      : (
        first: try Self.key(0, in: bytes, behind: tableByteCount),
        last: try Self.key(pageCount, in: bytes, behind: tableByteCount)
      )
  }

  /// The checksum of all of it, as the run's header has it.
  var checksum: UInt32 { Checksum.crc32c(bytes) }

  @inline(__always)
  private static func word(_ row: Int, _ field: Int, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
    UInt32(
      littleEndian: bytes.loadUnaligned(fromByteOffset: row * stride + field, as: UInt32.self))
  }

  /// Where a page lies, from the end of the run's header: within the pages.
  func place(ofPage page: Int) throws(BinaryDecodingError) -> Range<Int> {
    let place = Self.place(ofPage: page, in: bytes)
    guard place.upperBound <= pagesByteCount else { throw Self.outside(page) }
    return place
  }

  /// The same in the bytes of a directory that is being built.
  static func place(ofPage page: Int, in bytes: UnsafeRawBufferPointer) -> Range<Int> {
    let start = Int(word(page, 0, bytes))
    return start..<(start + Int(word(page, 4, bytes)))
  }

  /// With which key a page starts.
  @inline(__always)
  func key(ofPage page: Int) throws(BinaryDecodingError) -> IndexKey {
    try Self.key(page, in: bytes, behind: tableByteCount)
  }

  @inline(__always)
  private static func key(
    _ row: Int, in bytes: UnsafeRawBufferPointer, behind tableByteCount: Int
  ) throws(BinaryDecodingError) -> IndexKey {
    let start = tableByteCount + Int(word(row, 12, bytes))
    let length = Int(word(row, 16, bytes))
    let collection = word(row, 8, bytes)
    guard length > 0, start + length <= bytes.count, collection < LogLimits.collectionCount else {
      throw outside(row)
    }
    return IndexKey(
      CollectionIdentifier(collection),
      UnsafeRawBufferPointer(rebasing: bytes[start..<(start + length)]))
  }

  private static func outside(_ row: Int) -> BinaryDecodingError {
    .invalidValue(offset: row * stride, reason: "a place lies outside")
  }

  /// What a key of `length` bytes takes in a directory, with what its page takes but for keys:
  /// shared by as many as fit a page, of which the first lies there. Of short ones so many fit that
  /// this is little.
  ///
  /// Beside one of more than a quarter of a page there may be no room for the next one: it counts
  /// as the only one of its page, and for one behind it, of a quarter at most, that begins another.
  @inline(__always)
  static func shareByteCount(ofKey length: Int) -> Int {
    if length <= 112 { return 0 }
    let quarter = RunFormat.unit / 4
    if length > quarter { return length + 96 + quarter }
    return (length + 96) / (RunFormat.unit / (length + 16))
  }

  /// Whether `key` is neither before the first nor behind the last key.
  func encloses(_ key: IndexKey) -> Bool {
    guard let bounds else { return false }
    return IndexKey.compare(key, bounds.last) <= 0 && IndexKey.compare(key, bounds.first) >= 0
  }

  /// The page from which a walk from `key` on starts.
  func firstPage(from key: IndexKey) throws(BinaryDecodingError) -> Int {
    var low = 0
    var high = pageCount
    while low < high {
      let middle = (low + high) >> 1
      if IndexKey.compare(try self.key(ofPage: middle), key) <= 0 {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return max(0, low - 1)
  }
}
