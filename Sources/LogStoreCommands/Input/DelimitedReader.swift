internal import FileIO

/// Reads CSV or TSV with a header row; every cell is text, an empty cell is empty text.
///
/// Rows must have as many cells as the header. Empty lines are skipped, unless there is only one
/// column, where they are rows with an empty cell.
final class DelimitedReader: RowReader {
  var byteCountRead: UInt64 { lines.byteCountRead }
  private let lines: LineReader
  private let rowByteCountLimit: Int
  private var parser: DelimitedParser
  /// What the header says once it has been read.
  private var columns: (line: Int, names: [String])?

  /// Reads rows from `input`, none longer than `rowByteCountLimit` bytes.
  init(
    _ input: any ByteInput, dialect: DelimitedDialect,
    rowByteCountLimit: Int = ImportLimits.rowByteCountMaximum
  ) {
    lines = LineReader(input, lineByteCountLimit: rowByteCountLimit)
    self.rowByteCountLimit = rowByteCountLimit
    parser = DelimitedParser(dialect: dialect)
  }

  func next() throws(ImportError) -> ImportRow? {
    guard let columns = try header()?.names else { return nil }
    while let line = try readRow() {
      let cells = parser.cells
      if columns.count > 1, parser.isEmptyLine { continue }
      guard cells.count == columns.count else {
        throw .cellCount(line: line, expected: columns.count, found: cells.count)
      }
      let members = zip(columns, cells).map { ImportMember($0, .text($1)) }
      return ImportRow(line: line, members: members)
    }
    return nil
  }

  func header() throws(ImportError) -> (line: Int, names: [String])? {
    if let columns { return columns }
    guard let line = try readRow() else { return nil }
    let names = parser.cells
    if let index = names.firstIndex(of: "") {
      throw .invalidHeader(line: line, problem: "column \(index + 1) has no name")
    }
    var seen: Set<String> = []
    for name in names where !seen.insert(name).inserted {
      throw .invalidHeader(line: line, problem: "two columns are called \"\(name)\"")
    }
    columns = (line, names)
    return columns
  }

  /// Reads one row, which may span lines, into the parser; gives the number of its first line.
  private func readRow() throws(ImportError) -> Int? {
    let first = lines.lineNumber + 1
    parser.startRow()
    var byteCount = 0
    while true {
      let number = lines.lineNumber + 1
      let lineByteCount = try lines.next { (line) throws(ImportError) -> Int in
        try parser.parse(line, number: number)
        return line.count
      }
      guard let lineByteCount else {
        guard number == first else { throw .unterminatedQuote(line: parser.quoteLine) }
        return nil
      }
      byteCount += lineByteCount
      guard byteCount <= rowByteCountLimit else {
        if parser.isInsideQuotes {
          throw .unterminatedQuote(line: parser.quoteLine, within: rowByteCountLimit)
        }
        throw .rowTooLong(line: first, limit: rowByteCountLimit)
      }
      guard parser.isInsideQuotes else { return first }
      byteCount += lines.terminator.bytes.count
      parser.continueQuotes(after: lines.terminator)
    }
  }
}
