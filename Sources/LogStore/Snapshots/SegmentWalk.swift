internal import BinaryCoding

/// Walks the index of a sealed segment; one that turns out damaged is replaced on the way by one
/// made of the segment's records.
final class SegmentWalk: IndexWalk {
  let segment: Segment
  private let bounds: WalkBounds
  private var cursor: RunCursor
  /// Where a walk over a rebuilt index goes on.
  private let resumption = KeyBuffer()

  /// Starts behind the cut at `start`. `bounds` are borrowed for as long as the walk lives.
  init(_ segment: Segment, _ bounds: WalkBounds, from start: IndexKey?) throws(LogError) {
    self.segment = segment
    self.bounds = bounds
    do throws(RunDamage) {
      cursor = try RunCursor(try segment.runForWalking(), bounds: bounds, from: start)
    } catch {
      cursor = try Self.rebuild(segment, bounds, error, from: start)
    }
  }

  /// The keys that are left of the current page; nothing at the end.
  var window: IndexWindow? { cursor.window }

  /// Nothing: all keys are there.
  var passed: IndexKey? { nil }

  /// Moves behind `last`, the last key of the current window, which must be on its page.
  func advanceWindow(behind last: IndexKey) throws(LogError) {
    // Copied first: a page that fails half-way leaves nothing of the one before.
    if bounds.order == .ascending { resumption.set(behind: last) } else { resumption.set(last) }
    do throws(RunDamage) {
      try cursor.advanceWindow()
    } catch {
      cursor = try Self.rebuild(segment, bounds, error, from: resumption.key)
    }
  }

  /// Moves to the first key behind the cut at `start`.
  func seek(to start: IndexKey?) throws(LogError) {
    do throws(RunDamage) {
      try cursor.seek(to: start)
    } catch {
      cursor = try Self.rebuild(segment, bounds, error, from: start)
    }
  }

  private static func rebuild(
    _ segment: Segment, _ bounds: WalkBounds, _ damage: RunDamage, from start: IndexKey?
  ) throws(LogError) -> RunCursor {
    if let obstacle = damage.obstacle { throw .fileIO(obstacle) }
    let run = try segment.rebuildRun()
    do throws(RunDamage) {
      return try RunCursor(run, bounds: bounds, from: start)
    } catch { preconditionFailure("a rebuilt run must be readable: \(error)") }
  }
}

extension Segment {
  /// The run, with errors of the log turned to damage only where the records can rebuild it.
  fileprivate func runForWalking() throws(RunDamage) -> IndexRun {
    do throws(LogError) {
      return try run()
    } catch .fileIO(let cause) {
      throw .fileIO(cause)
    } catch {
      throw .damaged("\(error)")
    }
  }
}
