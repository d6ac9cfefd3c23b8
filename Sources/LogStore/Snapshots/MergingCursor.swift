internal import BinaryCoding

/// Walks several indexes as one, in key order either way; of equal keys only the newest is shown.
///
/// 1. Each source shows a window: keys and values side by side in memory. A step within it moves
///    two pointers; only at its end is the source asked for the next.
/// 2. A binary heap over the windows, ordered by key and then newest first, has the current key at
///    its top. One source needs no comparison.
/// 3. A sealed index that may hold keys of the range waits in the heap with a bound for them, which
///    its directory gives, or the manifest. It is opened when the bound comes to the top: so a
///    short walk reads no page of an index whose keys lie behind it, mostly not even its directory.
///    So it waits again where it has met only keys whose segments are gone.
/// 4. To advance, the older ones of the same key are passed over first: in a heap they are right
///    below the top. Then the top itself moves, which may take the bytes of its key away.
/// 5. After that it counts how many keys of the top's window sort before those of all other
///    sources; over those it steps without comparing.
///
/// Memory is one decoded portion of a page for each index that was reached. Used by one thread;
/// whoever uses it keeps the view alive.
final class MergingCursor {
  /// Where a record comes from.
  enum Origin {
    /// Changes of the transaction that reads.
    case overlay
    case segment(Segment)
    /// A segment of a merged run that was replaced; no key that is shown has it.
    case replaced
  }

  /// A table that is walked: the overlay, or the one of the active segment.
  private struct Table {
    var cursor: TableCursor
    /// None of the overlay.
    let segment: Segment?
  }

  /// Where the footers are that are walked in place of a damaged run.
  private let view: View
  private let lower: KeyBuffer
  private let upper: KeyBuffer
  private let order: KeyOrder
  /// The cut that was sought last, and its bytes.
  @exclusivity(unchecked) private var start: IndexKey?
  private let sought = KeyBuffer()
  /// The sources are these tables, and behind them the sealed indexes.
  @exclusivity(unchecked) private var tables: [Table] = []
  private let sealed: [SealedIndex.Source]
  /// Of the sealed indexes that were reached.
  @exclusivity(unchecked) private var walks: [(any IndexWalk)?]
  private let heap: UnsafeMutablePointer<Stream>
  @exclusivity(unchecked) private var heapCount = 0
  /// How many keys of the top's window, behind its first, sort before those of all other sources.
  @exclusivity(unchecked) private var freeCount = 0
  /// For each source, its segment if it has one only, and the key of its bound.
  private let segments: UnsafeMutablePointer<Unmanaged<Segment>?>
  private let boundKeys: UnsafeMutablePointer<IndexKey>
  /// Newer than any record, so that a source is opened before the same key of another is shown.
  private let boundValue: UnsafeMutablePointer<IndexValue>

  /// Starts at the first key within `bounds`; `overlay` hides everything beneath it.
  init(
    view: View, overlay: PublishedTable?, sealed: [SealedIndex.Source],
    includesTable: Bool = true,
    bounds: WalkBounds = .all
  ) throws(LogError) {
    self.view = view
    lower = KeyBuffer(bounds.lower)
    upper = KeyBuffer(bounds.upper)
    order = bounds.order
    let capacity = sealed.count + 2
    heap = .allocate(capacity: capacity)
    segments = .allocate(capacity: capacity)
    boundKeys = .allocate(capacity: capacity)
    boundValue = .allocate(capacity: 1)
    boundValue.initialize(
      to: IndexValue(
        sequence: CommitSequence(.max), schemaVersion: 0, offset: 0, length: 0,
        isTombstone: false))
    self.sealed = sealed
    walks = Array(repeating: nil, count: sealed.count)
    let bounds = self.bounds
    start = bounds.start
    if let overlay { tables.append(Table(cursor: overlay.cursor(bounds), segment: nil)) }
    if includesTable, let active = view.active {
      tables.append(Table(cursor: view.table.cursor(bounds), segment: active))
    }
    try fillHeap()
  }

  deinit {
    ReadMark.endReading()
    heap.deallocate()
    segments.deallocate()
    boundKeys.deallocate()
    boundValue.deallocate()
  }

  /// The newest record of the next key not shown yet; key and value are valid until `advance`.
  var current: (key: IndexKey, value: IndexValue, origin: Origin)? {
    guard let top = top?.pointee else { return nil }
    let origin: Origin =
      if let segments = top.segments {
        segments[Int(top.window.value.pointee.ordinal)]
          .map { .segment($0.takeUnretainedValue()) } ?? .replaced
      } else { .overlay }
    return (top.window.key.pointee, top.window.value.pointee, origin)
  }

  /// The same without counting a reference: where its window stands. Valid until the cursor moves
  /// or goes away; then it shows another key. Not copied: a processor that loads together what was
  /// just stored in parts waits for that.
  var top: UnsafePointer<Stream>? { heapCount > 0 ? UnsafePointer(heap) : nil }

  /// How many indexes may be walked.
  var sourceCount: Int { tables.count + sealed.count }

  /// How many sealed indexes the walk has reached so far; for tests.
  var openedCount: Int { walks.count { $0 != nil } }

  /// Moves past the current key in all sources.
  ///
  /// After an error the walk is over: an index that cannot be read hides what comes next, and an
  /// older record must not be shown in its place.
  @inline(__always)
  func advance() throws(LogError) {
    if freeCount > 0 {
      freeCount -= 1
      heap[0].window.advanceWithin()
    } else {
      try advanceAmongSources()
    }
  }

  private func advanceAmongSources() throws(LogError) {
    guard heapCount > 0 else { return }
    do throws(LogError) {
      while heapCount > 1 {
        if hasKeyOfTop(1) {
          try step(1)
        } else if heapCount > 2, hasKeyOfTop(2) {
          try step(2)
        } else {
          break
        }
      }
      try step(0)
      try openTop()
    } catch {
      heapCount = 0
      throw error
    }
    freeCount = countOfFreeKeys()
  }

  /// Moves to the first key behind the cut at `start`, forwards or backwards: in ascending order
  /// the first key not below it, in descending order the last one below it, and never out of the
  /// bounds.
  func seek(to start: IndexKey) throws(LogError) {
    heapCount = 0
    freeCount = 0
    sought.set(clamped(start))
    self.start = sought.key
    for index in tables.indices { tables[index].cursor.seek(to: sought.key) }
    try fillHeap()
  }

  /// The cut where the walk ends.
  var end: IndexKey? { order == .ascending ? upper.key : lower.key }

  private var bounds: WalkBounds { WalkBounds(lower: lower.key, upper: upper.key, order: order) }

  private func clamped(_ start: IndexKey) -> IndexKey {
    switch order {
    case .ascending: lower.key.map { IndexKey.compare(start, $0) < 0 ? $0 : start } ?? start
    case .descending: upper.key.map { IndexKey.compare(start, $0) > 0 ? $0 : start } ?? start
    }
  }
}

// MARK: - Sources

extension MergingCursor {
  private func fillHeap() throws(LogError) {
    do throws(LogError) {
      var count = 0
      for index in 0..<sourceCount {
        guard let stream = try stream(index) else { continue }
        (heap + count).initialize(to: stream)
        count += 1
      }
      heapCount = count
      for position in stride(from: count / 2 - 1, through: 0, by: -1) { sink(position) }
      try openTop()
    } catch {
      heapCount = 0
      throw error
    }
  }

  /// A source as it stands in the heap; nothing when no key of it can be in the range.
  private func stream(_ index: Int) throws(LogError) -> Stream? {
    guard index < tables.count else { return try sealedStream(index) }
    guard let window = tables[index].cursor.window else { return nil }
    guard let segment = tables[index].segment else {
      return Stream(window: window, isOpen: true, source: index, rank: .max, segments: nil)
    }
    (segments + index).initialize(to: .passUnretained(segment))
    return opened(window, index, segment.identifier, segments + index)
  }

  private func sealedStream(_ index: Int) throws(LogError) -> Stream? {
    let source = sealed[index - tables.count]
    guard let (span, isListed) = source.knownKeySpan(over: boundKeys) else {
      return try sealedStream(index, source, source.keySpan())
    }
    var stream = try sealedStream(index, source, span)
    stream?.isListed = isListed
    return stream
  }

  /// The same where its keys lie in `span`.
  private func sealedStream(
    _ index: Int, _ source: SealedIndex.Source, _ span: SealedIndex.Source.KeySpan
  ) throws(LogError) -> Stream? {
    var stream = waiting(index, source)
    switch span {
    case .nothing: return nil
    case .keys(let first, let last):
      guard let key = bound(first, last) else { return nil }
      (boundKeys + index).initialize(to: key)
    case .unknown:
      guard try moveOn(&stream) else { return nil }
    }
    return stream
  }

  private func waiting(_ index: Int, _ source: SealedIndex.Source) -> Stream {
    let window = IndexWindow(key: boundKeys + index, value: boundValue)
    var stream: Stream
    switch source {
    case .footer(let segment):
      (segments + index).initialize(to: .passUnretained(segment))
      stream = opened(window, index, segment.identifier, segments + index)
    case .merged(let coverage):
      let newest = coverage.segments.first.flatMap { $0 }
      stream = opened(window, index, newest?.identifier, coverage.lentSegments)
    }
    stream.isOpen = false
    return stream
  }

  /// A bound for the keys in the range of an index with these first and last keys; nothing when
  /// none can be in it.
  private func bound(_ first: IndexKey, _ last: IndexKey) -> IndexKey? {
    let isAscending = order == .ascending
    let low = isAscending ? start : lower.key
    let high = isAscending ? upper.key : start
    if let low, IndexKey.compare(last, low) < 0 { return nil }
    if let high, IndexKey.compare(first, high) >= 0 { return nil }
    if isAscending {
      return low.map { IndexKey.compare($0, first) > 0 ? $0 : first } ?? first
    }
    return high.map { IndexKey.compare($0, last) < 0 ? $0 : last } ?? last
  }

  private func opened(
    _ window: IndexWindow, _ index: Int, _ newest: SegmentIdentifier?,
    _ segments: UnsafeMutablePointer<Unmanaged<Segment>?>
  ) -> Stream {
    Stream(
      window: window, isOpen: true, source: index, rank: UInt64(newest?.rawValue ?? 0),
      segments: UnsafePointer(segments))
  }

  /// Opens the sources whose bounds are at the top, until a key is.
  private func openTop() throws(LogError) {
    while heapCount > 0, !heap[0].isOpen {
      if heap[0].isListed { try askDirectoryOfTop() } else { try step(0) }
    }
  }

  /// Opens the index at the top, of which the manifest's word is known, for a closer bound.
  private func askDirectoryOfTop() throws(LogError) {
    let index = heap[0].source
    let source = sealed[index - tables.count]
    replace(0, with: try sealedStream(index, source, source.keySpan()))
  }

  /// Shows the first window of a source that waits, or the next of one that is open; false at its
  /// end.
  private func moveOn(_ stream: inout Stream) throws(LogError) -> Bool {
    let source = stream.source
    if source < tables.count {
      tables[source].cursor.advanceWindow()
      guard let window = tables[source].cursor.window else { return false }
      stream.window = window
      return true
    }
    let walk = try walk(source - tables.count, of: stream)
    return stream.show(walk, bound: boundKeys + source, boundValue)
  }

  /// The walk of a sealed index, moved on.
  private func walk(_ number: Int, of stream: Stream) throws(LogError) -> any IndexWalk {
    guard let walk = walks[number] else {
      let made: any IndexWalk =
        switch sealed[number] {
        case .footer(let segment): try SegmentWalk(segment, bounds, from: start)
        case .merged(let coverage): try MergedWalk(coverage, view, bounds, from: start)
        }
      walks[number] = made
      return made
    }
    if stream.isOpen || stream.isPassing {
      try walk.advanceWindow(behind: stream.window.key.pointee)
    } else {
      try walk.seek(to: start)
    }
    return walk
  }
}

// MARK: - Heap

extension MergingCursor {
  private func hasKeyOfTop(_ position: Int) -> Bool {
    IndexKey.compare(heap[position].window.key.pointee, heap[0].window.key.pointee) == 0
  }

  /// Advances the stream at `position`, which is the top or right below it, or opens it, and
  /// restores the heap.
  private func step(_ position: Int) throws(LogError) {
    if heap[position].isOpen, heap[position].window.advance() { return sink(position) }
    var next = heap[position]
    replace(position, with: try moveOn(&next) ? next : nil)
  }

  /// Puts a stream that sorts no earlier in the place of one that is the top or right below it, or
  /// nothing where it has ended.
  private func replace(_ position: Int, with next: Stream?) {
    if let next {
      heap[position] = next
    } else {
      // What takes the place sorts behind the top, so it can only sink.
      heapCount -= 1
      heap[position] = heap[heapCount]
    }
    sink(position)
  }

  /// How many keys of the top's window, behind its first, sort before those of all other sources;
  /// mostly none where sources alternate, and all where they have ranges of their own.
  private func countOfFreeKeys() -> Int {
    guard heapCount > 0 else { return 0 }
    let window = heap[0].window
    guard heapCount > 1, window.count > 1 else { return window.count - 1 }
    let isThirdNext = heapCount > 2 && precedes(2, 1)
    let next = heap[isThirdNext ? 2 : 1].window.key.pointee
    func isFree(_ distance: Int) -> Bool {
      guard distance < window.count else { return false }
      let comparison = IndexKey.compare(window.key(ahead: distance), next)
      return comparison != 0 && (comparison < 0) == (order == .ascending)
    }
    guard isFree(1) else { return 0 }
    if isFree(window.count - 1) { return window.count - 1 }
    var free = 1
    while isFree(2 * free) { free *= 2 }
    var taken = min(2 * free, window.count - 1)
    while taken - free > 1 {
      let middle = (free + taken) / 2
      if isFree(middle) { free = middle } else { taken = middle }
    }
    return free
  }

  private func precedes(_ left: Int, _ right: Int) -> Bool {
    let comparison = IndexKey.compare(
      heap[left].window.key.pointee, heap[right].window.key.pointee)
    if comparison != 0 { return (comparison < 0) == (order == .ascending) }
    // The overlay is always newest; then the higher sequence; of equal ones the later segment.
    if heap[left].rank == .max || heap[right].rank == .max { return heap[left].rank == .max }
    let first = (heap[left].window.value.pointee.sequence, heap[left].rank)
    return first > (heap[right].window.value.pointee.sequence, heap[right].rank)
  }

  private func sink(_ start: Int) {
    var position = start
    while true {
      let left = 2 * position + 1
      guard left < heapCount else { return }
      let right = left + 1
      let first = right < heapCount && precedes(right, left) ? right : left
      guard precedes(first, position) else { return }
      let moved = heap[position]
      heap[position] = heap[first]
      heap[first] = moved
      position = first
    }
  }
}
