/// What happens when an object moves to a type that has one with its key.
public enum ExistingKeys: String, Hashable, Sendable, CaseIterable {
  /// The barrier fails, counts them and names the first; the store stays as it is.
  case fail
  /// The one that is there stays, the other is gone.
  case keepExisting
  /// The one that moves takes its place.
  case replace
}
