internal import FileIO

/// Commits for callers that must not block, on a thread that exists only while there are some.
///
/// All that wait are appended, then synchronized once; those that come meanwhile are next. The
/// thread is a writer like any other, so it shares synchronizations with callers that do block.
final class AsyncCommitter: Sendable {
  /// One caller's work; all of it runs on the worker, one after another.
  private struct Work: @unchecked Sendable {
    // Sendable: what the closures capture is handed over to the worker, and back by `resume`.
    /// Appends the commit, or says with nothing that it failed before.
    let append: () -> CommitRequest?
    /// Tells the caller, when the commit is through.
    let resume: () -> Void
  }

  private struct Waiting {
    var works: [Work] = []
    var gathering = GroupGathering()
  }

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
          return request
        } resume: {
          continuation.resume(
            returning: Result { () throws(LogError) in try request.outcome() })
        })
    }.get()
  }

  /// Runs `append`, which commits a transaction, and returns its result when that is through.
  func transact<Value: Sendable>(
    _ append: @escaping @Sendable () throws -> (Value, CommitRequest)
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      var outcome: Result<(Value, CommitRequest), any Error>?
      enqueue(
        Work {
          let result = Result { try append() }
          outcome = result
          return try? result.get().1
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
  }

  /// Returns when everything up to `sequence` is durable.
  func waitUntilDurable(_ sequence: CommitSequence) async throws(LogError) {
    let pipeline = pipeline
    try await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Void, LogError>, Never>) in
      enqueue(
        Work {
          nil
        } resume: {
          continuation.resume(
            returning: Result { () throws(LogError) in try pipeline.waitUntilDurable(sequence) })
        })
    }.get()
  }

  private func enqueue(_ work: Work) {
    waiting.withLock { waiting in
      waiting.works.append(work)
      waiting.gathering.arrive(1)
    }
    // Without a thread of the operating system it is done here.
    if !worker.submit({ self.performWaiting() }) { performWaiting() }
  }

  /// Commits all that wait, and those that come at once when the last ones were let go; nothing is
  /// left to do when an earlier call took them along.
  private func performWaiting() {
    let group = takeGroup()
    if group.isEmpty { return }
    let timeSource = pipeline.configuration.timeSource
    let start = timeSource.monotonicNanoseconds()
    // This thread appends for all of them, so none of them is another caller at the gate.
    pipeline.finish(group.compactMap { work in work.append() }, callerCount: 1)
    let end = timeSource.monotonicNanoseconds()
    // Before anybody is let go: who comes back at once is not another one.
    waiting.withLock { waiting in waiting.gathering.end(after: end - start) }
    for work in group { work.resume() }
  }

  private func takeGroup() -> [Work] {
    let isWorthWaiting = waiting.withLock { waiting in
      !waiting.works.isEmpty && waiting.gathering.isWorthWaiting()
    }
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
