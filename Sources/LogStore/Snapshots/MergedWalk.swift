internal import BinaryCoding

/// Walks a merged run; when it turns out damaged on the way, the footers of its segments instead.
final class MergedWalk: IndexWalk {
  private let coverage: RunCoverage
  private let view: View
  private let bounds: WalkBounds
  private var cursor: RunCursor?
  /// Takes the cursor's place after damage; its keys are shown one by one, with their ordinals.
  private var footers: MergingCursor?
  private var shown: UnsafeMutablePointer<IndexValue>?
  private var shownWindow: IndexWindow?
  /// Where a walk over the footers goes on.
  private let resumption = KeyBuffer()
  /// Where the run begins or ends, once that was needed.
  private lazy var end = KeyBuffer()

  /// Starts behind the cut at `start`. `bounds` are borrowed for as long as the walk lives.
  init(
    _ coverage: RunCoverage, _ view: View, _ bounds: WalkBounds, from start: IndexKey?
  ) throws(LogError) {
    self.coverage = coverage
    self.view = view
    self.bounds = bounds
    do throws(RunDamage) {
      cursor = try RunCursor(coverage.run.run(), bounds: bounds, from: start, coverage: coverage)
    } catch { try walkFooters(error, from: start) }
  }

  deinit { shown?.deallocate() }

  /// The keys that are left of the current page; nothing at the end, and where ``passed`` is.
  var window: IndexWindow? { footers == nil ? cursor?.window : shownWindow }

  /// Where only keys of segments that are gone were met: there may be others behind this one.
  var passed: IndexKey? { footers == nil ? cursor?.passed : nil }

  /// Moves behind `last`, the last key of the current window, or the one that was passed.
  func advanceWindow(behind last: IndexKey) throws(LogError) {
    if let footers {
      try footers.advance()
      return show(footers)
    }
    // Copied first: a page that fails half-way leaves nothing of the one before.
    if bounds.order == .ascending { resumption.set(behind: last) } else { resumption.set(last) }
    do throws(RunDamage) {
      try cursor?.advanceWindow()
    } catch { try walkFooters(error, from: resumption.key) }
  }

  /// Moves to the first key behind the cut at `start`.
  func seek(to start: IndexKey?) throws(LogError) {
    if let footers { return try show(footers, from: start) }
    do throws(RunDamage) {
      try cursor?.seek(to: start)
    } catch { try walkFooters(error, from: start) }
  }

  private func walkFooters(_ damage: RunDamage, from start: IndexKey?) throws(LogError) {
    try coverage.run.note(damage)
    let footers = try MergingCursor(
      view: view, overlay: nil,
      sealed: coverage.segments.compactMap { $0.map { .footer($0) } }, includesTable: false,
      bounds: bounds)
    cursor = nil
    self.footers = footers
    try show(footers, from: start)
  }

  private func show(_ footers: MergingCursor, from start: IndexKey?) throws(LogError) {
    if let start = clamped(start) { try footers.seek(to: start) }
    show(footers)
  }

  /// `start`, or where the run begins when that lies behind it.
  ///
  /// Footers have keys that the run lacks, because a newer record elsewhere hides them. Whoever
  /// walks this index with others comes to it with its first key, and has passed by then what hides
  /// those before.
  private func clamped(_ start: IndexKey?) -> IndexKey? {
    let opened: IndexRun
    do throws(RunDamage) { opened = try coverage.run.run() } catch { return clampedToListed(start) }
    guard let (first, last) = opened.directory.bounds else { return start }
    if bounds.order == .ascending {
      return start.map { IndexKey.compare($0, first) < 0 ? first : $0 } ?? first
    }
    if let start, IndexKey.compare(start, last) <= 0 { return start }
    end.set(behind: last)
    return end.key
  }

  /// The same where the run cannot be opened: who walks it came to it with what the manifest says.
  private func clampedToListed(_ start: IndexKey?) -> IndexKey? {
    let isAscending = bounds.order == .ascending
    guard let heads = coverage.run.descriptor.heads,
      let head = isAscending ? heads.first : KeyHeads.successor(of: heads.last)
    else { return start }
    return KeyCut(before: head).withIndexKey { key in
      if let start, (IndexKey.compare(start, key) >= 0) == isAscending { return start }
      end.set(key)
      return end.key
    }
  }

  private func show(_ footers: MergingCursor) {
    shownWindow = nil
    guard let current = footers.top?.pointee,
      let segment = current.segment(of: current.window.value)
    else { return }
    let identifier = segment._withUnsafeGuaranteedRef { $0.identifier }
    let ordinal = coverage.segments.firstIndex { $0?.identifier == identifier }
    let shown = self.shown ?? .allocate(capacity: 1)
    self.shown = shown
    shown.initialize(to: current.window.value.pointee)
    shown.pointee.ordinal = UInt32(ordinal ?? 0)
    shownWindow = IndexWindow(current.window.key, shown, 0..<1, bounds.order)
  }
}
