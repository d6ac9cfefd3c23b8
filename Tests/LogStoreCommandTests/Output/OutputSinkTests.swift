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
