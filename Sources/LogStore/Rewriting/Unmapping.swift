internal import FileIO

/// Gives back what was mapped of files that are gone, on a thread of its own: that can take as long
/// as to write hundreds of records. Safe on any thread.
final class Unmapping: Sendable {
  private let worker = SerialWorker()

  /// What the other thread lets go of: nobody else has it any more.
  private final class Released: @unchecked Sendable {
    // Sendable: only the other thread changes it.
    private var mappings: [MappedBytes]
    init(_ mappings: consuming [MappedBytes]) { self.mappings = mappings }
    func letGo() { mappings = [] }
  }

  /// Lets go of `mappings`, on this thread where there is no other.
  func release(_ mappings: consuming [MappedBytes]) {
    if mappings.isEmpty { return }
    // Without a copy of them: this thread must not be the last to have them.
    let released = Released(mappings)
    _ = worker.submit { released.letGo() }
  }

  /// Returns when all that was released is gone: before that, files that were removed take room.
  func waitUntilDone() { worker.waitUntilIdle() }
}
