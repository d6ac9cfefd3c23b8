internal import CLZ4

/// What LZ4 knows of a dictionary before it compresses against it: 16 KiB, made once and copied for
/// each payload, which costs less than making it again.
final class PreparedDictionary: Sendable {
  nonisolated(unsafe) private let memory: UnsafeMutablePointer<LZ4_stream_t>

  /// `bytes` must stay where they are as long as something is compressed against them.
  init(_ bytes: UnsafeRawBufferPointer) {
    memory = .allocate(capacity: 1)
    LZ4_resetStream(memory)
    if let base = bytes.baseAddress {
      LZ4_loadDict(memory, base.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
    }
  }

  deinit { memory.deallocate() }

  /// Makes `stream` know the dictionary and nothing else.
  func copy(to stream: UnsafeMutablePointer<LZ4_stream_t>) {
    stream.update(from: memory, count: 1)
  }
}
