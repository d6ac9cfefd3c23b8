/// What an index holds for a key: where the newest record of the key lies in its segment.
struct IndexValue: Equatable {
  var sequence: CommitSequence
  var schemaVersion: UInt64
  /// Offset of the record in its segment.
  var offset: UInt32
  /// Size of the record.
  var length: UInt32
  var isTombstone: Bool
  /// In a merged run, which of its segments; 0 elsewhere.
  var ordinal: UInt32 = 0
}
