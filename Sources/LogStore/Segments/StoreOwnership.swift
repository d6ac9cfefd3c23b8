internal import FileIO

/// The right to remove files of a store: ends when the store's lock is given back.
///
/// A snapshot may outlive its log, and with it segments that were replaced. By then the directory
/// may be somebody else's, also with other files under the same names; so what is still there is
/// left to the next writer's sweep. Safe on any thread.
final class StoreOwnership: Sendable {
  private let directory: any Directory
  private let isHeld = Lock(true)

  /// The caller holds the lock of `directory`.
  init(_ directory: any Directory) { self.directory = directory }

  /// Removes a file while the lock is held; one that cannot be removed is a leftover.
  func remove(_ name: FileName) {
    isHeld.withLock { isHeld in
      guard isHeld else { return }
      do throws(FileIOError) { try directory.remove(name) } catch {}
    }
  }

  /// Gives the lock back; harmless when it was before.
  func end() {
    isHeld.withLock { isHeld in
      guard isHeld else { return }
      isHeld = false
      directory.unlock()
    }
  }
}
