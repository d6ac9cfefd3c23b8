/// The limits of this version; a limit that is hit is a typed error before anything is written.
public enum LogLimits {
  /// Bytes of a key: 1 to 4 KiB.
  public static let keyByteCount = 4096
  /// Bytes of a payload before compression: 64 MiB.
  public static let payloadByteCount = 64 << 20
  /// Collections of a store: 2^24.
  ///
  /// They are meant for kinds of records, not for single ones: a collection takes some 70 bytes in
  /// the index of each segment that has records of it, and a page of 4096 bytes in a merged index.
  /// Indexes that would become many times as large by that, those of thousands of collections with
  /// few records each, are not merged: each of them is asked by itself.
  public static let collectionCount: UInt32 = 1 << 24
  /// Schema versions: up to 2^63 − 1.
  public static let schemaVersion = UInt64(1) << 63 - 1
  /// Bytes of one commit after compression: 1 GiB.
  public static let commitByteCount = 1 << 30
  /// Records of one commit: 2^32 − 1.
  public static let commitRecordCount = Int(UInt32.max)
  /// Bytes of one segment file: below 4 GiB, so that offsets fit 32 bits.
  public static let segmentByteCount: UInt64 = (1 << 32) - 1
  /// Bytes of the index of one segment, about, where the segment is full: half of what the header
  /// of its frame can say, which leaves room for what one commit adds.
  static let indexByteCount = 2 << 30
  /// Sequences of one store, as accepted from disk: 2^62.
  static let sequence: UInt64 = 1 << 62
  /// Segment identifiers, as accepted from disk; below, so that the next ones fit 32 bits.
  static let segmentIdentifier: UInt32 = 0xFFF0_0000
  /// How far above a manifest's mark numbers of files count: 2^24, more segments than are made
  /// between a manifest that is in force and the files beside it.
  static let identifierReach: UInt32 = 1 << 24
  /// Segments of one store, as accepted from a manifest: 2^20.
  static let segmentCount = 1 << 20
  /// Bytes of a merged run, as accepted from disk: 64 GiB, more than its places can reach.
  static let runByteCount: UInt64 = 64 << 30
  /// Merged runs of ranges, as accepted from a manifest; a writer has about ten.
  static let rangedRunCount = 256
  /// Segments of one store that commits may make; the rest is for outputs of compaction.
  static let segmentCountForCommits = segmentCount - 4096
  /// Bytes of a manifest, as accepted from disk: 256 MiB.
  static let manifestByteCount: UInt64 = 256 << 20

  /// Whether a file's number is so far above `mark` that the store did not give it.
  static func isOutOfReach(_ number: UInt32, of mark: UInt32) -> Bool {
    number >= mark && number - mark >= identifierReach
  }
}
