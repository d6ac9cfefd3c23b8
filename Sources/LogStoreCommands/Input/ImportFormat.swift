internal import FileIO

/// The formats that `import` reads.
enum ImportFormat: String, CaseIterable, Sendable {
  /// JSON Lines: one object on each line.
  case jsonLines = "jsonl"
  /// Comma-separated values as in RFC 4180, with a header row.
  case commaSeparated = "csv"
  /// Tab-separated values with a header row; `\t`, `\n`, `\r` and `\\` are escapes.
  case tabSeparated = "tsv"

  /// The format that the ending of a file's name promises, or nothing.
  init?(fileName: String) {
    guard let dot = fileName.lastIndex(of: ".") else { return nil }
    switch fileName[fileName.index(after: dot)...].lowercased() {
    case "jsonl", "ndjson": self = .jsonLines
    case "csv": self = .commaSeparated
    case "tsv", "tab": self = .tabSeparated
    default: return nil
    }
  }

  /// A reader of the rows of `input`.
  func reader(of input: any ByteInput) -> any RowReader {
    switch self {
    case .jsonLines: JSONLinesReader(input)
    case .commaSeparated: DelimitedReader(input, dialect: .commaSeparated)
    case .tabSeparated: DelimitedReader(input, dialect: .tabSeparated)
    }
  }
}
