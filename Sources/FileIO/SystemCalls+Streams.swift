#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The calls for files, pipes and terminals that are used from start to end.
extension SystemCalls {
  /// The descriptors that every process starts with.
  static let standardInput = STDIN_FILENO
  static let standardOutput = STDOUT_FILENO
  static let standardError = STDERR_FILENO

  /// Leads those of them that are closed to the null device, so that no file that is opened later
  /// gets their numbers; where there is none, to something that takes and gives nothing.
  static func openClosedStandardDescriptors() {
    // Each opening takes the lowest number that is free. Other programs inherit them, as ever.
    for descriptor in [standardInput, standardOutput, standardError] {
      do throws(Failure) { _ = try repeating { fcntl(descriptor, F_GETFD) } } catch {
        guard error.code == EBADF else { continue }
        do throws(Failure) { _ = try repeating { open("/dev/null", O_RDWR) } } catch {
          _ = open("/", O_RDONLY)
        }
      }
    }
  }

  /// Repeats `call` when the descriptor is ready, which another process may have told not to let
  /// anybody wait: it is shared with whoever has the same pipe or terminal.
  private static func waiting(
    for descriptor: Int32, _ events: Int32, _ call: () -> Int
  ) throws(Failure) -> Int {
    while true {
      do throws(Failure) { return try repeating(call) } catch {
        guard error.code == EAGAIN || error.code == EWOULDBLOCK else { throw error }
        var ready = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        _ = try repeating { poll(&ready, 1, -1) }
      }
    }
  }

  /// Reads what comes next; zero at the end.
  static func readNext(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Failure) -> Int {
    try waiting(for: descriptor, POLLIN) {
      readBytes(descriptor, buffer.baseAddress, buffer.count)
    }
  }

  /// Writes a first part of `bytes` and gives its size.
  static func writeNext(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer
  ) throws(Failure) -> Int {
    try waiting(for: descriptor, POLLOUT) {
      writeBytes(descriptor, bytes.baseAddress, bytes.count)
    }
  }

  /// Writes a first part of what `bytes` has from `start` on, and gives its size.
  static func writeNext(
    _ descriptor: Int32, _ bytes: [UInt8], from start: Int
  ) throws(Failure) -> Int {
    try waiting(for: descriptor, POLLOUT) {
      bytes.withUnsafeBytes { all in
        writeBytes(descriptor, all.baseAddress.map { $0 + start }, all.count - start)
      }
    }
  }

  /// Opens a file, a pipe or a device for reading; a directory is refused, as reading it would be.
  static func openForReading(_ path: String) throws(Failure) -> Int32 {
    let descriptor = try openSystemFile(path)
    do throws(Failure) {
      let kind = try status(descriptor).st_mode & S_IFMT
      guard kind != S_IFDIR else { throw Failure(code: EISDIR) }
      return descriptor
    } catch {
      closeDescriptor(descriptor)
      throw error
    }
  }

  /// Opens a pipe or a device for writing; what took its place meanwhile is refused.
  static func openForWriting(_ path: String) throws(Failure) -> Int32 {
    let descriptor = try repeating { open(path, O_WRONLY | O_CLOEXEC) }
    if plainFileByteCount(descriptor) == nil { return descriptor }
    closeDescriptor(descriptor)
    throw Failure(code: ELOOP)
  }

  /// Creates a file for writing where nothing is.
  static func createFile(_ path: String) throws(Failure) -> Int32 {
    try repeating { open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666) }
  }

  /// Kind and rights of what is at `path`, no link being followed; nothing where nothing is.
  static func modeOfFile(_ path: String) throws(Failure) -> mode_t? {
    var status = stat()
    do throws(Failure) {
      _ = try repeating { lstat(path, &status) }
      return status.st_mode
    } catch {
      guard error.code == ENOENT else { throw error }
      return nil
    }
  }

  /// The same of what a link leads to.
  static func modeOfTarget(_ path: String) throws(Failure) -> mode_t {
    var status = stat()
    _ = try repeating { stat(path, &status) }
    return status.st_mode
  }

  /// The size of a plain file; nothing for pipes, terminals and directories.
  static func plainFileByteCount(_ descriptor: Int32) -> UInt64? {
    guard let status = try? status(descriptor), (status.st_mode & S_IFMT) == S_IFREG else {
      return nil
    }
    return UInt64(exactly: status.st_size)
  }

  /// The width of a terminal, 80 where it is not known; nothing when this is no terminal.
  static func terminalColumnCount(_ descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Makes writing to a pipe without a reader fail instead of ending the process.
  static func ignoreBrokenPipe() {
    _ = signal(SIGPIPE, SIG_IGN)
  }
}

// Outside the extension, where the names of its methods do not hide those of the C library.

private func readBytes(
  _ descriptor: Int32, _ start: UnsafeMutableRawPointer?, _ count: Int
) -> Int {
  read(descriptor, start, count)
}

private func writeBytes(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, start, count)
}
