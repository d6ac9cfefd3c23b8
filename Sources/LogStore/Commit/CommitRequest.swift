/// A batch that a caller wants committed, and what became of it.
final class CommitRequest {
  let batch: WriteBatch
  let durability: Durability
  /// The sequence of its last record, once it was appended.
  @exclusivity(unchecked) var sequence = CommitSequence.zero
  /// Set by the thread that leads the group; the caller looks at it when ``isDone`` is set.
  var result: Result<CommitSequence, LogError>? {
    didSet { isDecided = true }
  }
  /// Whether there is a result; cheaper to ask.
  @exclusivity(unchecked) private(set) var isDecided = false
  /// What its records replace in sealed segments, while it is being appended.
  @exclusivity(unchecked) var sealedPrevious: [View.Hit?] = []
  /// Whether the whole group is through; used inside the queue's monitor only, unlike the result.
  @exclusivity(unchecked) var isDone = false

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
