import Testing

@testable import LogStoreCommands

@Suite("CSV and TSV give one row of texts for each line of cells")
struct DelimitedReaderTests {
  @Test(
    "Quotes, doubled quotes, separators and line ends inside quotes are read (RFC 4180)",
    arguments: [1, 2, 5, 1000])
  func quotes(partByteCount: Int) throws {
    let text = "a,b\r\nplain,\"x,y\"\r\n\"say \"\"hi\"\"\",\"one\r\ntwo\nthree\"\r\n,\"\"\r\n"
    let rows = try rows(.commaSeparated, text, partByteCount: partByteCount)
    #expect(cells(rows) == [["plain", "x,y"], ["say \"hi\"", "one\r\ntwo\nthree"], ["", ""]])
    #expect(rows.map(\.line) == [2, 3, 6])
    #expect(rows[0].members.map(\.name) == ["a", "b"])
  }

  @Test("Empty lines are skipped, unless there is only one column")
  func emptyLines() throws {
    #expect(cells(try rows(.commaSeparated, "a,b\n\n1,2\n\n")) == [["1", "2"]])
    #expect(cells(try rows(.commaSeparated, "a\n\n1\n")) == [[""], ["1"]])
  }

  @Test("Without a header there is no row")
  func empty() throws {
    #expect(try rows(.commaSeparated, "") == [])
    #expect(try rows(.tabSeparated, "a\tb\n") == [])
  }

  @Test("Cells of TSV are unescaped")
  func escapes() throws {
    let text = "a\tb\n1\\t2\tx\\ny\\\\z\\r\n\"q\"\t\n"
    #expect(cells(try rows(.tabSeparated, text)) == [["1\t2", "x\ny\\z\r"], ["\"q\"", ""]])
  }

  @Test(
    "Malformed CSV is an error that names the line",
    arguments: [
      ("a,b\n1\n", ImportError.cellCount(line: 2, expected: 2, found: 1)),
      ("a,b\n1,2,3\n", .cellCount(line: 2, expected: 2, found: 3)),
      ("a\n\"x\ny", .unterminatedQuote(line: 2)),
      ("a\n\"x\ny\",\"z\n", .unterminatedQuote(line: 3)),
      ("a\nx\"y\n", .misplacedQuote(line: 2, byte: 2)),
      ("a\n\"x\"y\n", .misplacedQuote(line: 2, byte: 4)),
      ("a,,b\n", .invalidHeader(line: 1, problem: "column 2 has no name")),
      ("a,b,a\n", .invalidHeader(line: 1, problem: "two columns are called \"a\"")),
    ])
  func malformed(text: String, error: ImportError) {
    #expect(throws: error) { try rows(.commaSeparated, text) }
  }

  @Test(
    "Carriage returns that no line feed follows are refused: they would make one line of many",
    arguments: [
      ("a,b\r1,2\r", 1, 4), ("a,b\n1,2\r3,4\n", 2, 4), ("a\r\r\n", 1, 2),
      ("a\n\"x\"\r\"y\"\n", 2, 4), ("a\n\r\r\n", 2, 1),
    ])
  func carriageReturns(text: String, line: Int, byte: Int) {
    let error = ImportError.strayCarriageReturn(line: line, byte: byte)
    #expect(throws: error) { try rows(.commaSeparated, text) }
    let tabs = text.replacing(",", with: "\t").replacing("\"", with: "'")
    #expect(throws: error) { try rows(.tabSeparated, tabs) }
  }

  @Test("A carriage return at the end of the input is part of the line's end")
  func lastCarriageReturn() throws {
    #expect(cells(try rows(.commaSeparated, "a,b\r\n1,2\r")) == [["1", "2"]])
    #expect(cells(try rows(.commaSeparated, "a\n\"x\ry\"\r")) == [["x\ry"]])
    #expect(cells(try rows(.tabSeparated, "a\tb\r\n1\t2\r")) == [["1", "2"]])
  }

  @Test("An unknown or unfinished escape of TSV is an error")
  func invalidEscapes() {
    #expect(throws: ImportError.invalidEscape(line: 2, byte: 2)) {
      try rows(.tabSeparated, "a\nx\\y\n")
    }
    #expect(throws: ImportError.invalidEscape(line: 2, byte: 2)) {
      try rows(.tabSeparated, "a\nx\\\n")
    }
  }

  @Test("Invalid UTF-8 is an error")
  func invalidUTF8() {
    let reader = DelimitedReader(
      MemoryInput(Array("a\n".utf8) + [0xC0, 0x80]), dialect: .commaSeparated)
    #expect(throws: ImportError.invalidUTF8(line: 2)) { try reader.next() }
  }

  @Test("A quoted cell that is never closed stops at the limit instead of filling memory")
  func rowLimit() {
    let text = "a\n\"" + String(repeating: "1234\n", count: 100)
    let reader = DelimitedReader(
      MemoryInput(text), dialect: .commaSeparated, rowByteCountLimit: 64)
    #expect(throws: ImportError.unterminatedQuote(line: 2, within: 64)) { try reader.next() }
    let empty = DelimitedReader(
      MemoryInput("a\n\"" + String(repeating: "\r\n", count: 1000)), dialect: .commaSeparated,
      rowByteCountLimit: 64)
    #expect(throws: ImportError.unterminatedQuote(line: 2, within: 64)) { try empty.next() }
    // The quote may be in a later line of the row.
    let later = DelimitedReader(
      MemoryInput("a,b\n\"x\ny\",\"" + String(repeating: "1234\n", count: 100)),
      dialect: .commaSeparated, rowByteCountLimit: 64)
    let error = ImportError.unterminatedQuote(line: 3, within: 64)
    #expect(throws: error) { try later.next() }
    #expect("\(error)".contains("starts in line 3 is not closed within the 64 bytes that a row"))
    #expect(error.line == 3)
    let long = DelimitedReader(
      MemoryInput("a\n\"x\n" + String(repeating: "1", count: 60) + "\"\n"),
      dialect: .commaSeparated, rowByteCountLimit: 62)
    #expect(throws: ImportError.rowTooLong(line: 2, limit: 62)) { try long.next() }
  }
}
