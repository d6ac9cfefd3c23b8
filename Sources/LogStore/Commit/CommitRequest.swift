/// A batch that a caller wants committed, and what became of it.
final class CommitRequest {
  let batch: WriteBatch
  @exclusivity(unchecked) private(set) var durability: Durability
  /// The sequence of its last record, once it was appended.
  @exclusivity(unchecked) var sequence = CommitSequence.zero
  /// Whether it succeeded or failed; set by the thread that leads the group. The caller looks at it
  /// when ``isDone`` is set.
  @exclusivity(unchecked) private(set) var isDecided = false
  /// Asked before ``failure``, which costs more to look at.
  @exclusivity(unchecked) private var isFailed = false
  @exclusivity(unchecked) private(set) var failure: LogError?
  /// Whether the whole group is through; used inside the queue's monitor only, unlike the others.
  @exclusivity(unchecked) var isDone = false

  init(_ batch: WriteBatch, durability: Durability) {
    self.batch = batch
    self.durability = durability
  }

  /// Makes it a request like a new one, for what its batch holds now.
  func begin(_ durability: Durability) { self.durability = durability }

  /// Forgets what became of it.
  func end() {
    sequence = .zero
    isDecided = false
    isDone = false
    if isFailed {
      isFailed = false
      failure = nil
    }
  }

  /// Everything up to ``sequence`` is as durable as it was asked to be.
  func succeed() { isDecided = true }

  func fail(_ error: LogError) {
    failure = error
    isFailed = true
    isDecided = true
  }

  /// What became of it, once it is through.
  func outcome() throws(LogError) -> CommitSequence {
    precondition(isDecided, "a commit must have a result")
    if isFailed, let failure { throw failure }
    return sequence
  }
}
