/// A batch that a caller wants committed, and what became of it.
final class CommitRequest {
  let batch: WriteBatch
  let durability: Durability
  /// The sequence of its last record, once it was appended.
  var sequence = CommitSequence.zero
  /// Set by the thread that leads the group; the caller looks at it when ``isDone`` is set.
  var result: Result<CommitSequence, LogError>?
  /// Whether the whole group is through; used inside the queue's monitor only, unlike the result.
  var isDone = false

  init(_ batch: WriteBatch, durability: Durability) {
    self.batch = batch
    self.durability = durability
  }

  /// What became of it, once it is through.
  func outcome() throws(LogError) -> CommitSequence {
    guard let result else { preconditionFailure("a commit must have a result") }
    return try result.get()
  }
}
