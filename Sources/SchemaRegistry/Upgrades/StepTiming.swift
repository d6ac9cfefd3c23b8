/// Notes which step of one upgrade takes longest; used by one thread.
package final class StepTiming {
  /// The time in nanoseconds, from any start.
  package let now: () -> UInt64
  /// The operation whose code took longest so far.
  package private(set) var slowest: String?
  private var longest: UInt64 = 0

  package init(now: @escaping () -> UInt64) { self.now = now }

  func note(_ operationID: String, since start: UInt64) {
    let time = now()
    let taken = time > start ? time - start : 0
    guard slowest == nil || taken > longest else { return }
    (slowest, longest) = (operationID, taken)
  }
}
