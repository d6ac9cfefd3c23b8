/// A batch that a caller wants committed, and what became of it.
final class CommitRequest {
  let batch: WriteBatch
  let durability: Durability
  /// Set by the thread that leads the group, before the caller goes on.
  var result: Result<CommitSequence, LogError>?

  init(_ batch: WriteBatch, durability: Durability) {
    self.batch = batch
    self.durability = durability
  }
}
