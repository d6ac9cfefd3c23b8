internal import FileIO

/// What the batches of a log know of compressing payloads without a dictionary, by collection.
final class CompressionOutlook: Sendable {
  private let attempts = Lock<[CollectionIdentifier: CompressionAttempts]>([:])
  /// Beyond that all is learnt anew, so that its memory is bounded.
  private static let collectionCountMaximum = 1 << 10

  func attempts(of collection: CollectionIdentifier) -> CompressionAttempts {
    attempts.withLock { attempts in
      if let known = attempts[collection] { return known }
      if attempts.count >= Self.collectionCountMaximum { attempts.removeAll() }
      let made = CompressionAttempts()
      attempts[collection] = made
      return made
    }
  }
}
