import FileIO
import Testing

@testable import LogStoreCommands

@Suite("Output is collected and written in large parts")
struct OutputSinkTests {
  @Test("Nothing is written before the buffer is full or flushed")
  func buffering() throws {
    let output = MemoryOutput()
    let sink = OutputSink(output, bufferByteCount: 8)
    try sink.writeLine("abc")
    #expect(output.text == "")
    try sink.write(Array("defgh".utf8))
    #expect(output.text == "abc\ndefgh")
    try sink.writeLine("x")
    try sink.flush()
    try sink.flush()
    #expect(output.text == "abc\ndefghx\n")
    #expect(output.writeCount == 2)
  }

  @Test("Lines for people show control characters, and lines for programs have them as they are")
  func controlCharacters() throws {
    let output = MemoryOutput()
    let sink = OutputSink(output)
    let text = "a\nb\u{1B}[2J\u{7F}\u{9B}\u{202E}\u{2066}\u{2028}ä…👩‍👧"
    try sink.writeLine(text)
    try sink.writeText("\u{202E}")
    try sink.flush()
    let shown = #"a\u{a}b\u{1b}[2J\u{7f}\u{9b}\u{202e}\u{2066}\u{2028}ä…👩‍👧"#
    #expect(output.text == shown + "\n\u{202E}\n")
  }

  @Test("A message may have several lines, none of which looks like another message")
  func messages() {
    #expect(VisibleText.message("a\nb\r\n  c\n") == "a\n  b\\u{d}\n  c\n")
    #expect(VisibleText.message("one") == "one")
  }

  @Test("One that outlives its reader takes what comes and says nothing, but for a full disk")
  func outliving() throws {
    let closed = OutputSink(MemoryOutput(failure: (.brokenPipe, 3)), bufferByteCount: 1)
    closed.outlivesReader = true
    for _ in 0..<3 { try closed.writeLine("x") }
    closed.outlivesReader = false
    #expect(throws: OutputError.readerGone) { try closed.writeLine("x") }
    let full = OutputSink(MemoryOutput(failure: (.noSpace, 0)), bufferByteCount: 1)
    full.outlivesReader = true
    #expect(throws: OutputError.self) { try full.writeLine("x") }
  }

  @Test("A reader that has gone is told apart from a full disk")
  func failures() throws {
    let closed = OutputSink(MemoryOutput(failure: (.brokenPipe, 0)))
    try closed.writeLine("x")
    #expect(throws: OutputError.readerGone) { try closed.flush() }
    let full = OutputSink(MemoryOutput(failure: (.noSpace, 0)))
    try full.writeLine("x")
    let cause = FileIOError(.noSpace, operation: "write", path: "memory")
    #expect(throws: OutputError.unwritable(cause)) { try full.flush() }
    #expect(OutputError.unwritable(cause).description == cause.description)
    #expect(OutputError.readerGone.description == "the reader of the output has gone")
  }
}
