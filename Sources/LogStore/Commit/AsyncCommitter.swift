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

  private let pipeline: CommitPipeline
  private let worker = SerialWorker()
  private let waiting = Lock<[Work]>([])

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
          pipeline.lock.lock("a commit")
          pipeline.append([request])
          pipeline.lock.unlock()
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
    waiting.withLock { waiting in waiting.append(work) }
    // Without a thread of the operating system it is done here.
    if !worker.submit({ self.performWaiting() }) { performWaiting() }
  }

  /// Commits all that wait now; nothing is left to do when an earlier call took them along.
  private func performWaiting() {
    let group = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    pipeline.finish(group.compactMap { work in work.append() })
    for work in group { work.resume() }
  }
}
