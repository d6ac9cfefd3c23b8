/// What a whole-record step decides about its record.
public enum StepOutcome: Hashable, Sendable {
  /// The record lives on with its new values.
  case keep
  /// The record is gone for every reader; it is deleted for good when it is next written.
  case drop
}
