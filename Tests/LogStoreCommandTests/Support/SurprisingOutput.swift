import FileIO

/// Output kept in memory; calls a closure after each write.
final class SurprisingOutput: ByteOutput {
  let name = "surprising memory"
  private let output = MemoryOutput()
  private let afterWrite: () -> Void

  init(afterWrite: @escaping () -> Void) {
    self.afterWrite = afterWrite
  }

  var text: String { output.text }

  func write(_ part: UnsafeRawBufferPointer) throws(FileIOError) {
    try output.write(part)
    afterWrite()
  }
}
