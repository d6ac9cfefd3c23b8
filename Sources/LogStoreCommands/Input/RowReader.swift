/// Yields the rows of an import file one by one, in memory bounded by the largest row.
protocol RowReader: AnyObject {
  /// The number of bytes read so far from the input, for progress.
  var byteCountRead: UInt64 { get }

  /// The names that the members of all rows have, and the line that gives them; nothing where each
  /// row names its own, or there is no line.
  func header() throws(ImportError) -> (line: Int, names: [String])?

  /// The next row, or nothing at the end. After an error the reader must not be used again.
  func next() throws(ImportError) -> ImportRow?
}
