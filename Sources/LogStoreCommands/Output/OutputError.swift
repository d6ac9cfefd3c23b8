internal import FileIO

/// Why output could not be written.
enum OutputError: Error, Equatable, Sendable {
  /// The reader of a pipe has gone, as `head` does: who prints for it ends without a word.
  case readerGone
  /// The output itself failed.
  case unwritable(FileIOError)
}

extension OutputError: CustomStringConvertible {
  var description: String {
    switch self {
    case .readerGone: "the reader of the output has gone"
    case .unwritable(let cause): cause.description
    }
  }
}
