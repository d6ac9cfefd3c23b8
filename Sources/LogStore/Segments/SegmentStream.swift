/// Who writes a segment: fresh commits and compaction output are never mixed.
public enum SegmentStream: UInt8, Sendable, Hashable {
  /// Commits, in order of their sequence.
  case user = 1
  /// Records moved by compaction, sorted by key, each with its own sequence.
  case compaction = 2
}
