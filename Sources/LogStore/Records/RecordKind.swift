/// What a record says about its key.
public enum RecordKind: UInt8, Sendable {
  /// The key has this payload from here on.
  case put = 1
  /// The key is gone from here on.
  case tombstone = 2
}
