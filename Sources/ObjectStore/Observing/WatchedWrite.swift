/// A transaction of which those who watch are to be told: they are not ended before it is let go.
final class WatchedWrite: Sendable {
  private let watches: ChangeWatches

  /// Of one that was counted.
  init(_ watches: ChangeWatches) { self.watches = watches }

  deinit { watches.writeEnded() }
}
