/// The exit codes of the command; scripts may rely on them.
public enum ExitStatus: Int32, CaseIterable, Sendable {
  /// All was done.
  case success = 0
  /// `get` found no object under the key.
  case notFound = 1
  /// Bytes of the store are damaged; nothing wrong was printed.
  case corruption = 2
  /// Another process has the store open for writing.
  case storeInUse = 3
  /// A file could not be read or written, or no space was left.
  case inputOutput = 4
  /// The store was written by a newer format or a newer schema version.
  case newerFormat = 5
  /// The history does not fit the store, or a step of it failed.
  case migration = 7
  /// Arguments, or the contents of an input file, cannot be used.
  case usage = 64
}
