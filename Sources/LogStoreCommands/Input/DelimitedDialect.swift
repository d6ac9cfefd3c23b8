/// The two kinds of delimited text.
enum DelimitedDialect: Sendable {
  /// RFC 4180: commas, quoted cells with doubled quotes, line ends allowed inside quotes.
  case commaSeparated
  /// Tabs, no quotes; `\t`, `\n`, `\r` and `\\` stand for what a cell could not hold otherwise.
  case tabSeparated

  var separator: UInt8 {
    switch self {
    case .commaSeparated: UInt8(ascii: ",")
    case .tabSeparated: UInt8(ascii: "\t")
    }
  }
}
