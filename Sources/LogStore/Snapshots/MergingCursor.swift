internal import BinaryCoding

/// Walks several indexes as one, in key order either way; of equal keys only the newest is shown.
///
/// 1. Each source shows a window: keys and values side by side in memory. A step within it moves
///    two pointers; only at its end is the source asked for the next.
/// 2. A binary heap over the windows, ordered by key and then newest first, has the current key at
///    its top. One source needs no comparison.
/// 3. To advance, the older ones of the same key are passed over first: in a heap they are right
///    below the top. Then the top itself moves, which may take the bytes of its key away.
///
/// Memory is one decoded page for each run. Used by one thread; whoever uses it keeps the view
/// alive.
final class MergingCursor {
  /// Where a record comes from.
  enum Origin {
    /// Changes of the transaction that reads.
    case overlay
    case segment(Segment)
    /// A segment of a merged run that was replaced; no key that is shown has it.
    case replaced
  }

  private enum Source {
    case table(TableCursor)
    case segment(SegmentWalk)
    case merged(MergedWalk)

    var window: IndexWindow? {
      switch self {
      case .table(let cursor): cursor.window
      case .segment(let walk): walk.window
      case .merged(let walk): walk.window
      }
    }
  }

  /// A source that has keys left. Without references, so that the heap costs no counting of them.
  private struct Stream {
    var window: IndexWindow
    let source: Int
    /// Where its first segment is in `origins`.
    let firstOrigin: Int
    /// Which of equal keys with equal sequences counts: the overlay, then the later segment.
    let rank: UInt64
  }

  private let lower: KeyBuffer
  private let upper: KeyBuffer
  private let order: KeyOrder
  private var sources: [Source] = []
  /// Where each source's records come from: of a merged run, its segments by ordinal.
  private(set) var origins: [Origin] = []
  private var firstOrigins: [Int] = []
  private let heap: UnsafeMutablePointer<Stream>
  private var heapCount = 0

  /// Starts at the first key within `bounds`; `overlay` hides everything beneath it.
  init(
    view: View, overlay: PublishedTable?, sealed: [SealedIndex.Source],
    includesTable: Bool = true,
    bounds: WalkBounds = .all
  ) throws(LogError) {
    lower = KeyBuffer(bounds.lower)
    upper = KeyBuffer(bounds.upper)
    order = bounds.order
    heap = .allocate(capacity: sealed.count + 2)
    let bounds = WalkBounds(lower: lower.key, upper: upper.key, order: order)
    if let overlay { add(.table(overlay.cursor(bounds)), [.overlay]) }
    if includesTable, let active = view.active {
      add(.table(view.table.cursor(bounds)), [.segment(active)])
    }
    for source in sealed {
      switch source {
      case .footer(let segment):
        add(.segment(try SegmentWalk(segment, bounds)), [.segment(segment)])
      case .merged(let coverage):
        add(
          .merged(try MergedWalk(coverage, view, bounds)),
          coverage.segments.map { $0.map { .segment($0) } ?? .replaced })
      }
    }
    fillHeap()
  }

  deinit { heap.deallocate() }

  /// The newest record of the next key not shown yet; key and value are valid until `advance`.
  var current: (key: IndexKey, value: IndexValue, origin: Origin)? {
    guard heapCount > 0 else { return nil }
    let window = heap[0].window
    let origin = heap[0].firstOrigin + Int(window.value.pointee.ordinal)
    return (window.key.pointee, window.value.pointee, origins[origin])
  }

  /// The same without the origin itself; in ``origins`` it is at `firstOrigin` plus the ordinal.
  var currentWindow: (window: IndexWindow, firstOrigin: Int)? {
    heapCount > 0 ? (heap[0].window, heap[0].firstOrigin) : nil
  }

  /// How many indexes are walked.
  var sourceCount: Int { sources.count }

  /// Moves past the current key in all sources.
  ///
  /// After an error the walk is over: an index that cannot be read hides what comes next, and an
  /// older record must not be shown in its place.
  func advance() throws(LogError) {
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
    } catch {
      heapCount = 0
      throw error
    }
  }

  /// Moves to the first key behind the cut at `start`, forwards or backwards: in ascending order
  /// the first key not below it, in descending order the last one below it, and never out of the
  /// bounds.
  func seek(to start: IndexKey) throws(LogError) {
    heapCount = 0
    let start = clamped(start)
    for index in sources.indices {
      switch sources[index] {
      case .segment(let walk): try walk.seek(to: start)
      case .merged(let walk): try walk.seek(to: start)
      case .table(var cursor):
        cursor.seek(to: start)
        sources[index] = .table(cursor)
      }
    }
    fillHeap()
  }

  private func clamped(_ start: IndexKey) -> IndexKey {
    switch order {
    case .ascending: lower.key.map { IndexKey.compare(start, $0) < 0 ? $0 : start } ?? start
    case .descending: upper.key.map { IndexKey.compare(start, $0) > 0 ? $0 : start } ?? start
    }
  }

  private func add(_ source: Source, _ origins: [Origin]) {
    sources.append(source)
    firstOrigins.append(self.origins.count)
    self.origins += origins
  }

  private func fillHeap() {
    heapCount = 0
    for (index, source) in sources.enumerated() {
      guard let window = source.window else { continue }
      let firstOrigin = firstOrigins[index]
      let rank =
        switch origins[firstOrigin] {
        case .overlay: UInt64.max
        case .segment(let segment): UInt64(segment.identifier.rawValue)
        case .replaced: UInt64(0)
        }
      (heap + heapCount).initialize(
        to: Stream(window: window, source: index, firstOrigin: firstOrigin, rank: rank))
      heapCount += 1
    }
    for position in stride(from: heapCount / 2 - 1, through: 0, by: -1) { sink(position) }
  }

  private func hasKeyOfTop(_ position: Int) -> Bool {
    IndexKey.compare(heap[position].window.key.pointee, heap[0].window.key.pointee) == 0
  }

  /// Advances the stream at `position`, which is the top or right below it, and restores the heap.
  private func step(_ position: Int) throws(LogError) {
    if !heap[position].window.advance() {
      if let next = try nextWindow(of: heap[position]) {
        heap[position].window = next
      } else {
        // What takes the place sorts behind the top, so it can only sink.
        heapCount -= 1
        heap[position] = heap[heapCount]
      }
    }
    sink(position)
  }

  private func nextWindow(of stream: Stream) throws(LogError) -> IndexWindow? {
    switch sources[stream.source] {
    case .segment(let walk):
      try walk.advanceWindow(behind: stream.window.key.pointee)
      return walk.window
    case .merged(let walk):
      try walk.advanceWindow(behind: stream.window.key.pointee)
      return walk.window
    case .table(var cursor):
      cursor.advanceWindow()
      sources[stream.source] = .table(cursor)
      return cursor.window
    }
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
