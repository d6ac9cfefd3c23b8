#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif
#if os(Linux)
  internal import Synchronization
#endif

/// An open plain file of the operating system; the handle is closed with the object and on `exec`.
public final class POSIXFile: File {
  private let descriptor: Int32
  private let path: String
  private let isWritable: Bool
  #if os(Linux)
    // Sendable: all three are used by the one thread at a time that writes.
    @exclusivity(unchecked) private nonisolated(unsafe) var window: AppendWindow?
    /// What was reserved last, as far as it was not cut off.
    @exclusivity(unchecked) private nonisolated(unsafe) var reserved: Range<UInt64> = 0..<0
    /// No write reached beyond it since appends may be mapped.
    @exclusivity(unchecked) private nonisolated(unsafe) var writtenEnd: UInt64 = 0
    /// A mapping that ended; unmapped by who synchronizes next.
    private let endedMapping = Lock<WritableMapping?>(nil)
    /// How many threads synchronize the file.
    private let synchronizingCount = Atomic(0)
  #endif

  /// Takes ownership of an open `descriptor`.
  init(descriptor: Int32, path: String, isWritable: Bool) {
    self.descriptor = descriptor
    self.path = path
    self.isWritable = isWritable
  }

  deinit { SystemCalls.closeDescriptor(descriptor) }

  public func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(FileIOError) -> Int {
    var done = 0
    do {
      while done < buffer.count {
        let (position, overflow) = offset.addingReportingOverflow(UInt64(done))
        // No file reaches the largest offset; the system calls such a read invalid, not empty.
        guard !overflow, position <= UInt64(off_t.max) - UInt64(buffer.count) else { break }
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
        let count = try SystemCalls.read(descriptor, into: rest, at: off_t(position))
        if count == 0 { break }
        done += count
      }
      return done
    } catch {
      throw FileIOError(error, operation: "read", path: path)
    }
  }

  public func write(
    _ parts: [UnsafeRawBufferPointer], at offset: UInt64
  ) throws(FileIOError) {
    if parts.count == 1 { return try write(parts[0], at: offset) }
    try expectWritable("write")
    #if os(Linux)
      noteWritten(parts.reduce(0) { $0 + $1.count }, at: offset)
      window?.makeWay(to: writtenEnd)
    #endif
    do {
      try write(gathering: parts, at: offset)
    } catch {
      throw FileIOError(error, operation: "write", path: path)
    }
  }

  public func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileIOError) {
    try expectWritable("write")
    #if os(Linux)
      let isTaken =
        window?.take(
          bytes, at: offset, empty: emptyPart,
          opens: synchronizingCount.load(ordering: .relaxed) == 0, of: self) ?? false
      noteWritten(bytes.count, at: offset)
      if isTaken { return }
    #endif
    do {
      try write(all: bytes, at: offset)
    } catch {
      throw FileIOError(error, operation: "write", path: path)
    }
  }

  public func mapAppends(preparedBy worker: SerialWorker?) {
    #if os(Linux)
      guard isWritable, window == nil else { return }
      do throws(FileIOError) { writtenEnd = try size() } catch { return }
      window = AppendWindow(descriptor, worker)
    #endif
  }

  public func unmapAppends() {
    #if os(Linux)
      guard let ended = window?.end() else { return }
      endedMapping.withLock { $0 = ended }
    #endif
  }

  #if os(Linux)
    /// What was reserved behind all that was written.
    private var emptyPart: Range<UInt64> {
      max(reserved.lowerBound, min(writtenEnd, reserved.upperBound))..<reserved.upperBound
    }

    private func noteWritten(_ count: Int, at offset: UInt64) {
      let (end, overflow) = offset.addingReportingOverflow(UInt64(count))
      writtenEnd = max(writtenEnd, overflow ? .max : end)
    }
  #endif

  public func startWriting(_ range: Range<UInt64>) {
    #if os(Linux)
      if let isLater = window?.startWriting(range, of: self), isLater { return }
      SystemCalls.startWriting(descriptor, range)
    #endif
  }

  public func synchronize() throws(FileIOError) {
    #if os(Linux)
      synchronizingCount.add(1, ordering: .relaxed)
      _ = endedMapping.withLock { $0.take() }
      defer { synchronizingCount.subtract(1, ordering: .relaxed) }
    #endif
    do {
      try SystemCalls.synchronizeFile(descriptor)
    } catch {
      throw FileIOError(error, operation: "synchronize", path: path)
    }
  }

  public func clone(_ byteCount: UInt64, to target: any File) throws(FileIOError) -> Bool {
    guard let target = target as? POSIXFile else { return false }
    try target.expectWritable("clone")
    guard SystemCalls.clone(descriptor, to: target.descriptor) else { return false }
    try target.truncate(to: byteCount)
    return true
  }

  public func truncate(to size: UInt64) throws(FileIOError) {
    try expectWritable("truncate")
    #if os(Linux)
      window?.close()
      reserved = reserved.clamped(to: 0..<size)
      writtenEnd = min(writtenEnd, size)
    #endif
    do {
      try SystemCalls.truncate(descriptor, to: try Self.position(size))
    } catch {
      throw FileIOError(error, operation: "truncate", path: path)
    }
  }

  /// Reserves disk blocks for `range` and grows the file to its end, filled with zeros.
  ///
  /// Where the file system cannot reserve blocks the file only grows: a later write may then still
  /// meet a full disk.
  public func allocate(_ range: Range<UInt64>) throws(FileIOError) {
    try expectWritable("allocate")
    guard !range.isEmpty else { return }
    do {
      let end = try Self.position(range.upperBound)
      let start = try Self.position(range.lowerBound)
      let isReserved = try SystemCalls.reserve(descriptor, from: start, count: end - start)
      #if os(Linux)
        let first = reserved.upperBound == range.lowerBound ? reserved.lowerBound : range.lowerBound
        reserved = isReserved ? first..<range.upperBound : 0..<0
      #endif
    } catch {
      throw FileIOError(error, operation: "allocate", path: path)
    }
  }

  public func size() throws(FileIOError) -> UInt64 {
    do {
      return UInt64(clamping: try SystemCalls.status(descriptor).st_size)
    } catch {
      throw FileIOError(error, operation: "size", path: path)
    }
  }

  /// Maps the first `count` bytes for reading; `count` must not exceed the size.
  ///
  /// The bytes are shared with the file. Reading them after somebody cut the file shorter ends the
  /// process, so nothing is cut off that may be read.
  public func map(count: Int) throws(FileIOError) -> MappedBytes {
    precondition(count >= 0, "a count of bytes to map must not be negative")
    guard try size() >= UInt64(count) else {
      throw FileIOError(.ioError, operation: "map beyond the end", path: path)
    }
    guard count > 0 else {
      return MappedBytes(UnsafeRawBufferPointer(start: nil, count: 0)) { _ in }
    }
    do {
      let bytes = try SystemCalls.map(descriptor, count: count)
      return MappedBytes(bytes, forget: SystemCalls.forget) { SystemCalls.unmap($0) }
    } catch {
      throw FileIOError(error, operation: "map", path: path)
    }
  }

  /// Maps the first `count` bytes for reading, however many the file has by now.
  ///
  /// Writes and mappings of one file share their pages on Linux and Darwin.
  public func mapAhead(count: Int) -> MappedBytes? {
    precondition(count > 0, "a count of bytes to map ahead must be positive")
    do throws(SystemCalls.Failure) {
      let bytes = try SystemCalls.map(descriptor, count: count)
      return MappedBytes(bytes, forget: SystemCalls.forget) { SystemCalls.unmap($0) }
    } catch { return nil }
  }

  private func expectWritable(_ operation: String) throws(FileIOError) {
    if !isWritable { throw FileIOError(.permissionDenied, operation: operation, path: path) }
  }

  /// The system counts with a sign; what it cannot express is too large for any file.
  private static func position(
    _ offset: UInt64, adding count: Int = 0
  ) throws(SystemCalls.Failure) -> off_t {
    let (sum, overflow) = offset.addingReportingOverflow(UInt64(count))
    guard !overflow, let position = off_t(exactly: sum) else {
      throw SystemCalls.Failure(code: EFBIG)
    }
    return position
  }

  private func write(
    all bytes: UnsafeRawBufferPointer, at offset: UInt64
  ) throws(SystemCalls.Failure) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let position = try Self.position(offset, adding: done)
      done += try progress(SystemCalls.write(descriptor, rest, at: position))
    }
  }

  /// Writes part after part, as many as one call takes, and goes on after the last byte written
  /// when the system took fewer.
  private func write(
    gathering parts: [UnsafeRawBufferPointer], at offset: UInt64
  ) throws(SystemCalls.Failure) {
    let parts = parts.filter { !$0.isEmpty }
    var done = 0
    var first = 0
    var skipped = 0  // Bytes of `parts[first]` that are written already.
    var vectors: [iovec] = []
    vectors.reserveCapacity(min(parts.count, SystemCalls.gatheredPartCountLimit))
    while first < parts.count {
      vectors.removeAll(keepingCapacity: true)
      for index in first..<min(parts.count, first + SystemCalls.gatheredPartCountLimit) {
        let rest = parts[index][(index == first ? skipped : 0)...]
        let start = UnsafeMutableRawPointer(
          mutating: UnsafeRawBufferPointer(rebasing: rest).baseAddress)
        vectors.append(iovec(iov_base: start, iov_len: .init(rest.count)))
      }
      let position = try Self.position(offset, adding: done)
      var written = try progress(SystemCalls.write(descriptor, gathering: vectors, at: position))
      done += written
      while first < parts.count, written >= parts[first].count - skipped {
        written -= parts[first].count - skipped
        first += 1
        skipped = 0
      }
      skipped += written
    }
  }

  /// A write that reports success for nothing would be repeated for ever.
  private func progress(_ count: Int) throws(SystemCalls.Failure) -> Int {
    guard count > 0 else { throw SystemCalls.Failure(code: EIO) }
    return count
  }
}
