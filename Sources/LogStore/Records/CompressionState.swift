internal import CLZ4
internal import FileIO

/// What LZ4 remembers of the bytes it compresses: 16 KiB, kept from payload to payload.
///
/// Clearing it for each payload would cost more than compressing a small one. Used by one thread at
/// a time; states that nobody uses are kept for the next.
final class CompressionState {
  private let stream: UnsafeMutablePointer<LZ4_stream_t>

  private init(_ stream: UnsafeMutablePointer<LZ4_stream_t>) { self.stream = stream }

  private struct Kept: @unchecked Sendable {
    // Sendable: a kept stream is used by nobody until it is taken out.
    var streams: [UnsafeMutablePointer<LZ4_stream_t>] = []
  }

  private static let kept = Lock(Kept())
  private static let keptCountMaximum = 16

  /// A state that was kept, or a new one; it is kept again when it goes away.
  static func make() -> CompressionState {
    let known = kept.withLock { kept in kept.streams.popLast() }
    return known.map { CompressionState($0) } ?? fresh()
  }

  /// A state that remembers nothing.
  static func fresh() -> CompressionState {
    let stream = UnsafeMutablePointer<LZ4_stream_t>.allocate(capacity: 1)
    LZ4_resetStream(stream)
    return CompressionState(stream)
  }

  deinit {
    let stream = stream
    let isKept = Self.kept.withLock { kept in
      guard kept.streams.count < Self.keptCountMaximum else { return false }
      kept.streams.append(stream)
      return true
    }
    if !isKept { stream.deallocate() }
  }

  /// Compresses `source` by itself; returns the size, or 0 when it does not fit `target`.
  func compress(
    _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
  ) -> Int {
    guard let start = source.baseAddress, let destination = target.baseAddress else { return 0 }
    LZ4_resetStream_fast(stream)
    let size = LZ4_compress_fast_continue(
      stream, start.assumingMemoryBound(to: CChar.self),
      destination.assumingMemoryBound(to: CChar.self), Int32(source.count), Int32(target.count), 1)
    // After an attempt that did not fit, what is remembered is not valid.
    if size <= 0 { LZ4_resetStream(stream) }
    return max(Int(size), 0)
  }
}
