/// A commit of one change with the memory that it takes, to be used again for the next.
final class SingleCommit {
  let batch: WriteBatch
  let request: CommitRequest
  /// The request as a group of its own.
  let group: [CommitRequest]

  init(_ batch: WriteBatch) {
    self.batch = batch
    request = CommitRequest(batch, durability: .process)
    group = [request]
  }

  /// Forgets the last change.
  func begin(at commitTime: CommitTime, _ durability: Durability) {
    batch.begin(at: commitTime)
    request.begin(durability)
  }
}
