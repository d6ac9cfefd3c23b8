/// A source of a ``SealedIndex`` as look-ups see it: no reference to it is counted, which threads
/// that read at the same time would fight for. The index keeps what it points to.
struct IndexSlot {
  let maximumSequence: CommitSequence
  private let segment: Unmanaged<Segment>?
  private let coverage: Unmanaged<RunCoverage>?

  init(_ source: SealedIndex.Source) {
    maximumSequence = source.maximumSequence
    switch source {
    case .footer(let segment):
      self.segment = .passUnretained(segment)
      coverage = nil
    case .merged(let coverage):
      segment = nil
      self.coverage = .passUnretained(coverage)
    }
  }

  /// The segment of a record that the source gave, borrowed from the index.
  func segment(of value: IndexValue) -> Unmanaged<Segment>? {
    guard let coverage else { return segment }
    return coverage._withUnsafeGuaranteedRef { $0.lentSegments[Int(value.ordinal)] }
  }

  /// The newest record of `key` in the source; a run's with its ordinal.
  func answer(_ key: IndexKey, hash: UInt64) -> FastAnswer {
    if let coverage {
      return coverage._withUnsafeGuaranteedRef { $0.fastAnswer(key, hash: hash) }
    }
    return segment?._withUnsafeGuaranteedRef { $0.fastAnswer(key, hash: hash) } ?? .absent
  }
}
