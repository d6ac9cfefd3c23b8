internal import FileIO

/// Gives back what was mapped of files that are gone, on a thread of its own: that can take as long
/// as to write hundreds of records. Safe on any thread.
final class Unmapping: Sendable {
  private let worker = SerialWorker()

  /// Lets go of `mappings`, on this thread where there is no other.
  func release(_ mappings: [MappedBytes]) {
    if mappings.isEmpty { return }
    _ = worker.submit { withExtendedLifetime(mappings) {} }
  }

  /// Returns when all that was released is gone: before that, files that were removed take room.
  func waitUntilDone() { worker.waitUntilIdle() }
}
