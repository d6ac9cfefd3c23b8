/// The sealed segments of a view with the runs over them: what is asked beneath the memory table.
///
/// Immutable. A segment is asked by itself, through its footer, when the runs that can be used do
/// not cover all of its keys.
final class SealedIndex: Sendable {
  /// One index: of a segment, or of many.
  enum Source: Sendable {
    case footer(Segment)
    case merged(RunCoverage)

    var maximumSequence: CommitSequence {
      switch self {
      case .footer(let segment): segment.maximumSequence
      case .merged(let coverage): coverage.maximumSequence
      }
    }

    /// What planning goes by: keys, in a footer records.
    var keyCount: UInt64 {
      switch self {
      case .footer(let segment): segment.recordCount
      case .merged(let coverage): coverage.run.descriptor.keyCount
      }
    }

    /// Whether it holds the keys of a range only.
    var isRanged: Bool {
      if case .merged(let coverage) = self { !coverage.run.descriptor.bounds.isAll } else { false }
    }

    /// Whether it was found that it can neither be read nor rebuilt.
    var isLost: Bool {
      if case .footer(let segment) = self { segment.isWithoutIndex } else { false }
    }

    /// The number of its file; of files made later it is higher.
    var fileNumber: UInt32 {
      switch self {
      case .footer(let segment): segment.identifier.rawValue
      case .merged(let coverage): coverage.run.descriptor.identifier.rawValue
      }
    }

    /// Where a value that it gave lies.
    fileprivate func hit(_ value: IndexValue) -> View.Hit {
      switch self {
      case .footer(let segment): return View.Hit(segment: segment, value: value)
      case .merged(let coverage):
        guard let segment = coverage.segments[Int(value.ordinal)] else {
          preconditionFailure("what a run says of segments that are gone must be passed over")
        }
        var value = value
        value.ordinal = 0
        return View.Hit(segment: segment, value: value)
      }
    }

    /// Where its keys lie.
    enum KeySpan {
      case nothing
      /// No key sorts before `first` or behind `last`; borrowed from the index, or cuts.
      case keys(first: IndexKey, last: IndexKey)
      /// It cannot be read as it is: opening it for a walk deals with that.
      case unknown

      init(_ run: IndexRun) {
        self = run.directory.bounds.map { .keys(first: $0.first, last: $0.last) } ?? .nothing
      }
    }

    /// Where its keys lie, as its directory says; opens it.
    func keySpan() throws(LogError) -> KeySpan {
      let run: IndexRun
      switch self {
      case .footer(let segment): run = try segment.run()
      case .merged(let coverage):
        do throws(RunDamage) { run = try coverage.run.run() } catch { return .unknown }
      }
      return KeySpan(run)
    }

    /// The same as far as it can be told without opening it: its directory is open, or the manifest
    /// says it, roughly, with cuts over `bytes`.
    func knownKeySpan(over bytes: UnsafeRawPointer) -> (span: KeySpan, isListed: Bool)? {
      if let lent = lendRun({ KeySpan($0) }) { return (lent, false) }
      guard let cuts = listedHeads?.cuts(over: bytes) else { return nil }
      return (.keys(first: cuts.first, last: cuts.last), true)
    }

    /// Between which keys its own lie, if it is open and not damaged, or the manifest says so.
    var heads: KeyHeads? { lendRun { $0.heads } ?? listedHeads }

    /// The same as far as the manifest says it.
    private var listedHeads: KeyHeads? {
      switch self {
      case .footer(let segment): segment.heads
      case .merged(let coverage): coverage.run.descriptor.heads
      }
    }

    /// Lends what is asked, when it is open and not damaged.
    @inline(__always)
    private func lendRun<Result>(_ body: (IndexRun) -> Result) -> Result? {
      switch self {
      case .footer(let segment): segment.lendRun(body)
      case .merged(let coverage): coverage.run.lendRun(body)
      }
    }

    /// What ``IndexRun/forgetPages()`` does, if it is open.
    func forgetPages() {
      switch self {
      case .footer(let segment): segment.forgetFooterPages()
      case .merged(let coverage): coverage.run.forgetPages()
      }
    }

    /// The segments whose keys it holds.
    var segments: [Segment] {
      switch self {
      case .footer(let segment): [segment]
      case .merged(let coverage): coverage.segments.compactMap { $0 }
      }
    }
  }

  /// Ordered by their newest record, newest first.
  let segments: [Segment]
  let runs: [MergedRun]
  /// What look-ups ask, in the same order.
  let sources: [Source]
  /// The same, for look-ups.
  nonisolated(unsafe) let slots: UnsafeMutableBufferPointer<IndexSlot>
  private let heads: SlotHeads

  init(_ segments: [Segment], runs: [MergedRun] = []) {
    self.segments = segments
    self.runs = runs
    var sources: [Source] = []
    let usable = runs.filter { !$0.isDamaged }
    if usable.isEmpty {
      sources = segments.map { .footer($0) }
    } else {
      let listed = SegmentTable(segments, by: \.identifier)
      sources = usable.map { .merged(RunCoverage($0, of: listed)) }
      let isCovered = RunDescriptor.covered(by: usable.map(\.descriptor), of: listed)
      for segment in segments where isCovered[segment.identifier] != true {
        sources.append(.footer(segment))
      }
    }
    if !PlantedBug.olderRecordWins.isPlanted {
      sources.sort { $0.maximumSequence > $1.maximumSequence }
    }
    self.sources = sources
    slots = .allocate(capacity: sources.count)
    _ = slots.initialize(from: sources.map(IndexSlot.init))
    heads = SlotHeads(count: sources.count)
    for (slot, source) in sources.enumerated() {
      if let known = source.heads { heads.enter(known, for: slot) }
    }
  }

  deinit { slots.deallocate() }

  /// The newest record of `key`, which may be a tombstone.
  func find(_ key: IndexKey) throws(LogError) -> View.Hit? {
    if slots.isEmpty { return nil }
    return try find(key, hash: RunFilter.hash(CollectionIdentifier(key.collection), key.buffer))
  }

  /// The same with the key's ``RunFilter/hash(_:_:)``.
  func find(_ key: IndexKey, hash: UInt64) throws(LogError) -> View.Hit? {
    switch answer(key, hash: hash) {
    case .absent: return nil
    case .found(let value, let slot): return sources[slot].hit(value)
    case .unknown: return try findSlowly(key, hash: hash)
    }
  }

  /// The newest record of `key`, or that it is absent or deleted, where that can be had without
  /// counting references.
  func fastRecord(_ key: IndexKey) -> FastRecord {
    if slots.isEmpty { return .absent }
    let hash = RunFilter.hash(CollectionIdentifier(key.collection), key.buffer)
    switch answer(key, hash: hash) {
    case .absent: return .absent
    case .found(let value, let slot):
      if value.isTombstone { return .absent }
      guard let segment = slots[slot].segment(of: value) else { return .unknown }
      return segment._withUnsafeGuaranteedRef { $0.fastRecord(at: value, key: key) }
    case .unknown: return .unknown
    }
  }

  /// What all indexes together say; found by the one at `slot`.
  enum Answer {
    case absent
    case found(IndexValue, slot: Int)
    /// Ask again the slow way.
    case unknown
  }

  /// What all say of `key`, which has that ``RunFilter/hash(_:_:)``.
  func answer(_ key: IndexKey, hash: UInt64) -> Answer {
    answer(key) { slot in slots[slot].answer(key, hash: hash) }
  }

  /// The same, where `ask` says what the source at a slot does.
  ///
  /// Sources may overlap, because compaction keeps sequences: the highest sequence wins, and
  /// sources that end before it are not asked.
  @inline(__always)
  func answer(_ key: IndexKey, asking ask: (Int) -> FastAnswer) -> Answer {
    var best: (value: IndexValue, slot: Int)?
    var search = heads.search((key.collection, key.head))
    while let slot = heads.next(&search) {
      if let best,
        best.value.sequence >= slots[slot].maximumSequence
          || PlantedBug.olderRecordWins.isPlanted
      {
        break
      }
      switch ask(slot) {
      case .absent: break
      case .found(let value):
        if best.map({ $0.value.sequence < value.sequence }) ?? true { best = (value, slot) }
      case .unknown: return .unknown
      }
      if heads.isUnknown(slot) { learn(slot) }
    }
    return best.map { .found($0.value, slot: $0.slot) } ?? .absent
  }

  /// False only when no source has a key from `first` to `last`.
  func mayContainKeys(from first: KeyHeads.Head, to last: KeyHeads.Head) -> Bool {
    slots.indices.contains { !heads.rulesOut(from: first, to: last, in: $0) }
  }

  /// Remembers between which keys those of an open source lie.
  @inline(never)
  private func learn(_ slot: Int) {
    if let known = sources[slot].heads { heads.enter(known, for: slot) }
  }

  /// The same with indexes that are opened on the way, read from files, or damaged; those that
  /// cannot have the key are not opened.
  private func findSlowly(_ key: IndexKey, hash: UInt64) throws(LogError) -> View.Hit? {
    var best: View.Hit?
    for (slot, source) in sources.enumerated() {
      if heads.rulesOut((key.collection, key.head), in: slot) { continue }
      if let best,
        best.value.sequence >= source.maximumSequence
          || PlantedBug.olderRecordWins.isPlanted
      {
        break
      }
      guard let hit = try Self.find(key, hash: hash, in: source) else { continue }
      if best.map({ $0.value.sequence < hit.value.sequence }) ?? true { best = hit }
    }
    return best
  }

  private static func find(
    _ key: IndexKey, hash: UInt64, in source: Source
  ) throws(LogError) -> View.Hit? {
    switch source {
    case .footer(let segment):
      return try segment.find(key, hash: hash).map { View.Hit(segment: segment, value: $0) }
    case .merged(let coverage):
      return try find(key, hash: hash, in: coverage)
    }
  }

  private static func find(
    _ key: IndexKey, hash: UInt64, in coverage: RunCoverage
  ) throws(LogError) -> View.Hit? {
    if !coverage.run.isDamaged {
      do throws(RunDamage) { return try coverage.find(key, hash: hash) } catch {
        try coverage.run.note(error)
      }
    }
    return try find(key, hash: hash, inFootersOf: coverage)
  }

  /// What is asked in the place of a damaged run.
  private static func find(
    _ key: IndexKey, hash: UInt64, inFootersOf coverage: RunCoverage
  ) throws(LogError) -> View.Hit? {
    var best: View.Hit?
    for case let segment? in coverage.segments {
      guard let value = try segment.find(key, hash: hash) else { continue }
      if best.map({ $0.value.sequence < value.sequence }) ?? true {
        best = View.Hit(segment: segment, value: value)
      }
    }
    return best
  }
}
