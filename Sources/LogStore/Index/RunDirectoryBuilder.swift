internal import BinaryCoding

/// Builds the ``RunDirectory`` of a run while its pages are written.
struct RunDirectoryBuilder: ~Copyable {
  private var rows = ByteWriter(capacity: 4 << 10)
  private var keys = ByteWriter(capacity: 4 << 10)
  private(set) var pageCount: UInt32 = 0

  /// Bytes of memory, and of the directory to be written.
  var byteCount: Int { rows.count + keys.count }

  /// Adds a page at `place` that starts with `firstKey`; its size is told later.
  mutating func append(_ firstKey: UnsafeRawBufferPointer, collection: UInt32, place: UInt64) {
    rows.writeInteger(UInt32(place))
    rows.writeInteger(UInt32(0))
    rows.writeInteger(collection)
    rows.writeInteger(UInt32(keys.count))
    rows.writeInteger(UInt32(firstKey.count))
    keys.writeBytes(firstKey)
  }

  /// Ends the page that was added last.
  mutating func endPage(byteCount: Int) {
    let row = Int(pageCount) * RunDirectory.stride
    rows.mutableBytes.storeBytes(
      of: UInt32(byteCount).littleEndian, toByteOffset: row + 4, as: UInt32.self)
    pageCount += 1
  }

  /// Where a page lies that was added.
  func place(ofPage page: Int) -> Range<Int> { RunDirectory.place(ofPage: page, in: rows.bytes) }

  /// The directory; the run's last key was added as if it began a page.
  consuming func finish() -> ByteWriter {
    rows.writeBytes(keys.bytes)
    return rows
  }
}
