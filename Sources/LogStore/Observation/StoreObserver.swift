/// Is told what happens to a store, for logs and metrics.
///
/// Given by ``LogConfiguration/observer``; without one, nothing is told and nothing is paid.
public protocol StoreObserver: AnyObject, Sendable {
  /// Takes note of `event`.
  ///
  /// Called on the thread to which it happened, which may hold the writer's lock, or be waited for
  /// by who holds it: it must be quick, and must not use the log, nor let go of snapshots and
  /// cursors.
  func observe(_ event: StoreEvent)
}
