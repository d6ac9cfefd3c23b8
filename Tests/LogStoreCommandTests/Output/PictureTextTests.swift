import Testing

@testable import LogStoreCommands

@Suite("Texts on a page are texts, whatever they hold")
struct PictureTextTests {
  @Test("No bracket, quote or ampersand passes, in whatever company it is")
  func escaping() {
    #expect(PictureText.escaped("a<b>&\"'ä") == "a&lt;b&gt;&amp;&quot;&#39;ä")
    // A sign that goes before numbers is one character with what follows, an accent with what it
    // follows.
    for text in ["\u{600}<b\u{600}>", "<\u{301}b>\u{301}", "\u{600}\"\u{301}\u{600}'\u{600}&"] {
      let scalars = Array(PictureText.escaped(text).unicodeScalars)
      #expect(!scalars.contains("<") && !scalars.contains(">"), "\(text)")
      #expect(!scalars.contains("\"") && !scalars.contains("'"), "\(text)")
    }
  }
}
