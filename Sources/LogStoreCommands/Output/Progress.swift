/// How far a long command has come.
struct Progress: Equatable, Sendable {
  /// Units of work done, for example bytes read.
  var completed: UInt64
  /// Units in all, where that is known.
  var total: UInt64?
  /// Objects done, which is what people count in; the bytes done where ``isInBytes`` is set.
  var objectCount: UInt64
  /// Whether what is counted are bytes.
  var isInBytes = false

  /// The part done, 0 to 1, or nothing when the total is unknown or zero.
  var fraction: Double? {
    guard let total, total > 0 else { return nil }
    return min(1, Double(completed) / Double(total))
  }
}

extension Progress {
  /// So many of a known number of bytes.
  init(bytes: UInt64, of total: UInt64) {
    self.init(completed: bytes, total: total, objectCount: bytes, isInBytes: true)
  }
}
