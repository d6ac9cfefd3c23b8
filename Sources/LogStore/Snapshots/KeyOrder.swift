/// Which way keys are walked.
public enum KeyOrder: Sendable, Hashable, CaseIterable {
  /// From the smallest key up.
  case ascending
  /// From the largest key down.
  case descending
}
