/// What a compaction on a full disk writes before it gives enough back.
struct CompactionRoom {
  /// Segments that are written anew, and what it takes beside them.
  var outputByteCount: UInt64
  /// The index of the open segment, which is sealed before it is written anew, and when it is full.
  var indexByteCount: UInt64
  /// Whether there is a segment that a compaction would take.
  var isFreeing = false

  var byteCount: UInt64 { outputByteCount + indexByteCount }
}
