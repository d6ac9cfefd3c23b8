import FileIO
import Testing

@Suite("A file name")
struct FileNameTests {
  @Test(
    "is never a path, hidden, empty, long or exotic, whoever wrote it (P16)",
    arguments: [
      "", ".", "..", ".hidden", "/", "a/b", "../a", "a/", "/etc/passwd", "a\\b", "a b", "a\0",
      "a\n", "é", "a\u{301}", "名", "a:b", "a*", "~", "$HOME", String(repeating: "a", count: 101),
    ])
  func refused(_ text: String) {
    #expect(FileName(text) == nil)
  }

  @Test(
    "is made of letters, digits, dots, dashes and underscores",
    arguments: [
      "a", "Z", "0", "-", "_", "a.", "a..b", "00-FF_z.log", String(repeating: "a", count: 100),
    ])
  func accepted(_ text: String) {
    #expect(FileName(text)?.description == text)
  }
}
