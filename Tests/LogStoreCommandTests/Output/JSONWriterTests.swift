import Testing

@testable import LogStoreCommands

@Suite("Written JSON reads back as the same value")
struct JSONWriterTests {
  private func written(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    write(&writer)
    return writer.text
  }

  @Test("Only what must be escaped is escaped")
  func escapes() throws {
    let text = "\"\\/\u{8}\u{C}\n\r\t\u{0}\u{1F}\u{7F}é\u{1F600}\u{2028}"
    let json = written { $0.append(text) }
    #expect(json == #""\"\\/\b\f\n\r\t\u0000\u001f"# + "\u{7F}é\u{1F600}\u{2028}\"")
    #expect(try LogStoreCommandTests.json(json) == .text(text))
  }

  @Test("For a terminal, what it would obey is escaped, too, and reads back as the same")
  func terminal() throws {
    let text = "\"\\\n\u{1F}\u{7F}\u{80}\u{9F}\u{A0}\u{61C}\u{2029}\u{1F600}é"
    var writer = JSONWriter(isForTerminal: true)
    writer.append(text)
    let escaped = #""\"\\\n\u001f\u007f\u0080\u009f"# + "\u{A0}" + #"\u061c\u2029"#
    #expect(writer.text == escaped + "\u{1F600}é\"")
    #expect(try json(writer.text) == .text(text))
  }

  @Test(
    "Doubles are written with the fewest digits that read back",
    arguments: [
      (0.1, "0.1"), (1, "1.0"), (-0.0, "-0.0"), (1e16, "1e+16"), (1.5e-7, "1.5e-07"),
      (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
      (.leastNonzeroMagnitude, "5e-324"), (.infinity, "\"Infinity\""),
      (-.infinity, "\"-Infinity\""), (.nan, "\"NaN\""),
    ] as [(Double, String)])
  func doubles(value: Double, text: String) throws {
    #expect(written { $0.append(value) } == text)
    if value.isFinite { #expect(try json(text).real == value) }
  }

  @Test("Integers and booleans are written exactly")
  func exact() {
    #expect(written { $0.append(Int64.min) } == "-9223372036854775808")
    #expect(written { $0.append(true) } == "true")
    #expect(written { $0.append(false) } == "false")
  }
}
