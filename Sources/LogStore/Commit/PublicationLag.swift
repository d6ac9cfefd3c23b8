internal import FileIO
internal import Synchronization

/// Whether small commits were applied that the published view does not show yet.
///
/// Publishing after each of them would make every page of the memory table that it changed
/// immutable, so that the next one copies it, and would make two objects, for a view that is mostly
/// not looked at. So who wants to see them publishes them: a reader that finds the view lagging, a
/// transaction that reads, and everybody who takes the writer's lock for more than commits. A
/// reader waits for the few records of one group of commits that is being applied at that moment, a
/// writer for one publication; neither for a file. Safe on any thread.
final class PublicationLag: Sendable {
  /// Whether something lags; held while the memory table changes beside readers who may want to
  /// publish it.
  private let applying = Lock(false)
  /// The same, for who must not wait.
  private let flag = Atomic(false)

  /// Groups of commits of up to this many records may lag.
  static let recordCountMaximum = 16
  /// Commits publish when so many pages were copied that an old view keeps: who looks must not have
  /// to give more of them back, and they take memory.
  static let retiredPageCountMaximum = 1024

  /// Whether there is something to publish.
  @inline(__always)
  var isLagging: Bool { flag.load(ordering: .acquiring) }

  /// Runs `body`, which applies small commits, and returns its result; under the writer's lock.
  func apply<Result>(_ body: () -> Result) -> Result {
    applying.withLock { isLagging in
      defer {
        isLagging = true
        flag.store(true, ordering: .releasing)
      }
      return body()
    }
  }

  /// Runs `publish` where it is still needed, while nothing is applied; returns what it replaced.
  func end(_ publish: () -> View) -> View? {
    applying.withLock { isLagging in
      guard isLagging else { return nil }
      let replaced = publish()
      isLagging = false
      flag.store(false, ordering: .releasing)
      return replaced
    }
  }
}
