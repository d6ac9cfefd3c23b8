internal import FileIO
internal import LogStore

/// An open store, for who must not keep it open.
final class WeakStore: Sendable {
  private struct State {
    weak var log: Log?
    weak var reading: StoreReading?
  }

  private let state: Lock<State>

  init(_ store: Store) { state = Lock(State(log: store.log, reading: store.reading)) }

  /// The current state; nothing once the store was let go or closed.
  func snapshot() -> StoreSnapshot? {
    guard let reading = state.withLock({ state in state.reading }) else { return nil }
    return reading.watches.beforeEnd {
      guard let log = state.withLock({ state in state.log }) else { return nil }
      return reading.snapshot(of: log)
    }
  }
}
