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
  /// each is used for a quarter of a second at most after it was made ready. A series that has no
  /// window then must show again that it is one. Whatever the window does not take, the caller
  /// writes. Used by one thread at a time; another makes the next window ready, if there is one for
  /// that, so that no append waits for it.
  struct AppendWindow: ~Copyable {
    /// Larger pieces are handed to the system.
    static let pieceByteCountMaximum = 4 << 10
    /// More writes by calls than these, none of them large, within a window's lifetime are a
    /// series.
    static let seriesCount = 32
    /// So many behind a window that took little before its file was synchronized: opening it writes
    /// zeros, which the synchronization then has to write to the disk.
    static let longSeriesCount = 256
    /// What a window must take to be worth its zeros.
    private static let takenByteCountMinimum: UInt64 = 64 << 10
    static let lifetimeNanoseconds: UInt64 = 250_000_000
    /// Windows end at multiples of it, so that the system takes large pages for them.
    static let byteCount = 256 << 10
    /// A window is not worth its calls for fewer pieces.
    private static let pieceCountMinimum = 8

    /// So far behind the appends a series gets its first window from another thread.
    private static let leadByteCount: UInt64 = 32 << 10

    private let descriptor: Int32
    /// Makes the next window ready.
    private let worker: SerialWorker?
    private var mapping: WritableMapping?
    /// The memory of that.
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// Where it lies in the file.
    private var start: UInt64 = 0
    private var expiry: UInt64 = 0
    private var next: NextMapping?
    /// What has the system begin to write.
    private var starting: HandedOverWork<Void>?
    /// The window before, until the next one is asked for.
    private var previous: WritableMapping?
    /// Where the next window is asked for.
    private var askingPosition = Int.max
    /// Small writes since `seriesStart` that no window took.
    private var writeCount = 0
    private var seriesStart: UInt64 = 0
    private var mayOpen: Bool
    private var neededCount = seriesCount
    /// Bytes that windows took since the last synchronization.
    private var takenByteCount: UInt64 = 0

    /// The window of a file; none is opened where the kind of file system forbids it. What
    /// `worker` does is done without it by who appends.
    init(_ descriptor: Int32, _ worker: SerialWorker?) {
      self.descriptor = descriptor
      self.worker = worker
      mayOpen = Self.writesReservedBlocksInPlace(descriptor)
    }

    /// Whether `bytes` are in `file` now. `empty` is the part of it that has blocks and was not
    /// written yet: it holds zeros. With `opens` the next window may be opened.
    mutating func take(
      _ bytes: UnsafeRawBufferPointer, at offset: UInt64, empty: Range<UInt64>, opens: Bool,
      of file: POSIXFile
    ) -> Bool {
      guard mayOpen else { return false }
      guard bytes.count <= Self.pieceByteCountMaximum else {
        writeCount = 0
        makeWay(to: offset + UInt64(bytes.count))
        return false
      }
      let now = SystemCalls.nanoseconds(of: .monotonicCoarse)
      guard
        covers(offset, bytes.count, now)
          || goOn(at: offset, for: bytes.count, empty, now, opens, file)
      else { return false }
      // For who reads the file beside us: each piece is there before the next begins.
      atomicMemoryFence(ordering: .releasing)
      let position = Int(offset - start)
      UnsafeMutableRawBufferPointer(rebasing: memory[position..<position + bytes.count])
        .copyMemory(from: bytes)
      takenByteCount += UInt64(bytes.count)
      if position >= askingPosition { askForNext(empty, file) }
      return true
    }

    private func covers(_ offset: UInt64, _ count: Int, _ now: UInt64) -> Bool {
      now < expiry && offset >= start && memory.count >= count
        && offset - start <= UInt64(memory.count - count)
    }

    /// Goes on to the next window, in place of the present one, if there is one already or the
    /// writes are a series; whether it takes what is written now.
    private mutating func goOn(
      at offset: UInt64, for count: Int, _ empty: Range<UInt64>, _ now: UInt64, _ opens: Bool,
      _ file: POSIXFile
    ) -> Bool {
      if let next {
        if offset + UInt64(count) <= next.lowerBound { return false }
        self.next = nil
        guard let made = next.take() else { return giveUp() }
        use(made)
        if covers(offset, count, now) { return true }
      }
      guard opens else { return false }
      close()
      guard isSeries(now), empty.contains(offset) else { return false }
      if askForFirst(behind: offset + UInt64(count), empty, file) { return false }
      return open(at: offset, for: count, empty)
    }

    /// Has the worker make a window some way behind `end`; false where none is worthwhile, or there
    /// is no worker.
    private mutating func askForFirst(
      behind end: UInt64, _ empty: Range<UInt64>, _ file: POSIXFile
    ) -> Bool {
      let page = UInt64(getpagesize())
      // Not before `end`, which is not written yet.
      let first = (end + max(Self.leadByteCount, page)) / page * page
      return ask(for: first, empty, file)
    }

    private mutating func askForNext(_ empty: Range<UInt64>, _ file: POSIXFile) {
      askingPosition = .max
      _ = ask(for: start + UInt64(memory.count), empty, file)
    }

    private mutating func ask(
      for first: UInt64, _ empty: Range<UInt64>, _ file: POSIXFile
    ) -> Bool {
      let end = Self.end(behind: first + Self.leadByteCount - 1, empty)
      guard let worker, empty.contains(first), end - first >= Self.leadByteCount else {
        return false
      }
      let next = NextMapping(descriptor, zeros: first..<end, of: file, replacing: previous)
      previous = nil
      guard next.handOver(to: worker) else { return false }
      self.next = next
      return true
    }

    /// Where a window ends that begins at `first`.
    private static func end(behind first: UInt64, _ empty: Range<UInt64>) -> UInt64 {
      let step = UInt64(byteCount)
      return min((first / step + 1) * step, empty.upperBound)
    }

    /// Opens the next window here.
    private mutating func open(at offset: UInt64, for count: Int, _ empty: Range<UInt64>) -> Bool {
      guard empty.upperBound - offset >= UInt64(count * Self.pieceCountMinimum) else {
        return false
      }
      do throws(SystemCalls.Failure) {
        let end = Self.end(behind: offset + UInt64(count) - 1, empty)
        use(try WritableMapping(descriptor, zeros: offset..<end))
        return true
      } catch { return giveUp() }
    }

    /// A call for each write says what is wrong, if something is.
    private mutating func giveUp() -> Bool {
      close()
      mayOpen = false
      return false
    }

    /// Whether the worker has the system begin to write a part of `file` to the disk.
    ///
    /// The window before is let go first: the system would protect what it has of that part page by
    /// page.
    mutating func startWriting(_ range: Range<UInt64>, of file: POSIXFile) -> Bool {
      // Where the worker is late, who appends waits for the disk, as it must not fall behind.
      guard let worker, mapping != nil, starting?.isFinished ?? true else { return false }
      let before = previous
      previous = nil
      let descriptor = descriptor
      let work = HandedOverWork {
        withExtendedLifetime(file) {
          before?.unmap()
          SystemCalls.startWriting(descriptor, range)
        }
      }
      starting = work
      return work.handOver(to: worker)
    }

    private mutating func use(_ made: WritableMapping) {
      previous = mapping
      mapping = made
      memory = made.memory
      start = made.start
      expiry = made.moment + Self.lifetimeNanoseconds
      askingPosition = worker == nil ? .max : memory.count / 2
    }

    /// The file will be written up to `end` by calls.
    mutating func makeWay(to end: UInt64) {
      guard let next, end > next.lowerBound else { return }
      next.cancel()
      self.next = nil
    }

    private mutating func isSeries(_ now: UInt64) -> Bool {
      if now > seriesStart + Self.lifetimeNanoseconds {
        seriesStart = now
        writeCount = 0
      }
      writeCount += 1
      return writeCount > neededCount
    }

    /// Ends the window before a synchronization, and lets the next series begin with nothing.
    ///
    /// What is returned is unmapped when it is let go, for which the caller may have more time.
    mutating func end() -> WritableMapping? {
      if takenByteCount > 0 {
        neededCount =
          takenByteCount < Self.takenByteCountMinimum ? Self.longSeriesCount : Self.seriesCount
      }
      takenByteCount = 0
      writeCount = 0
      let ended = mapping
      close()
      return ended
    }

    /// Lets the window go; the file must not become shorter while it has one.
    mutating func close() {
      makeWay(to: .max)
      guard mapping != nil else { return }
      mapping = nil
      previous = nil
      memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
      expiry = 0
      askingPosition = .max
    }

    /// Whether a reserved block never needs another one when it is written: ext2 to ext4, and
    /// memory. Not where blocks may be shared with copies of the file (XFS, Btrfs).
    private static func writesReservedBlocksInPlace(_ descriptor: Int32) -> Bool {
      var status = statfs()
      guard fstatfs(descriptor, &status) == 0 else { return false }
      return [0xEF53, 0x0102_1994].contains(UInt32(truncatingIfNeeded: status.f_type))
    }
  }
#endif
