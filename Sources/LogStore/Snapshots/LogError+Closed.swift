internal import FileIO

extension LogError {
  /// Of a closed log, a file that has gone is no damage: somebody else has compacted the store.
  func explained(_ ownership: StoreOwnership) -> LogError {
    guard ownership.hasEnded else { return self }
    switch self {
    case .fileIO(let cause) where cause.reason == .notFound: return .closed
    case .corruption(let report) where report.reason == Segment.missing: return .closed
    default: return self
    }
  }
}
