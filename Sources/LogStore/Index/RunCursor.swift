internal import BinaryCoding

/// Walks a run in key order, either way; holds one decoded page at a time.
final class RunCursor {
  private let run: IndexRun
  private let bounds: WalkBounds
  private var page: Int
  /// The segments of a merged run that are there; keys of others are passed over.
  private let coverage: RunCoverage?
  private var decoded: DecodedPage
  /// The keys of the current page that are left, valid until the cursor leaves it; nothing at the
  /// end.
  private(set) var window: IndexWindow?
  private var isLast = false

  /// Stands on the first key within `bounds`.
  init(
    _ run: IndexRun, bounds: WalkBounds, coverage: RunCoverage? = nil
  ) throws(RunDamage) {
    self.run = run
    self.bounds = bounds
    self.coverage = coverage
    decoded = DecodedPage(run.header.format)
    page = 0
    try seek(to: bounds.start)
  }

  /// Stands on the first key not below `start`.
  convenience init(_ run: IndexRun, from start: IndexKey?) throws(RunDamage) {
    try self.init(run, bounds: WalkBounds(lower: start))
  }

  /// The key and value the cursor stands on, valid until it moves; nothing at the end.
  var current: (key: IndexKey, value: IndexValue)? {
    window.map { ($0.key.pointee, $0.value.pointee) }
  }

  func advance() throws(RunDamage) {
    if window?.advance() == false { try advanceWindow() }
  }

  /// Moves to the first key behind the cut at `start`: in ascending order the first that is not
  /// below it, in descending order the last that is.
  func seek(to start: IndexKey?) throws(RunDamage) {
    let last = run.directory.pageCount - 1
    page = start.map { run.directory.firstPage(from: $0) } ?? (isAscending ? 0 : last)
    window = nil
    isLast = last < 0
    if !isLast { try load(from: start) }
  }

  /// Moves to the first key of the next page that has any.
  func advanceWindow() throws(RunDamage) {
    window = nil
    while !isLast, window == nil {
      page += isAscending ? 1 : -1
      guard (0..<run.directory.pageCount).contains(page) else { return }
      try loadPage(from: nil)
    }
  }

  private var isAscending: Bool { bounds.order == .ascending }

  private func load(from start: IndexKey?) throws(RunDamage) {
    try loadPage(from: start)
    if window == nil { try advanceWindow() }
  }

  private func loadPage(from start: IndexKey?) throws(RunDamage) {
    let format = run.header.format
    let count = try run.withPage(at: page) { (bytes) throws(RunDamage) in
      do throws(BinaryDecodingError) {
        return try decoded.decode(RunPage(bytes, format: format), coverage)
      } catch { throw .damaged("\(format.name)'s page \(page): \(error)") }
    }
    (window, isLast) = bounds.window(
      decoded.keys, decoded.values, count: count, from: start)
  }
}
