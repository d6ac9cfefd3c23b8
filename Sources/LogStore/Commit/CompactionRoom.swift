/// What a compaction on a full disk writes before it gives anything back.
struct CompactionRoom {
  /// What segments written anew take before they give enough back; 0 where some just go.
  var outputByteCount: UInt64
  /// The index of the open segment, which is sealed before it is written anew, and when it is full.
  var indexByteCount: UInt64
  /// The segment that is written first; nothing where none frees anything yet.
  var smallest: SegmentIdentifier?

  var byteCount: UInt64 { outputByteCount + indexByteCount }
}
