/// Cuts the lines of one row of delimited text into cells.
///
/// One pass with four states per cell: before its first byte, unquoted, inside quotes, and behind
/// a quote inside quotes, which either closes the cell or is the first of a doubled quote.
struct DelimitedParser {
  private enum State {
    case start
    case unquoted
    case quoted
    case behindQuote
  }

  /// One that ends no line is that of a file whose lines end with nothing else: it would be read as
  /// one line, a header without a row.
  private static let carriageReturn = UInt8(ascii: "\r")

  let dialect: DelimitedDialect
  /// The cells of the row so far.
  private(set) var cells: [String] = []
  /// Whether the row was one line without a byte.
  private(set) var isEmptyLine = false
  /// The line on which the quotes opened that `isInsideQuotes` tells of.
  private(set) var quoteLine = 0
  private var state = State.start
  /// The bytes of the cell being read, without quotes and escapes.
  private var cell: [UInt8] = []

  init(dialect: DelimitedDialect) {
    self.dialect = dialect
  }

  /// Whether the row goes on in the next line.
  var isInsideQuotes: Bool { state == .quoted }

  mutating func startRow() {
    cells.removeAll(keepingCapacity: true)
    cell.removeAll(keepingCapacity: true)
    isEmptyLine = false
    state = .start
  }

  /// Keeps the end of a line that belongs to a quoted cell.
  mutating func continueQuotes(after terminator: LineTerminator) {
    cell.append(contentsOf: terminator.bytes)
  }

  /// Takes up one line of the row; `number` counts lines from 1.
  mutating func parse(_ line: Span<UInt8>, number: Int) throws(ImportError) {
    isEmptyLine = cells.isEmpty && state == .start && line.isEmpty
    switch dialect {
    case .commaSeparated: try parseQuoted(line, number: number)
    case .tabSeparated: try parseEscaped(line, number: number)
    }
    if state != .quoted { try finishCell(line: number) }
  }

  private mutating func parseQuoted(_ line: Span<UInt8>, number: Int) throws(ImportError) {
    let quote = UInt8(ascii: "\"")
    for index in line.indices {
      let byte = line[index]
      switch state {
      case .start where byte == quote:
        state = .quoted
        quoteLine = number
      case .quoted where byte == quote:
        state = .behindQuote
      case .quoted:
        cell.append(byte)
      case .behindQuote where byte == quote:
        cell.append(quote)
        state = .quoted
      case .start, .unquoted, .behindQuote:
        if byte == dialect.separator {
          try finishCell(line: number)
        } else if byte == Self.carriageReturn {
          throw .strayCarriageReturn(line: number, byte: index + 1)
        } else if byte == quote || state == .behindQuote {
          throw .misplacedQuote(line: number, byte: index + 1)
        } else {
          cell.append(byte)
          state = .unquoted
        }
      }
    }
  }

  private mutating func parseEscaped(_ line: Span<UInt8>, number: Int) throws(ImportError) {
    var index = 0
    while index < line.count {
      let byte = line[index]
      if byte == dialect.separator {
        try finishCell(line: number)
      } else if byte == UInt8(ascii: "\\") {
        guard index + 1 < line.count, let plain = Self.unescaped(line[index + 1]) else {
          throw .invalidEscape(line: number, byte: index + 1)
        }
        cell.append(plain)
        index += 1
      } else if byte == Self.carriageReturn {
        throw .strayCarriageReturn(line: number, byte: index + 1)
      } else {
        cell.append(byte)
      }
      index += 1
    }
  }

  private static func unescaped(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "t"): UInt8(ascii: "\t")
    case UInt8(ascii: "n"): UInt8(ascii: "\n")
    case UInt8(ascii: "r"): UInt8(ascii: "\r")
    case UInt8(ascii: "\\"): UInt8(ascii: "\\")
    default: nil
    }
  }

  private mutating func finishCell(line: Int) throws(ImportError) {
    guard let text = String(validating: cell, as: UTF8.self) else {
      throw .invalidUTF8(line: line)
    }
    guard cells.count < ImportLimits.memberCountMaximum else {
      throw .tooManyMembers(line: line, limit: ImportLimits.memberCountMaximum)
    }
    cells.append(text)
    cell.removeAll(keepingCapacity: true)
    state = .start
  }
}
