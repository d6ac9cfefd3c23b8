internal import FileIO

/// A view that can be taken from its snapshot.
final class ExpiringView: Sendable {
  private let state: Lock<View?>

  init(_ view: View) { state = Lock(view) }

  /// The view; nothing when it was taken away.
  var view: View? { state.withLock { view in view } }

  func release() {
    // The view goes after the lock: it may take a whole table, or files, with it.
    _ = state.withLock { view in
      let old = view
      view = nil
      return old
    }
  }
}
