/// What could be saved of a damaged store, and what not.
public struct SalvageReport: Sendable, Equatable {
  /// A range of a file in which nothing verifies, or from which something is missing.
  public struct Loss: Sendable, Equatable {
    /// The file's name.
    public let file: String
    /// The bytes in question; empty when the file is missing, or its end.
    public let range: Range<UInt64>
    /// What was found there.
    public let reason: String
  }

  /// Records that verified and are in the new store: the newest of each key in each segment, so
  /// replaced ones are among them.
  public internal(set) var recordCount: UInt64 = 0
  /// Records of those that are live: objects, and descriptions of their types.
  public internal(set) var liveRecordCount: UInt64 = 0
  /// Segments that were read.
  public internal(set) var segmentCount = 0
  /// Bytes that were read.
  public internal(set) var byteCount: UInt64 = 0
  /// What was lost, in the order of the files.
  public internal(set) var losses: [Loss] = []
  /// What one should know about what was saved.
  public internal(set) var notes: [String] = []

  /// Bytes of all losses.
  public var lostByteCount: UInt64 {
    losses.reduce(0) { $0 + ($1.range.upperBound - $1.range.lowerBound) }
  }
}
