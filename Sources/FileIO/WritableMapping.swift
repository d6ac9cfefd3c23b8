#if os(Linux)
  #if canImport(Musl)
    internal import Musl
  #else
    internal import Glibc
  #endif

  /// A part of a file that is mapped for writing, with pages that are ready; unmapped with the last
  /// reference.
  final class WritableMapping: @unchecked Sendable {
    // Sendable: who has it decides who stores into the memory.
    private(set) var memory: UnsafeMutableRawBufferPointer
    /// Where it lies in the file.
    let start: UInt64
    /// When its pages were made ready, by the coarse clock.
    let moment: UInt64

    /// Writes zeros into `zeros`, which has blocks and was never written, and maps it, and with it
    /// what lies before it on its first page, and the `before` bytes before that.
    init(
      _ descriptor: Int32, zeros: Range<UInt64>, before: UInt64 = 0
    ) throws(SystemCalls.Failure) {
      try Self.writeZeros(descriptor, zeros)
      let page = UInt64(getpagesize())
      start = (zeros.lowerBound - min(before, zeros.lowerBound)) / page * page
      memory = try SystemCalls.mapWritable(
        descriptor, from: off_t(start), count: Int(zeros.upperBound - start))
      moment = SystemCalls.nanoseconds(of: .monotonicCoarse)
    }

    deinit { unmap() }

    /// Ends it before the last reference goes; nobody stores into the memory any more.
    func unmap() {
      SystemCalls.unmap(UnsafeRawBufferPointer(memory))
      memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    private static func writeZeros(
      _ descriptor: Int32, _ range: Range<UInt64>
    ) throws(SystemCalls.Failure) {
      var done = range.lowerBound
      while done < range.upperBound {
        let count = min(Int(range.upperBound - done), zeros.count)
        let written = try SystemCalls.write(
          descriptor, UnsafeRawBufferPointer(rebasing: zeros[..<count]), at: off_t(done))
        guard written > 0 else { throw SystemCalls.Failure(code: EIO) }
        done += UInt64(written)
      }
    }
  }

  /// Never written, so that the system mostly has one page of zeros for all of it.
  nonisolated(unsafe) private let zeros = UnsafeRawBufferPointer(
    start: calloc(1, AppendWindow.byteCount + 4096), count: AppendWindow.byteCount + 4096)
#endif
