internal import FileIO
internal import SchemaRegistry

/// Why an import file could not be read; lines and bytes within a line are counted from 1.
///
/// Names of members appear in the text, values never do.
enum ImportError: Error, Equatable, Sendable {
  /// The input itself failed.
  case unreadable(FileIOError)
  /// A line, or a row that spans lines, is longer than `limit` bytes.
  case rowTooLong(line: Int, limit: Int)
  case invalidUTF8(line: Int)
  /// The line is not JSON as RFC 8259 defines it.
  case invalidJSON(line: Int, byte: Int, problem: JSONProblem)
  /// A line of JSON Lines holds something else than an object.
  case notAnObject(line: Int, found: String)
  /// The header row names no column, an empty one, or one twice.
  case invalidHeader(line: Int, problem: String)
  /// A row has more or fewer cells than the header has columns.
  case cellCount(line: Int, expected: Int, found: Int)
  /// A quoted cell that starts on this line is never closed, or not within so many bytes of its
  /// row, which others may take up.
  case unterminatedQuote(line: Int, within: Int? = nil)
  /// A quote inside an unquoted cell, or text after a closing quote.
  case misplacedQuote(line: Int, byte: Int)
  /// A backslash of a TSV cell is not followed by `t`, `n`, `r` or a backslash.
  case invalidEscape(line: Int, byte: Int)
  /// A carriage return that neither ends a line with a line feed nor stands in a quoted cell.
  case strayCarriageReturn(line: Int, byte: Int)
  /// More members or columns than `limit`.
  case tooManyMembers(line: Int, limit: Int)
  /// With this line there are more names than `limit` in all objects that a shape is inferred from.
  case tooManyNames(line: Int, limit: Int)
  /// With this line the names in all objects that a shape is inferred from have more bytes than
  /// `limit` together.
  case tooLongNames(line: Int, limit: Int)
  /// A member holds values that no one type covers.
  case conflictingKinds(
    member: String, line: Int, kind: String, otherLine: Int, otherKind: String)
  /// A member of a row is not one of the type's.
  case unknownMember(line: Int, member: String)
  /// A row lacks a member that the type requires.
  case missingMember(line: Int, member: String)
  /// A value cannot be stored as `type` without changing it.
  case invalidValue(line: Int, member: String, type: String, found: String)
  /// A value of the member's type is none that it may have.
  case refusedValue(line: Int, member: String, reason: String)
  /// The store refuses the object, as others have what may be there once, or it is too large.
  case refusedObject(line: Int, reason: String)
  /// The value of the key cannot be one: it is empty or too long.
  case invalidKey(line: Int, reason: String)
  /// The member that was named as the key cannot be one.
  case unusableKey(member: String, reason: String)
  /// What was inferred breaks a rule of schemas.
  case unusableShape(SchemaError)
  /// Inference saw no row, so there is no shape to infer.
  case noRows
  /// The import read other rows than those that the shape was inferred from.
  case inputChanged(inferredFrom: UInt64, imported: UInt64)
}

extension ImportError: CustomStringConvertible {
  var description: String {
    switch self {
    case .unreadable(let cause): cause.description
    case .rowTooLong(let line, let limit):
      "line \(line) is longer than \(limit) bytes; split the object or check the line ends"
    case .invalidUTF8(let line):
      "line \(line) is not valid UTF-8; convert the file to UTF-8 first"
    case .invalidJSON(let line, let byte, let problem):
      "line \(line) is not valid JSON at byte \(byte): \(problem)"
    case .notAnObject(let line, let found):
      "line \(line) holds \(found) instead of an object; each line must be one JSON object"
    case .invalidHeader(let line, let problem):
      "the header in line \(line) cannot be used: \(problem)"
    case .cellCount(let line, let expected, let found):
      "line \(line) has \(found) cells but the header has \(expected) columns"
    case .unterminatedQuote(let line, nil):
      "the quoted cell that starts in line \(line) is never closed; double quotes inside cells"
    case .unterminatedQuote(let line, let limit?):
      "the quoted cell that starts in line \(line) is not closed within the \(limit) bytes that a "
        + "row may have; double quotes inside cells, or split the object"
    case .misplacedQuote(let line, let byte):
      "line \(line) has a misplaced quote at byte \(byte); quote the whole cell and double quotes"
        + " inside it"
    case .invalidEscape(let line, let byte):
      "line \(line) has an unknown escape at byte \(byte); write \\\\ for a backslash"
    case .strayCarriageReturn(let line, let byte):
      "line \(line) has a carriage return at byte \(byte) that no line feed follows; end lines "
        + "with line feeds, and quote cells of CSV that hold one, or write \\r in TSV"
    case .tooManyMembers(let line, let limit):
      "line \(line) has more than \(limit) members"
    case .tooManyNames(let line, let limit):
      "line \(line) has a name beyond the \(limit) different ones that a shape is inferred from; "
        + "give a history file"
    case .tooLongNames(let line, let limit):
      "line \(line) has a name beyond the \(limit) bytes that the different ones have together "
        + "that a shape is inferred from; give a history file"
    case .conflictingKinds(let member, let line, let kind, let otherLine, let otherKind):
      "member \"\(member)\" is \(kind) in line \(line) but \(otherKind) in line \(otherLine);"
        + " make them alike or give a history file"
    case .unknownMember(let line, let member):
      "line \(line) has a member \"\(member)\" that the type lacks; add it to the history"
    case .missingMember(let line, let member):
      "line \(line) lacks the member \"\(member)\", which the type requires"
    case .invalidValue(let line, let member, let type, let found):
      "line \(line) has \(found) in the member \"\(member)\", which cannot be stored as \(type)"
    case .refusedValue(let line, let member, let reason):
      "line \(line) has a value in the member \"\(member)\" that cannot be stored: \(reason)"
    case .refusedObject(let line, let reason):
      "line \(line) has an object that cannot be stored: \(reason)"
    case .invalidKey(let line, let reason):
      "line \(line) has a key that cannot be stored: \(reason)"
    case .unusableKey(let member, let reason):
      "the member \"\(member)\" cannot be the key: \(reason)"
    case .unusableShape(let cause): cause.description
    case .noRows:
      "the input has no rows to infer a shape from; give a history file or some rows"
    case .inputChanged(let inferred, let imported):
      "the input changed while it was read: the shape was inferred from \(inferred) rows, and "
        + "\(imported) were there to be imported; import it again, or from a pipe"
    }
  }
}
