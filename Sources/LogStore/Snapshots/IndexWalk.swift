internal import BinaryCoding

/// Walks one sealed index for a ``MergingCursor``.
protocol IndexWalk: AnyObject {
  /// The keys that are left of the current page; nothing at the end.
  var window: IndexWindow? { get }

  /// Moves behind `last`, the last key of the current window.
  func advanceWindow(behind last: IndexKey) throws(LogError)

  /// Moves to the first key behind the cut at `start`; nothing for the first key there is.
  func seek(to start: IndexKey?) throws(LogError)
}
