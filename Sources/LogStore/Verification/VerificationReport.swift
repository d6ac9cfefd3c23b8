/// What a check of every byte of a store found.
public struct VerificationReport: Sendable, Equatable {
  /// Damage that loses something: durable bytes that are not what was written.
  public var damages: [CorruptionReport] = []
  /// Damage that no object is lost by: of derived parts, which are rebuilt from the records when
  /// they are needed, and of what a copy says of itself in `BACKUP`, which a backup asks for, and a
  /// restoration.
  public var rebuildable: [CorruptionReport] = []
  /// What is not wrong but worth knowing: an incomplete tail, files left over by a crash.
  public var notes: [String] = []
  /// Segments that count replaced records as live, each of which has a note.
  package var overcounted: [SegmentIdentifier] = []
  /// Files that were read.
  public var fileCount = 0
  /// Bytes that were read.
  public var byteCount: UInt64 = 0
  /// Records that were verified, dead ones included.
  public var recordCount: UInt64 = 0

  /// Whether nothing is damaged.
  public var isIntact: Bool { damages.isEmpty && rebuildable.isEmpty }

  /// Adds what another check found.
  mutating func add(_ other: VerificationReport) {
    damages += other.damages
    rebuildable += other.rebuildable
    notes += other.notes
    overcounted += other.overcounted
    fileCount += other.fileCount
    byteCount += other.byteCount
    recordCount += other.recordCount
  }
}
