internal import FileIO

/// Collects output and writes it in large parts; one thread at a time.
///
/// Nothing is written behind the caller's back: call `flush` at the end, and before anything that
/// others must see at once, such as an acknowledgement.
final class OutputSink {
  /// Whether all is taken and dropped without an error once the reader has gone: for who has more
  /// to do than to be read.
  var outlivesReader = false
  private var isReaderGone = false
  private let output: any ByteOutput
  private let bufferByteCount: Int
  private var buffer: [UInt8] = []

  /// Writes to `output` whenever `bufferByteCount` bytes have come together.
  init(_ output: any ByteOutput, bufferByteCount: Int = 64 << 10) {
    self.output = output
    self.bufferByteCount = bufferByteCount
    buffer.reserveCapacity(bufferByteCount)
  }

  /// Whether what is written goes to what is at `path`, links being followed.
  func leads(to path: String) -> Bool {
    (output as? DescriptorOutput)?.leads(to: path) ?? false
  }

  /// Adds bytes as they are.
  func write(_ bytes: some Collection<UInt8>) throws(OutputError) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= bufferByteCount { try flush() }
  }

  /// Adds a line for people, in which control characters are made visible, and a line feed.
  func writeLine(_ text: String) throws(OutputError) { try writeText(VisibleText.line(text)) }

  /// Adds what a program reads, JSON for example, as it is, and a line feed.
  func writeText(_ text: String) throws(OutputError) {
    buffer.append(contentsOf: text.utf8)
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= bufferByteCount { try flush() }
  }

  /// Writes what is left. After an error the collected bytes are dropped.
  func flush() throws(OutputError) {
    guard !buffer.isEmpty else { return }
    if isReaderGone, outlivesReader { return buffer.removeAll(keepingCapacity: true) }
    let result = buffer.withUnsafeBytes { bytes in
      Result { () throws(FileIOError) in try output.write(bytes) }
    }
    buffer.removeAll(keepingCapacity: true)
    guard case .failure(let error) = result else { return }
    guard error.reason == .brokenPipe else { throw .unwritable(error) }
    isReaderGone = true
    if !outlivesReader { throw .readerGone }
  }
}
