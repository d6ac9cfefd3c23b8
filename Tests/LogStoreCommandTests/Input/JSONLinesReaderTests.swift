import Testing

@testable import LogStoreCommands

@Suite("JSON Lines give one row for each object")
struct JSONLinesReaderTests {
  @Test("Rows carry their line; blank lines are skipped", arguments: [1, 3, 1000])
  func linesAndBlanks(partByteCount: Int) throws {
    let text = "{\"a\":1}\n\n  \t\r\n{\"a\":2}\r\n{\"a\":3}"
    let rows = try rows(.jsonLines, text, partByteCount: partByteCount)
    #expect(rows.map(\.line) == [1, 4, 5])
    #expect(rows.map { $0["a"] } == [.integer(1), .integer(2), .integer(3)])
    #expect(rows[0]["b"] == nil)
  }

  @Test("A malformed line is named with the byte where it goes wrong")
  func malformed() {
    #expect(
      throws: ImportError.invalidJSON(line: 2, byte: 6, problem: .unexpectedByte)
    ) { try rows(.jsonLines, "{}\n{\"a\":}\n") }
  }

  @Test("Something else than an object is named by its kind")
  func notAnObject() {
    #expect(throws: ImportError.notAnObject(line: 1, found: "a list")) {
      try rows(.jsonLines, "[1]\n")
    }
  }

  @Test("Invalid UTF-8 is named by its line")
  func invalidUTF8() {
    let bytes = Array("{}\n{\"a\":\"".utf8) + [0xFF] + Array("\"}".utf8)
    let reader = JSONLinesReader(MemoryInput(bytes))
    #expect(throws: ImportError.invalidUTF8(line: 2)) { while try reader.next() != nil {} }
  }
}
