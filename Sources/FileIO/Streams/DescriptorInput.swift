#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Reads a file or standard input from its start to its end through a descriptor.
public final class DescriptorInput: ByteInput {
  public let name: String
  public let byteCount: UInt64?
  private let descriptor: Int32
  /// Standard input is borrowed from the process and stays open.
  private let ownsDescriptor: Bool

  /// Opens the file at `path`; pipes and devices may be named too.
  public init(path: String) throws(FileIOError) {
    var opened: Int32
    repeat { opened = open(path, O_RDONLY | O_CLOEXEC) } while opened < 0 && errno == EINTR
    guard opened >= 0 else {
      throw FileIOError(streamError: errno, operation: "open", path: path)
    }
    name = path
    descriptor = opened
    ownsDescriptor = true
    byteCount = Self.plainFileByteCount(opened)
  }

  private init(borrowing descriptor: Int32, name: String) {
    self.name = name
    self.descriptor = descriptor
    ownsDescriptor = false
    byteCount = Self.plainFileByteCount(descriptor)
  }

  deinit {
    if ownsDescriptor { _ = close(descriptor) }
  }

  /// The standard input of this process.
  public static func standardInput() -> DescriptorInput {
    DescriptorInput(borrowing: STDIN_FILENO, name: "standard input")
  }

  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileIOError) -> Int {
    guard let start = buffer.baseAddress, buffer.count > 0 else { return 0 }
    while true {
      let count = readBytes(descriptor, start, buffer.count)
      if count >= 0 { return count }
      let code = errno
      if code == EINTR { continue }
      throw FileIOError(streamError: code, operation: "read", path: name)
    }
  }

  private static func plainFileByteCount(_ descriptor: Int32) -> UInt64? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, (status.st_mode & S_IFMT) == S_IFREG else { return nil }
    return UInt64(exactly: status.st_size)
  }
}

/// The system call, reached from outside the class whose method has the same name.
private func readBytes(_ descriptor: Int32, _ start: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(descriptor, start, count)
}
