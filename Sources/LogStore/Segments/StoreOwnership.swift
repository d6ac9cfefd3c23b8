internal import FileIO

/// The right to create and remove files of a store: ends when the store's lock is given back.
///
/// A snapshot may outlive its log, and with it segments that were replaced. By then the directory
/// may be somebody else's, also with other files under the same names; so what is still there is
/// left to the next writer's sweep. Safe on any thread.
final class StoreOwnership: @unchecked Sendable {
  // Sendable: all stored state is used inside `monitor`.
  private let directory: any Directory
  private let monitor = Monitor()
  private var isHeld = true
  private var retiredNames: Set<FileName> = []
  /// How many threads are creating files; the lock is kept for them.
  private var creatingCount = 0

  /// The caller holds the lock of `directory`.
  init(_ directory: any Directory) { self.directory = directory }

  /// Whether the lock was given back.
  var hasEnded: Bool { inside { !isHeld } }

  /// The files that are needed only by those who read them still.
  var retired: Set<FileName> { inside { retiredNames } }

  /// Notes that a file will be removed with its last reader.
  func note(_ name: FileName) { inside { _ = retiredNames.insert(name) } }

  /// Removes a file while the lock is held; one that cannot be removed is a leftover.
  func remove(_ name: FileName) {
    inside {
      retiredNames.remove(name)
      guard isHeld else { return }
      do throws(FileIOError) { try directory.remove(name) } catch {}
    }
  }

  /// Calls `body` while the lock is held, and keeps it for so long; nothing when it was given back.
  /// For who creates files and does not hold the writer's lock. Others may remove files meanwhile.
  func whileHeld<Result>(
    _ body: () throws(FileIOError) -> Result
  ) throws(FileIOError) -> Result? {
    let mayBegin = inside {
      if isHeld { creatingCount += 1 }
      return isHeld
    }
    guard mayBegin else { return nil }
    defer {
      inside {
        creatingCount -= 1
        monitor.wakeAll()
      }
    }
    return try body()
  }

  /// Gives the lock back, when nobody creates a file any more; harmless when it was before.
  func end() {
    inside {
      while creatingCount > 0 { monitor.wait() }
      guard isHeld else { return }
      isHeld = false
      directory.unlock()
    }
  }

  private func inside<Result>(_ body: () -> Result) -> Result {
    monitor.enter()
    defer { monitor.leave() }
    return body()
  }
}
