/// How far a long command has come.
struct Progress: Equatable, Sendable {
  /// Units of work done, for example bytes read.
  var completed: UInt64
  /// Units in all, where that is known.
  var total: UInt64?
  /// Objects done, which is what people count in.
  var objectCount: UInt64

  /// The part done, 0 to 1, or nothing when the total is unknown or zero.
  var fraction: Double? {
    guard let total, total > 0 else { return nil }
    return min(1, Double(completed) / Double(total))
  }
}
