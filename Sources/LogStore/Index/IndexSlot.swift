/// A source of a ``SealedIndex`` as look-ups see it: no reference to it is counted, which threads
/// that read at the same time would fight for. The index keeps what it points to.
struct IndexSlot {
  let maximumSequence: CommitSequence
  /// The segment whose footer is asked; nothing where a run is.
  private let footer: Unmanaged<Segment>?
  private let run: Unmanaged<MergedRun>?
  /// The segments of the run, by ordinal.
  private let segments: UnsafeMutablePointer<Unmanaged<Segment>?>?
  private let segmentCount: Int

  init(_ source: SealedIndex.Source) {
    maximumSequence = source.maximumSequence
    switch source {
    case .footer(let segment):
      footer = .passUnretained(segment)
      run = nil
      segments = nil
      segmentCount = 0
    case .merged(let coverage):
      footer = nil
      run = .passUnretained(coverage.run)
      segments = coverage.lentSegments
      segmentCount = coverage.segments.count
    }
  }

  /// The segment of a record that the source gave, borrowed from the index.
  func segment(of value: IndexValue) -> Unmanaged<Segment>? {
    segments.map { $0[Int(value.ordinal)] } ?? footer
  }

  /// The newest record of `key` in the source; a run's with its ordinal.
  func answer(_ key: IndexKey, hash: UInt64) -> FastAnswer {
    guard let run else {
      return footer?._withUnsafeGuaranteedRef { $0.fastAnswer(key, hash: hash) } ?? .absent
    }
    let answer = run._withUnsafeGuaranteedRef { $0.fastAnswer(key, hash: hash) }
    guard case .found(let value) = answer else { return answer }
    return self.answer(value)
  }

  /// What it means that the source's index gives `value` for a key: a run may name segments that
  /// are gone.
  @inline(__always)
  func answer(_ value: IndexValue) -> FastAnswer {
    guard let segments else { return .found(value) }
    guard value.ordinal < segmentCount else { return .unknown }
    return segments[Int(value.ordinal)] == nil ? .absent : .found(value)
  }

  /// Lends what is asked, when it is open and not damaged.
  @inline(__always)
  func lendRun<Result>(_ body: (IndexRun) -> Result) -> Result? {
    if let run { return run._withUnsafeGuaranteedRef { $0.lendRun(body) } }
    return footer?._withUnsafeGuaranteedRef { $0.lendRun(body) } ?? nil
  }
}
