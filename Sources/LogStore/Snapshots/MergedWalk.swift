internal import BinaryCoding

/// Walks a merged run; when it turns out damaged on the way, the footers of its segments instead.
final class MergedWalk: IndexWalk {
  private let coverage: RunCoverage
  private let view: View
  private let bounds: WalkBounds
  private var cursor: RunCursor?
  /// Takes the cursor's place after damage; its keys are shown one by one, with their ordinals.
  private var footers: MergingCursor?
  private let shown = UnsafeMutablePointer<IndexValue>.allocate(capacity: 1)
  private var shownWindow: IndexWindow?
  /// Where a walk over the footers goes on.
  private let resumption = KeyBuffer()

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

  deinit { shown.deallocate() }

  /// The keys that are left of the current page; nothing at the end.
  var window: IndexWindow? { footers == nil ? cursor?.window : shownWindow }

  /// Moves behind `last`, the last key of the current window.
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
    if let footers {
      if let start { try footers.seek(to: start) }
      return show(footers)
    }
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
    if let start { try footers.seek(to: start) }
    cursor = nil
    self.footers = footers
    show(footers)
  }

  private func show(_ footers: MergingCursor) {
    shownWindow = nil
    guard let current = footers.top, let segment = current.segment(of: current.window.value) else {
      return
    }
    let identifier = segment._withUnsafeGuaranteedRef { $0.identifier }
    let ordinal = coverage.segments.firstIndex { $0?.identifier == identifier }
    shown.initialize(to: current.window.value.pointee)
    shown.pointee.ordinal = UInt32(ordinal ?? 0)
    shownWindow = IndexWindow(current.window.key, shown, 0..<1, bounds.order)
  }
}
