internal import BinaryCoding

/// Walks a run in key order, either way; holds some decoded keys of one page at a time.
///
/// A page is decoded in portions, so that a short walk does not pay for all of a large page. The
/// directory is not believed: where a walk begins is proven by the keys around, and each page must
/// lie next to the one before, up to the end of the pages.
final class RunCursor {
  private let run: IndexRun
  private let bounds: WalkBounds
  private var page: Int
  /// Where the page lies.
  private var place = 0..<0
  /// The positions of the page that were not decoded yet.
  private var left = 0..<0
  /// The segments of a merged run that are there; keys of others are passed over.
  private let coverage: RunCoverage?
  private var decoded = DecodedPage()
  /// The decoded keys that are left, valid until the cursor moves on; nothing at the end, and
  /// where the last portion had none.
  private(set) var window: IndexWindow?
  /// The key that the cursor has come to where the last portion had none, because the segments of
  /// its keys are gone; valid until it moves on. There may be thousands of them behind each other,
  /// which who walks other indexes, too, may never come to.
  private(set) var passed: IndexKey?
  private var isLast = false

  /// Keys in the next portion: few at first, because most walks are short.
  private var portionKeyCount = RunCursor.firstPortionKeyCount
  private static let firstPortionKeyCount = 16
  private static let portionKeyCountMaximum = 128

  /// Stands on the first key within `bounds` that lies behind the cut at `start`.
  init(
    _ run: IndexRun, bounds: WalkBounds, from start: IndexKey?, coverage: RunCoverage? = nil
  ) throws(RunDamage) {
    self.run = run
    self.bounds = bounds
    self.coverage = coverage
    page = 0
    try seek(to: start)
  }

  /// Stands on the first key not below `start`.
  convenience init(_ run: IndexRun, from start: IndexKey?) throws(RunDamage) {
    try self.init(run, bounds: WalkBounds(lower: start), from: start)
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
    window = nil
    passed = nil
    portionKeyCount = Self.firstPortionKeyCount
    isLast = last < 0
    if isLast { return }
    page = isAscending ? 0 : last
    if let start { page = try run.firstPage(from: start) }
    place = try run.place(ofPage: page)
    try load(from: start)
  }

  /// Moves to the first key of the next portion, if that has any.
  func advanceWindow() throws(RunDamage) {
    window = nil
    passed = nil
    while !isLast, window == nil, passed == nil {
      if !left.isEmpty {
        try loadPortion(from: nil)
        continue
      }
      guard try goToNeighbour() else { return }
      try loadPage(from: nil)
    }
  }

  /// Goes to the next page; false at the end.
  private func goToNeighbour() throws(RunDamage) -> Bool {
    let next = page + (isAscending ? 1 : -1)
    let edge = isAscending ? place.upperBound : place.lowerBound
    guard (0..<run.directory.pageCount).contains(next) else {
      guard edge == (isAscending ? run.pagesByteCount : 0) else { throw run.wrongPage(next) }
      return false
    }
    let found = try run.place(ofPage: next)
    guard edge == (isAscending ? found.lowerBound : found.upperBound) else {
      throw run.wrongPage(next)
    }
    (page, place) = (next, found)
    return true
  }

  private var isAscending: Bool { bounds.order == .ascending }

  private func load(from start: IndexKey?) throws(RunDamage) {
    try loadPage(from: start)
    if window == nil, passed == nil { try advanceWindow() }
  }

  private func loadPage(from start: IndexKey?) throws(RunDamage) {
    let cut = try run.withDecodedPage(page) { (page) throws(BinaryDecodingError) in
      guard let start else { return (position: 0, of: page.count) }
      return (position: try page.position(of: start), of: page.count)
    }
    if let start {
      try run.check(cut, on: page, for: start)
      left = isAscending ? cut.position..<cut.of : 0..<cut.position
    } else {
      left = 0..<cut.of
    }
    if !left.isEmpty { try loadPortion(from: start) }
  }

  private func loadPortion(from start: IndexKey?) throws(RunDamage) {
    let count = min(left.count, portionKeyCount)
    portionKeyCount = min(2 * portionKeyCount, Self.portionKeyCountMaximum)
    let portion = isAscending ? left.prefix(count) : left.suffix(count)
    left = isAscending ? left.dropFirst(count) : left.dropLast(count)
    let decodedCount = try run.withDecodedPage(page) { (page) throws(BinaryDecodingError) in
      let count = try decoded.decode(page, portion, coverage)
      if count > 0 { return count }
      let last = isAscending ? portion.upperBound - 1 : portion.lowerBound
      _ = try decoded.decode(page, last..<(last + 1), nil)
      return 0
    }
    if decodedCount == 0 {
      isLast = bounds.isPast(decoded.keys.pointee)
      passed = isLast ? nil : decoded.keys.pointee
    } else {
      (window, isLast) = bounds.window(
        decoded.keys, decoded.values, count: decodedCount, from: start)
    }
  }
}
