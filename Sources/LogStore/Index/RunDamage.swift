internal import FileIO

/// Why an index run cannot be used; the records of its segments can rebuild it.
enum RunDamage: Error, Equatable {
  /// The bytes are not what was written.
  case damaged(String)
  /// They could not be read.
  case fileIO(FileIOError)

  /// What kept an index from being read, where that tells nothing of its bytes.
  ///
  /// Where it does, as a bad sector does, others stand in for the index, as for one with wrong
  /// bytes: footers for a merged run, records for a footer.
  var obstacle: FileIOError? {
    guard case .fileIO(let cause) = self, !cause.tellsOfDamage else { return nil }
    return cause
  }
}
