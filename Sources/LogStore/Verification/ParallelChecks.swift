internal import FileIO

/// Checks of one segment each, done by several threads.
final class ParallelChecks: @unchecked Sendable {
  typealias Outcome = Result<VerificationReport, LogError>

  // Sendable: what is stored and changes is used inside `monitor`.
  private let monitor = Monitor()
  private let check: @Sendable (Int) -> Outcome
  private var outcomes: [Outcome?]
  private var next = 0
  private var byteCountDone: UInt64 = 0

  init(count: Int, _ check: @escaping @Sendable (Int) -> Outcome) {
    self.check = check
    outcomes = Array(repeating: nil, count: count)
  }

  /// Does all checks, and returns what they found in the order of their numbers; nothing when
  /// `goesOn`, which is told the bytes read so far, on this thread, returned false.
  func run(threadCount: Int, while goesOn: (UInt64) -> Bool) -> [Outcome]? {
    // This thread works too, so that it goes on where the system gives no other.
    let workers = (1..<max(1, min(threadCount, outcomes.count))).map { _ in SerialWorker() }
    for worker in workers { _ = worker.submit { [self] in while step() != nil {} } }
    var isEnded = false
    while !isEnded, let byteCount = step() { isEnded = !goesOn(byteCount) }
    if isEnded { leaveRest() }
    for worker in workers { worker.waitUntilIdle() }
    if isEnded || !goesOn(byteCountDone) { return nil }
    return outcomes.compactMap { outcome in outcome }
  }

  /// Nobody begins another check.
  private func leaveRest() {
    monitor.enter()
    next = outcomes.count
    monitor.leave()
  }

  /// Does one check; returns the bytes read by all so far, and nothing when none is left.
  private func step() -> UInt64? {
    monitor.enter()
    guard next < outcomes.count else {
      monitor.leave()
      return nil
    }
    let number = next
    next += 1
    monitor.leave()
    let outcome = check(number)
    monitor.enter()
    defer { monitor.leave() }
    outcomes[number] = outcome
    if case .success(let report) = outcome { byteCountDone += report.byteCount }
    return byteCountDone
  }
}
