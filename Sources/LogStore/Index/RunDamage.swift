internal import FileIO

/// Why an index run cannot be used; the records of its segments can rebuild it.
enum RunDamage: Error, Equatable {
  /// The bytes are not what was written.
  case damaged(String)
  /// They could not be read.
  case fileIO(FileIOError)
}
