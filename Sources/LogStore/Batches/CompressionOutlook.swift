internal import BinaryCoding
internal import FileIO

/// What the batches of a log know of compressing payloads without a dictionary, by collection.
final class CompressionOutlook: Sendable {
  /// A type of its own: the runtime looks up no conformances then where a process opens a log.
  private struct Known {
    var attempts = SmallTable<CollectionIdentifier, CompressionAttempts>()
  }

  private let known = Lock(Known())
  /// Beyond that all is learnt anew, so that its memory is bounded.
  private static let collectionCountMaximum = 1 << 10

  func attempts(of collection: CollectionIdentifier) -> CompressionAttempts {
    known.withLock { known in
      if let attempts = known.attempts[collection] { return attempts }
      if known.attempts.count >= Self.collectionCountMaximum { known = Known() }
      let made = CompressionAttempts()
      known.attempts[collection] = made
      return made
    }
  }
}
