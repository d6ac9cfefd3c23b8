import Testing

@testable import LogStoreCommands

@Suite("Tables line up")
struct TextTableTests {
  @Test("Columns are as wide as their widest cell, lines have no spaces at the end")
  func alignment() {
    var table = TextTable([("type", .left), ("records", .right), ("note", .left)])
    table.append(["Package", "63,666", ""])
    table.append(["P", "1", "émigré"])
    #expect(
      table.lines == [
        "type     records  note",
        "Package   63,666",
        "P              1  émigré",
      ])
  }
}
