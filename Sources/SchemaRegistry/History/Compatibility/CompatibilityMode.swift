/// Which apps must get along with which records.
public enum CompatibilityMode: String, Hashable, Sendable, CaseIterable {
  /// The new app with old records: what every valid history gives.
  case backward
  /// Older apps with the records of the new one.
  case forward
  /// Both.
  case full
  /// Apps of several versions that share one store: nothing but additions and removals.
  case additive
}
