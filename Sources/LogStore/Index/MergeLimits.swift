/// How many keys merges may have; lowered when what they wrote was too large for a file.
struct MergeLimits {
  /// Of all indexes that become one run.
  var keyCount = IndexMergePolicy.keyCountMaximum
}
