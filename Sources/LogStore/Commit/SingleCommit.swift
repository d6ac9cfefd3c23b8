/// A commit of one change, or of a small transaction, with the memory that it takes, to be used
/// again for the next.
final class SingleCommit {
  let request: CommitRequest
  /// The request as a group of its own.
  let group: [CommitRequest]

  var batch: WriteBatch { request.batch }

  init(_ batch: WriteBatch) {
    request = CommitRequest(batch, durability: .process)
    group = [request]
  }

  func begin(at commitTime: CommitTime, _ durability: Durability) {
    batch.begin(at: commitTime)
    request.begin(durability)
  }

  /// Forgets the change, and the memory of a large one.
  func end() {
    batch.removeAll()
    request.end()
  }
}
