internal import BinaryCoding

/// Walks one sealed index for a ``MergingCursor``.
protocol IndexWalk: AnyObject {
  /// The keys that are left of the current page; nothing at the end, and where ``passed`` is.
  var window: IndexWindow? { get }

  /// Where the walk has come to without a key to show: there may be some behind this one. Valid
  /// until the walk moves.
  var passed: IndexKey? { get }

  /// Moves behind `last`, the last key of the current window, or the one that was passed.
  func advanceWindow(behind last: IndexKey) throws(LogError)

  /// Moves to the first key behind the cut at `start`; nothing for the first key there is.
  func seek(to start: IndexKey?) throws(LogError)
}
