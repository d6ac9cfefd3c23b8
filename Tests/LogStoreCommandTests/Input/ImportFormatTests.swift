import Testing

@testable import LogStoreCommands

@Suite("The format of an import follows from the file's name")
struct ImportFormatTests {
  @Test(
    "Known endings are recognised in either case",
    arguments: [
      ("a.jsonl", ImportFormat.jsonLines), ("a.b.NDJSON", .jsonLines), ("x/a.csv", .commaSeparated),
      ("a.tsv", .tabSeparated), ("a.tab", .tabSeparated),
    ])
  func known(name: String, format: ImportFormat) {
    #expect(ImportFormat(fileName: name) == format)
  }

  @Test("Other names promise nothing", arguments: ["a", "a.json", "csv", "a.csv.gz", ""])
  func unknown(name: String) {
    #expect(ImportFormat(fileName: name) == nil)
  }
}
