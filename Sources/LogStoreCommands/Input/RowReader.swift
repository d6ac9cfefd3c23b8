/// Yields the rows of an import file one by one, in memory bounded by the largest row.
protocol RowReader: AnyObject {
  /// The number of bytes read so far from the input, for progress.
  var byteCountRead: UInt64 { get }

  /// The next row, or nothing at the end. After an error the reader must not be used again.
  func next() throws(ImportError) -> ImportRow?
}
