#if os(Linux)
  internal import CLinux
  internal import Synchronization

  #if canImport(Musl)
    internal import Musl
  #else
    internal import Glibc
  #endif

  /// A part of a file that series of small appends are copied into, in place of a call to the
  /// system for each.
  ///
  /// A store into mapped memory cannot report a failure: it works, or ends the process by a signal.
  /// So all that could fail is done before, by calls that report it: blocks are reserved, in a file
  /// system that writes them where they are; zeros are written, which costs less than to have the
  /// pages made one by one; and one call makes all of them writable (`MADV_POPULATE_WRITE`, Linux
  /// 5.14). The system protects a page again when it writes it to the disk, and tells each
  /// processor that runs the program so, page by page: whoever appends there is interrupted each
  /// time. So a window is let go before its file is synchronized, none is opened meanwhile, and
  /// each is used for a quarter of a second at most. Then a series must show again that it is one.
  /// Whatever the window does not take, the caller writes. Used by one thread at a time.
  struct AppendWindow: ~Copyable {
    /// Larger pieces are handed to the system.
    static let pieceByteCountMaximum = 4 << 10
    /// More writes by calls than these, none of them large, within a window's lifetime are a
    /// series.
    static let seriesCount = 32
    /// So many behind a window that took little before its file was synchronized: opening it writes
    /// zeros, which the synchronization then has to write to the disk.
    static let longSeriesCount = 1024
    /// What a window must take to be worth its zeros.
    private static let takenByteCountMinimum: UInt64 = 64 << 10
    static let lifetimeNanoseconds: UInt64 = 250_000_000
    /// Windows end at multiples of it, so that the system takes large pages for them.
    static let byteCount = 256 << 10
    /// A window is not worth its calls for fewer pieces.
    private static let pieceCountMinimum = 8

    private let descriptor: Int32
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// Where it lies in the file.
    private var start: UInt64 = 0
    private var expiry: UInt64 = 0
    /// Small writes since `seriesStart` that no window took.
    private var writeCount = 0
    private var seriesStart: UInt64 = 0
    private var mayOpen: Bool
    private var neededCount = seriesCount
    /// Bytes that windows took since the last synchronization.
    private var takenByteCount: UInt64 = 0

    /// The window of a file; none is opened where the kind of file system forbids it.
    init(_ descriptor: Int32) {
      self.descriptor = descriptor
      mayOpen = Self.writesReservedBlocksInPlace(descriptor)
    }

    deinit { SystemCalls.unmap(UnsafeRawBufferPointer(memory)) }

    /// Whether `bytes` are in the file now. `empty` is the part of the file that has blocks and was
    /// not written yet: it holds zeros. With `opens` the next window may be opened.
    mutating func take(
      _ bytes: UnsafeRawBufferPointer, at offset: UInt64, empty: Range<UInt64>, opens: Bool
    ) -> Bool {
      guard mayOpen else { return false }
      guard bytes.count <= Self.pieceByteCountMaximum else {
        writeCount = 0
        return false
      }
      let now = SystemCalls.nanoseconds(of: .monotonicCoarse)
      let isCovered =
        now < expiry && offset >= start && memory.count >= bytes.count
        && offset - start <= UInt64(memory.count - bytes.count)
      guard isCovered || opens && open(at: offset, for: bytes.count, empty, now) else {
        return false
      }
      // For who reads the file beside us: each piece is there before the next begins.
      atomicMemoryFence(ordering: .releasing)
      let position = Int(offset - start)
      UnsafeMutableRawBufferPointer(rebasing: memory[position..<position + bytes.count])
        .copyMemory(from: bytes)
      takenByteCount += UInt64(bytes.count)
      return true
    }

    /// Opens the next window, in place of the present one, if the writes are a series.
    private mutating func open(
      at offset: UInt64, for count: Int, _ empty: Range<UInt64>, _ now: UInt64
    ) -> Bool {
      close()
      guard isSeries(now), empty.contains(offset),
        empty.upperBound - offset >= UInt64(count * Self.pieceCountMinimum)
      else { return false }
      let step = UInt64(Self.byteCount)
      let end = min((offset + UInt64(count) + step - 1) / step * step, empty.upperBound)
      let first = offset & ~UInt64(getpagesize() - 1)
      do throws(SystemCalls.Failure) {
        try writeZeros(offset..<end)
        memory = try SystemCalls.mapWritable(
          descriptor, from: off_t(first), count: Int(end - first))
      } catch {
        // A call for each write says what is wrong, if something is.
        mayOpen = false
        return false
      }
      start = first
      expiry = now + Self.lifetimeNanoseconds
      return true
    }

    private mutating func isSeries(_ now: UInt64) -> Bool {
      if now > seriesStart + Self.lifetimeNanoseconds {
        seriesStart = now
        writeCount = 0
      }
      writeCount += 1
      return writeCount > neededCount
    }

    /// Lets the window go before a synchronization, and the next series begin with nothing.
    mutating func end() {
      if takenByteCount > 0 {
        neededCount =
          takenByteCount < Self.takenByteCountMinimum ? Self.longSeriesCount : Self.seriesCount
      }
      takenByteCount = 0
      close()
      writeCount = 0
    }

    /// Lets the window go; the file must not become shorter while it has one.
    mutating func close() {
      guard !memory.isEmpty else { return }
      SystemCalls.unmap(UnsafeRawBufferPointer(memory))
      memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
      expiry = 0
    }

    private func writeZeros(_ range: Range<UInt64>) throws(SystemCalls.Failure) {
      var done = range.lowerBound
      while done < range.upperBound {
        let count = min(Int(range.upperBound - done), zeros.count)
        let written = try SystemCalls.write(
          descriptor, UnsafeRawBufferPointer(rebasing: zeros[..<count]), at: off_t(done))
        guard written > 0 else { throw SystemCalls.Failure(code: EIO) }
        done += UInt64(written)
      }
    }

    /// Whether a reserved block never needs another one when it is written: ext2 to ext4, and
    /// memory. Not where blocks may be shared with copies of the file (XFS, Btrfs).
    private static func writesReservedBlocksInPlace(_ descriptor: Int32) -> Bool {
      var status = statfs()
      guard fstatfs(descriptor, &status) == 0 else { return false }
      return [0xEF53, 0x0102_1994].contains(UInt32(truncatingIfNeeded: status.f_type))
    }
  }

  /// Never written, so that the system mostly has one page of zeros for all of it.
  nonisolated(unsafe) private let zeros = UnsafeRawBufferPointer(
    start: calloc(1, AppendWindow.byteCount + 4096), count: AppendWindow.byteCount + 4096)
#endif
