internal import FileIO

/// Keeps what it is told until it is known whether that is so; then it passes it on.
///
/// For reading beside a writer, where what looks like damage may be a file that has just been
/// replaced: one for each try, let go with all that it was told when there is another try. Safe on
/// any thread.
final class DelayedObserver: StoreObserver {
  private let observer: any StoreObserver
  /// Nothing once it passes on at once what it is told.
  private let kept = Lock<[StoreEvent]?>([])

  init(_ observer: any StoreObserver) { self.observer = observer }

  func observe(_ event: StoreEvent) {
    let isKept = kept.withLock { kept in
      if kept == nil { return false }
      kept?.append(event)
      return true
    }
    if !isKept { observer.observe(event) }
  }

  /// Passes on what was kept, and from now on all that it is told.
  func release() {
    let events = kept.withLock { kept in
      let events = kept ?? []
      kept = nil
      return events
    }
    for event in events { observer.observe(event) }
  }
}
