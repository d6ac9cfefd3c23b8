internal import FileIO

/// The right to remove files of a store: ends when the store's lock is given back.
///
/// A snapshot may outlive its log, and with it segments that were replaced. By then the directory
/// may be somebody else's, also with other files under the same names; so what is still there is
/// left to the next writer's sweep. Safe on any thread.
final class StoreOwnership: Sendable {
  private struct State {
    var isHeld = true
    var retired: Set<FileName> = []
  }

  private let directory: any Directory
  private let state = Lock(State())

  /// The caller holds the lock of `directory`.
  init(_ directory: any Directory) { self.directory = directory }

  /// Whether the lock was given back.
  var hasEnded: Bool { state.withLock { state in !state.isHeld } }

  /// The files that are needed only by those who read them still.
  var retired: Set<FileName> { state.withLock { state in state.retired } }

  /// Notes that a file will be removed with its last reader.
  func note(_ name: FileName) {
    state.withLock { state in _ = state.retired.insert(name) }
  }

  /// Removes a file while the lock is held; one that cannot be removed is a leftover.
  func remove(_ name: FileName) {
    state.withLock { state in
      state.retired.remove(name)
      guard state.isHeld else { return }
      do throws(FileIOError) { try directory.remove(name) } catch {}
    }
  }

  /// Calls `body` while the lock is held, and keeps it for so long; nothing when it was given back.
  /// For who creates files and does not hold the writer's lock.
  func whileHeld<Result>(
    _ body: () throws(FileIOError) -> Result
  ) throws(FileIOError) -> Result? {
    try state.withLock { (state) throws(FileIOError) in state.isHeld ? try body() : nil }
  }

  /// Gives the lock back; harmless when it was before.
  func end() {
    state.withLock { state in
      guard state.isHeld else { return }
      state.isHeld = false
      directory.unlock()
    }
  }
}
