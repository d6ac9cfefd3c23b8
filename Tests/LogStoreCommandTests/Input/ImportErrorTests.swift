import FileIO
import SchemaRegistry
import Testing

@testable import LogStoreCommands

@Suite("Each import error is a sentence that names the line")
struct ImportErrorTests {
  @Test(
    "Sentences",
    arguments: [
      (
        ImportError.rowTooLong(line: 3, limit: 64),
        "line 3 is longer than 64 bytes; split the object or check the line ends"
      ),
      (.invalidUTF8(line: 3), "line 3 is not valid UTF-8; convert the file to UTF-8 first"),
      (
        .invalidJSON(line: 3, byte: 7, problem: .duplicateMember(name: "id")),
        "line 3 is not valid JSON at byte 7: member \"id\" appears twice"
      ),
      (
        .notAnObject(line: 3, found: "a list"),
        "line 3 holds a list instead of an object; each line must be one JSON object"
      ),
      (
        .invalidHeader(line: 1, problem: "column 2 has no name"),
        "the header in line 1 cannot be used: column 2 has no name"
      ),
      (
        .cellCount(line: 3, expected: 2, found: 1),
        "line 3 has 1 cells but the header has 2 columns"
      ),
      (
        .unterminatedQuote(line: 3),
        "the quoted cell that starts in line 3 is never closed; double quotes inside cells"
      ),
      (
        .misplacedQuote(line: 3, byte: 4),
        "line 3 has a misplaced quote at byte 4; quote the whole cell and double quotes inside it"
      ),
      (
        .invalidEscape(line: 3, byte: 4),
        "line 3 has an unknown escape at byte 4; write \\\\ for a backslash"
      ),
      (
        .strayCarriageReturn(line: 3, byte: 4),
        "line 3 has a carriage return at byte 4 that no line feed follows; end lines with line "
          + "feeds, and quote cells of CSV that hold one, or write \\r in TSV"
      ),
      (.tooManyMembers(line: 3, limit: 9), "line 3 has more than 9 members"),
      (
        .tooManyNames(line: 3, limit: 9),
        "line 3 has a name beyond the 9 different ones that a shape is inferred from; give a "
          + "history file"
      ),
      (
        .tooLongNames(line: 3, limit: 9),
        "line 3 has a name beyond the 9 bytes that the different ones have together that a shape "
          + "is inferred from; give a history file"
      ),
      (
        .conflictingKinds(
          member: "age", line: 1, kind: "an integer", otherLine: 3, otherKind: "text"),
        "member \"age\" is an integer in line 1 but text in line 3; make them alike or give a"
          + " history file"
      ),
      (
        .unknownMember(line: 3, member: "color"),
        "line 3 has a member \"color\" that the type lacks; add it to the history"
      ),
      (
        .missingMember(line: 3, member: "size"),
        "line 3 lacks the member \"size\", which the type requires"
      ),
      (
        .invalidValue(line: 3, member: "size", type: "int32", found: "a number"),
        "line 3 has a number in the member \"size\", which cannot be stored as int32"
      ),
      (
        .unusableKey(member: "id", reason: "no row has it"),
        "the member \"id\" cannot be the key: no row has it"
      ),
      (
        .unusableShape(.invalidShape(type: "T", reason: "the key k is not a member")),
        SchemaError.invalidShape(type: "T", reason: "the key k is not a member").description
      ),
      (
        .noRows,
        "the input has no rows to infer a shape from; give a history file or some rows"
      ),
      (
        .unreadable(FileIOError(.notFound, operation: "open", path: "x")),
        "open failed for x: it does not exist"
      ),
    ])
  func sentences(error: ImportError, sentence: String) {
    #expect(error.description == sentence)
  }
}
