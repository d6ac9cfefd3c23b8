internal import Compaction

/// Who follows the progress of a compaction.
struct CompactionListeners {
  typealias Listener = AsyncStream<CompactionProgress>.Continuation

  private var listeners: [(number: Int, listener: Listener)] = []
  private var nextNumber = 0

  /// In the order in which they came.
  var all: [Listener] { listeners.map(\.listener) }

  /// Adds one; returns the number by which it is removed.
  mutating func add(_ listener: Listener) -> Int {
    nextNumber += 1
    listeners.append((nextNumber, listener))
    return nextNumber
  }

  mutating func remove(_ number: Int) { listeners.removeAll { $0.number == number } }

  /// Removes all, and returns them so that they can be told outside of any lock.
  mutating func removeAll() -> [Listener] {
    defer { listeners = [] }
    return all
  }
}
