/// Is told what happens to a store, for logs and metrics.
///
/// Given by ``LogConfiguration/observer``; without one, nothing is told and nothing is paid.
public protocol StoreObserver: AnyObject, Sendable {
  /// Takes note of `event`.
  ///
  /// Called on the thread to which it happened, which may hold the writer's lock, or be waited for
  /// by who holds it, or by who walks: it must be quick, must not wait for other threads, and must
  /// not use the log, nor let go of snapshots and cursors. Damage is told of when it is found: in a
  /// long walk that may be before the walk is there.
  func observe(_ event: StoreEvent)
}
