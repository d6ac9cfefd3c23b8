internal import BinaryCoding
internal import FileIO

/// The memory of batches that are gone, kept for the next that become as large; from any thread.
///
/// A batch of a thousand records would copy what it holds eight times while it grows. Four times
/// 1 MiB of records are kept at most, and as much for where they lie.
final class BatchMemoryPool: Sendable {
  private struct Kept: @unchecked Sendable {
    // Sendable: memory that is kept is used by nobody until it is taken out.
    var memories: [BatchMemory] = []
  }

  /// That of the process.
  static let shared = BatchMemoryPool()

  private let kept = Lock(Kept())
  private static let countMaximum = 4
  private static let byteCountMaximum = 1 << 20
  private static let changeCountMaximum = byteCountMaximum / MemoryLayout<WriteBatch.Change>.stride

  /// Memory that was given back, empty; nothing when none is kept.
  func take() -> BatchMemory? { kept.withLock { kept in kept.memories.popLast() } }

  /// Keeps the memory, unless it is too large or enough is kept; whoever calls this does not use
  /// it any more.
  func giveBack(_ memory: BatchMemory) {
    guard memory.records.allocatedByteCount <= Self.byteCountMaximum,
      memory.changes.capacity <= Self.changeCountMaximum
    else { return }
    memory.removeAll()
    kept.withLock { kept in
      if kept.memories.count < Self.countMaximum { kept.memories.append(memory) }
    }
  }
}
