internal import FileIO

/// Commits for callers that must not block, on a thread that exists only while there are some.
///
/// All that wait are appended, then synchronized once; those that come meanwhile are next. Where
/// appending them takes long, because bodies of transactions do, those that wait longest are
/// synchronized first: nobody waits for the bodies of a whole group. The thread is a writer like
/// any other, so it shares synchronizations with callers that do block.
final class AsyncCommitter: Sendable {
  /// One caller's work; all of it runs on the worker, one after another.
  private struct Work: @unchecked Sendable {
    // Sendable: what the closures capture is handed over to the worker, and back by `resume`.
    /// Appends the commit, unless it fails before.
    let append: () -> Appended
    /// Tells the caller, when the commit is through.
    let resume: () -> Void
  }

  /// What is known of a caller's work once it was appended.
  private enum Appended {
    /// What became of it.
    case decided
    /// Nothing before all is durable that was appended, and its request with it, if it has one.
    case waiting(CommitRequest?)

    init(_ request: CommitRequest) { self = request.isDecided ? .decided : .waiting(request) }
  }

  private struct Waiting {
    var works: [Work] = []
    var gathering = GroupGathering()
    /// Nanoseconds that the last synchronization took.
    var lastDuration: UInt64 = 0
  }

  /// So many synchronizations, and at least so many nanoseconds, are waited for the bodies of
  /// others: what synchronizing more often costs is a small part of what they take.
  private static let patience: UInt64 = 4
  private static let patienceMinimum: UInt64 = 1_000_000

  private let pipeline: CommitPipeline
  private let worker = SerialWorker()
  private let waiting = Lock(Waiting())

  init(_ pipeline: CommitPipeline) { self.pipeline = pipeline }

  /// Commits a batch that nobody else uses meanwhile.
  func commit(
    _ batch: sending WriteBatch, durability: Durability
  ) async throws(LogError) -> CommitSequence {
    let request = CommitRequest(batch, durability: durability)
    let pipeline = pipeline
    return try await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<CommitSequence, LogError>, Never>) in
      enqueue(
        Work {
          pipeline.enterForCommit()
          pipeline.append([request])
          pipeline.leave()
          return Appended(request)
        } resume: {
          continuation.resume(
            returning: Result { () throws(LogError) in try request.outcome() })
        })
    }.get()
  }

  /// Runs `append`, which commits a transaction, and returns its result when that is through.
  ///
  /// `append` gets what throws once the task was cancelled: it may wait for others before the
  /// transaction begins, and asks again then.
  func transact<Value: Sendable>(
    _ append:
      @escaping @Sendable (_ checkCancellation: () throws -> Void) throws -> (
        Value, CommitRequest
      )
  ) async throws -> Value {
    let isCancelled = Lock(false)
    @Sendable func checkCancellation() throws {
      if isCancelled.withLock({ isCancelled in isCancelled }) { throw CancellationError() }
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        var outcome: Result<(Value, CommitRequest), any Error>?
        enqueue(
          Work {
            let result = Result {
              try checkCancellation()
              return try append(checkCancellation)
            }
            outcome = result
            return (try? result.get().1).map(Appended.init) ?? .decided
          } resume: {
            continuation.resume(
              with: Result {
                guard let (value, request) = try outcome?.get() else {
                  preconditionFailure("a transaction must be run before it is through")
                }
                _ = try request.outcome()
                return value
              })
          })
      }
    } onCancel: {
      isCancelled.withLock { isCancelled in isCancelled = true }
    }
  }

  /// Returns when everything up to `sequence` is durable that was appended.
  func waitUntilDurable(_ sequence: CommitSequence) async throws(LogError) {
    let pipeline = pipeline
    try await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Void, LogError>, Never>) in
      enqueue(
        Work {
          .waiting(nil)
        } resume: {
          continuation.resume(
            returning: Result { () throws(LogError) in
              // Here, as what was appended is known under the lock, in which bodies run.
              try pipeline.waitUntilDurable(min(sequence, pipeline.appendedSequence()))
            })
        })
    }.get()
  }

  private func enqueue(_ work: Work) {
    let isFirst = waiting.withLock { waiting in
      defer { waiting.works.append(work) }
      waiting.gathering.arrive(1)
      return waiting.works.isEmpty
    }
    // Who came first has all taken along that wait.
    guard isFirst else { return }
    // Without a thread of the operating system it is done here.
    if !worker.submit({ self.performWaiting() }) { performWaiting() }
  }

  /// Commits all that wait, and those that come at once when the last ones were let go; called once
  /// for each group that waits.
  ///
  /// Before another body runs, those that have waited long enough are synchronized and let go. What
  /// is decided when it was appended is let go at once.
  private func performWaiting() {
    let timeSource = pipeline.configuration.timeSource
    let group = takeGroup()
    var undecided: [(work: Work, request: CommitRequest?)] = []
    var start: UInt64 = 0
    for work in group {
      if !undecided.isEmpty, timeSource.monotonicNanoseconds() - start >= patience {
        finish(undecided, isLast: false)
        undecided = []
      }
      switch work.append() {
      case .decided:
        waiting.withLock { waiting in waiting.gathering.letGo(1) }
        work.resume()
      case .waiting(let request):
        if undecided.isEmpty { start = timeSource.monotonicNanoseconds() }
        undecided.append((work, request))
      }
    }
    finish(undecided, isLast: true)
  }

  /// How long those that were appended may wait for others, in nanoseconds.
  private var patience: UInt64 {
    let last = waiting.withLock { waiting in waiting.lastDuration }
    return max(Self.patienceMinimum, min(last, .max / Self.patience) * Self.patience)
  }

  /// Waits until what was appended is durable, and tells the callers.
  private func finish(_ appended: [(work: Work, request: CommitRequest?)], isLast: Bool) {
    let timeSource = pipeline.configuration.timeSource
    let start = timeSource.monotonicNanoseconds()
    // This thread appends for all of them, so none of them is another caller at the gate.
    pipeline.finish(appended.compactMap(\.request), callerCount: 1)
    let duration = timeSource.monotonicNanoseconds() - start
    // Before anybody is let go: who comes back at once is not another one.
    waiting.withLock { waiting in
      if !appended.isEmpty { waiting.lastDuration = duration }
      if isLast {
        waiting.gathering.end(after: appended.isEmpty ? 0 : duration)
      } else {
        waiting.gathering.letGo(appended.count)
      }
    }
    for (work, _) in appended { work.resume() }
  }

  private func takeGroup() -> [Work] {
    let isWorthWaiting = waiting.withLock { waiting in waiting.gathering.isWorthWaiting() }
    if isWorthWaiting {
      GroupGathering.gather(on: pipeline.configuration.timeSource) { body in
        waiting.withLock { waiting in body(&waiting.gathering) }
      }
    }
    return waiting.withLock { waiting in
      waiting.gathering.begin()
      defer { waiting.works = [] }
      return waiting.works
    }
  }

  /// How many callers wait for the next group; for tests.
  var waitingCount: Int { waiting.withLock { waiting in waiting.works.count } }
}
