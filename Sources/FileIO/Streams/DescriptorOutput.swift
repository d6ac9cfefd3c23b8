#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Writes to standard output or standard error, without a buffer of its own.
public final class DescriptorOutput: ByteOutput {
  public let name: String
  /// The number of columns when this is a terminal, otherwise nothing.
  public var terminalColumnCount: Int? {
    guard isatty(descriptor) == 1 else { return nil }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
  private let descriptor: Int32

  private init(borrowing descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  /// The standard output of this process.
  public static func standardOutput() -> DescriptorOutput {
    DescriptorOutput(borrowing: STDOUT_FILENO, name: "standard output")
  }

  /// The standard error of this process.
  public static func standardError() -> DescriptorOutput {
    DescriptorOutput(borrowing: STDERR_FILENO, name: "standard error")
  }

  public func write(_ bytes: UnsafeRawBufferPointer) throws(FileIOError) {
    guard let start = bytes.baseAddress else { return }
    var written = 0
    while written < bytes.count {
      let count = writeBytes(descriptor, start + written, bytes.count - written)
      if count >= 0 {
        written += count
        continue
      }
      let code = errno
      if code == EINTR { continue }
      throw FileIOError(streamError: code, operation: "write", path: name)
    }
  }
}

/// The system call, reached from outside the class whose method has the same name.
private func writeBytes(_ descriptor: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
  write(descriptor, start, count)
}
