/// An opening of a store that has written to it.
///
/// Copies of a directory that were written to have different ones, whatever became of their
/// segments since; see ``Manifest/hasHad(_:upTo:)``.
struct WriterSession: Equatable, Sendable {
  /// Drawn at random.
  let identifier: UInt64
  /// The last commit that the store had when it was opened.
  let start: CommitSequence
}
