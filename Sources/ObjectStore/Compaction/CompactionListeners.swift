internal import Compaction

/// Who follows the progress of a compaction.
struct CompactionListeners {
  typealias Listener = AsyncStream<CompactionProgress>.Continuation

  private var listeners: [Int: Listener] = [:]
  private var nextNumber = 0

  /// In the order in which they came.
  var all: [Listener] { listeners.sorted { $0.key < $1.key }.map(\.value) }

  /// Adds one; returns the number by which it is removed.
  mutating func add(_ listener: Listener) -> Int {
    nextNumber += 1
    listeners[nextNumber] = listener
    return nextNumber
  }

  mutating func remove(_ number: Int) { listeners[number] = nil }

  /// Removes all, and returns them so that they can be told outside of any lock.
  mutating func removeAll() -> [Listener] {
    defer { listeners = [:] }
    return all
  }
}
